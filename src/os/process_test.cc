#include "os/process.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <set>
#include <thread>

#include "os/clock.h"
#include "os/file.h"
#include "os/signals.h"

namespace process_test {

using namespace convoy;
using namespace std::chrono_literals;

namespace {

constexpr Duration kLong = 20s;  // a test that waits this long has failed

os::ChildOptions helper(const std::string& what) { return {.name = what, .argv = {CONVOY_OS_HELPER, what}}; }

std::vector<os::Death> all_deaths(os::Supervisor& family) {
  std::vector<os::Death> out;
  const Moment end = os::now() + kLong;
  while (family.running() > 0 && os::now() < end) {
    for (os::Death& d : family.poll(end - os::now())) out.push_back(std::move(d));
  }
  return out;
}

// Starts `what` and returns when it has printed `word`.
void start_until(os::Supervisor& family, const std::string& what, const std::string& word) {
  bool found = false;
  os::ChildOptions options = helper(what);
  auto printed = std::make_shared<bool>(false);
  options.on_line = [printed, word](std::string_view line, bool) { *printed |= line == word; };
  REQUIRE(family.start(std::move(options)).has_value());
  const Moment end = os::now() + kLong;
  while (!(found = *printed) && os::now() < end) (void)family.poll(end - os::now());
  REQUIRE(found);
}

}  // namespace

TEST_CASE("a child reads the whole of its input, however long") {
  os::Supervisor family;
  const std::string input = std::string(3 << 20, 'x') + "\nend\n";
  std::string last;
  std::size_t bytes = 0;
  os::ChildOptions child{.name = "cat", .argv = {"cat"}, .input = input};
  child.on_line = [&](std::string_view line, bool) { last = line, bytes += line.size(); };
  REQUIRE(family.start(std::move(child)));
  const auto deaths = all_deaths(family);
  REQUIRE(deaths.size() == 1);
  CHECK(deaths[0].exit.ok());
  CHECK(last == "end");
  CHECK(bytes == input.size() - 2);
}

TEST_CASE("a child's death is reported with its name, its status and its last lines") {
  os::Supervisor family;
  REQUIRE(family.start(helper("fail")).has_value());

  const auto deaths = all_deaths(family);

  REQUIRE(deaths.size() == 1);
  const os::Death& death = deaths[0];
  CHECK(death.name == "fail");
  CHECK(death.exit == os::Exit{3, 0});
  CHECK(death.exit.text() == "ended with status 3");
  REQUIRE(death.last_lines.size() == os::kTailLines);
  CHECK(death.last_lines.front() == "line 11");
  CHECK(death.last_lines.back() == "no newline");
  REQUIRE(family.first_death().has_value());
  CHECK(family.first_death()->text().find("fail (process ") == 0);
}

TEST_CASE("a crash names its signal, and a program that is not there its path") {
  os::Supervisor family;
  REQUIRE(family.start(helper("crash")).has_value());
  const auto missing = family.start({.name = "x", .argv = {"/nonexistent/program"}});

  const auto deaths = all_deaths(family);

  REQUIRE(deaths.size() == 1);
  CHECK(deaths[0].exit.text() == "was killed by SIGABRT (Aborted)");
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().text == "cannot start /nonexistent/program: No such file or directory");
}

TEST_CASE("a child gets its environment and its output may go to a file") {
  const auto directory = os::TempDirectory::create();
  REQUIRE(directory.has_value());
  os::Supervisor family;
  os::ChildOptions options = helper("say");
  options.environment = {{"CONVOY_TEST_SAY", "hello"}};
  options.out = os::Output::kFile;
  options.out_file = directory->path() + "/out";
  REQUIRE(family.start(options).has_value());

  const auto deaths = all_deaths(family);

  REQUIRE(deaths.size() == 1);
  CHECK(deaths[0].exit.ok());
  CHECK_FALSE(family.first_death().has_value());
  CHECK(os::read_text(options.out_file) == "hello\n");
}

TEST_CASE("every death is reported, however closely they follow one another") {
  for (int round = 0; round < 5; ++round) {
    os::Supervisor family;
    for (int i = 0; i < 20; ++i) {
      os::ChildOptions child;
      child.name = std::to_string(i);
      child.argv = {"/bin/true"};
      REQUIRE(family.start(std::move(child)));
    }

    std::set<std::string> dead;
    while (family.running() > 0)
      for (const os::Death& death : family.poll(std::chrono::seconds(1))) dead.insert(death.name);

    CHECK(dead.size() == 20);
  }
}

TEST_CASE("stopping interrupts first and kills last") {
  os::Supervisor family;
  start_until(family, "wait", "waiting");
  start_until(family, "stubborn", "ready");

  const auto deaths = family.stop({.interrupt = 300ms, .terminate = 300ms});

  REQUIRE(deaths.size() == 2);
  CHECK(family.running() == 0);
  CHECK(deaths[0].name + " " + deaths[0].exit.text() == "wait was killed by SIGINT (Interrupt)");
  CHECK(deaths[1].name + " " + deaths[1].exit.text() == "stubborn was killed by SIGKILL (Killed)");
  CHECK_FALSE(family.first_death().has_value());
}

TEST_CASE("the first signal is a request, the second ends the process at once with 130") {
  std::string found;
  os::ChildOptions options = helper("ordered");
  options.on_line = [&](std::string_view line, bool) { found = line; };
  auto child = os::Child::spawn(std::move(options));
  REQUIRE(child.has_value());
  const auto wait_for = [&](const auto& condition) {
    const Moment end = os::now() + kLong;
    while (!condition() && os::now() < end) {
      pollfd wait[2] = {{(*child)->out_descriptor(), POLLIN, 0}, {(*child)->end_descriptor(), POLLIN, 0}};
      ::poll(wait, 2, 100);
    }
    return condition();
  };
  REQUIRE(wait_for([&] { return (*child)->poll() || found == "ready"; }));
  (*child)->signal(SIGINT);
  REQUIRE(wait_for([&] { return (*child)->poll() || found == "interrupted"; }));
  (*child)->signal(SIGTERM);
  REQUIRE(wait_for([&] { return (*child)->poll().has_value(); }));

  CHECK(found == "interrupted");
  CHECK((*child)->poll()->text() == "ended with status 130");
}

TEST_CASE("no process is left after a parent was killed outright") {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  // The parent's standard output is our pipe, which the grandchild inherits: it reads as ended when both are gone.
  const std::string path = "/proc/self/fd/" + std::to_string(ends[1]);
  auto child = os::Child::spawn({.name = "parent",
                                 .argv = {CONVOY_OS_HELPER, "parent"},
                                 .out = os::Output::kFile,
                                 .err = os::Output::kInherit,
                                 .out_file = path});
  REQUIRE(child.has_value());
  ::close(ends[1]);
  char text[16] = "";
  REQUIRE(::read(ends[0], text, sizeof text) > 0);
  REQUIRE(std::string_view(text).substr(0, 7) == "waiting");

  ::kill((*child)->pid(), SIGKILL);  // the process alone, not its group

  pollfd wait{ends[0], POLLIN, 0};
  REQUIRE(::poll(&wait, 1, 20'000) == 1);
  CHECK(::read(ends[0], text, sizeof text) == 0);
  ::close(ends[0]);
}

TEST_CASE("wake ends a wait from another thread") {
  os::Supervisor family;
  std::thread other([&] { family.wake(); });
  CHECK(family.poll(kLong).empty());
  other.join();
}

TEST_CASE("a detached process has a session of its own, and what it says is added to a file") {
  auto folder = os::TempDirectory::create();
  REQUIRE(folder);
  const std::string file = folder->path() + "/said";
  REQUIRE(os::write_file(file, "before\n"));
  const auto pid = os::start_detached({"sh", "-c", "echo here; echo there >&2; read none || exec sleep 60"}, file);
  REQUIRE(pid);
  const auto said = [&] { return os::read_text(file).value_or(""); };
  for (const Moment end = os::now() + kLong; said() != "before\nhere\nthere\n" && os::now() < end;)
    std::this_thread::sleep_for(10ms);
  CHECK(said() == "before\nhere\nthere\n");
  CHECK(::getsid(*pid) == *pid);
  REQUIRE(::kill(*pid, SIGKILL) == 0);
  int status = 0;
  REQUIRE(::waitpid(*pid, &status, 0) == *pid);
  CHECK(WTERMSIG(status) == SIGKILL);

  CHECK(!os::start_detached({"no-such-program"}, file));
  CHECK(!os::start_detached({"true"}, folder->path() + "/none/said"));
}

}  // namespace process_test
