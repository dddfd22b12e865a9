#include "os/worker.h"

#include <doctest/doctest.h>

#include <string>
#include <thread>

#include "os/clock.h"

namespace worker_test {

using namespace convoy;
using namespace std::chrono_literals;

namespace {

std::string text(const Result<Bytes>& answer) {
  return answer ? std::string(as_text(*answer)) : "refused: " + answer.error().text;
}

os::Worker worker(os::WorkerLimits limits = {}) { return os::Worker({CONVOY_OS_HELPER, "work"}, limits); }

}  // namespace

TEST_CASE("a worker answers request after request, of any size") {
  os::Worker dut = worker();
  CHECK(text(dut.ask(as_bytes("echo"))) == "echo");
  const std::string pid = text(dut.ask(as_bytes("pid")));
  CHECK(text(dut.ask(as_bytes("pid"))) == pid);  // the same process
  std::string large(5 << 20, 'x');
  large.front() = 'e';
  CHECK(text(dut.ask(as_bytes(large))) == large);
  CHECK(text(dut.ask({})).empty());
}

TEST_CASE("what a worker does to itself is its answer, and the next request has another one") {
  os::Worker dut = worker({.work = 300ms, .answer = 10 << 20});
  CHECK(text(dut.ask(as_bytes("crash"))) == "refused: the process that read it was killed by SIGABRT (Aborted)");
  CHECK(text(dut.ask(as_bytes("exit"))) == "refused: the process that read it ended with status 3");
  CHECK(text(dut.ask(as_bytes("spin"))) == "refused: it takes more than 0.3 s of a processor");
  CHECK(text(dut.ask(as_bytes("much"))) == "refused: what it becomes is larger than 0.00976562 GiB");
  CHECK(text(dut.ask(as_bytes("echo"))) == "echo");
}

TEST_CASE("a worker that sleeps for ever is ended by the clock") {
  os::Worker dut = worker({.patience = 300ms});
  CHECK(text(dut.ask(as_bytes("sleep"))) == "refused: it takes more than 0.3 s");
}

TEST_CASE("what is asked is given up when another thread says so") {
  os::Worker dut = worker();
  std::thread other([&] { dut.cancel(); });
  CHECK(text(dut.ask(as_bytes("sleep"))) == "refused: nobody waits for it any more");
  other.join();
}

// The sanitizers' own memory has no such limit.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("a worker gets as much memory as its limit lets it") {
  os::Worker dut = worker();
  CHECK(text(dut.ask(as_bytes("eat"))) == "refused: it needs more than 4 GiB of memory");
}
#endif

TEST_CASE("a worker writes no file and shares no descriptor") {
  os::Worker dut = worker();
  CHECK(text(dut.ask(as_bytes("files"))) == "0 1 2");
}

TEST_CASE("a program that is not there is said") {
  os::Worker dut({"/nowhere/program"}, {});
  CHECK(text(dut.ask({})) == "refused: cannot start /nowhere/program: No such file or directory");
}

}  // namespace worker_test
