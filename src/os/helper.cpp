// A process for the tests of process.h and signals.h: what it does is its first argument.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "os/machine.h"
#include "os/process.h"
#include "os/signals.h"
#include "os/worker.h"

using namespace convoy;

namespace {

void print_line(const char* text) {
  std::puts(text);
  std::fflush(stdout);
}

// Starts a child that holds our standard output, and waits to be killed.
int parent() {
  auto child = os::Child::spawn({.name = "grandchild",
                                 .argv = {os::executable_path().value_or(""), "wait"},
                                 .out = os::Output::kInherit,
                                 .err = os::Output::kInherit});
  if (!child) return 1;
  for (;;) ::pause();
}

// Prints which signal it gets; ends only at SIGTERM, or at a second signal.
int ordered() {
  static volatile int got = 0;
  int ends[2];
  if (::pipe(ends) != 0) return 1;
  os::Signals signals([&](int number) {
    got = number;
    (void)!::write(ends[1], "x", 1);
  });
  print_line("ready");
  char byte = 0;
  (void)!::read(ends[0], &byte, 1);
  print_line(got == SIGINT ? "interrupted" : "terminated");
  for (;;) ::pause();
}

int stubborn() {
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGTERM, SIG_IGN);
  print_line("ready");
  for (;;) ::pause();
}

// The process of the tests of worker.h: does what a request says.
Bytes work(ByteView request) {
  const std::string_view what = as_text(request);
  const auto say = [](const std::string& text) { return Bytes(text.begin(), text.end()); };
  if (what == "pid") return say(std::to_string(::getpid()));
  if (what == "crash") ::raise(SIGABRT);
  if (what == "exit") ::_exit(3);
  if (what == "sleep") ::pause();
  if (what == "much") return Bytes(20 << 20);
  for (volatile int at = 0; what == "spin";) at = at + 1;
  // Held until the end; address space is enough, so nothing is written to it.
  for (std::vector<std::unique_ptr<char[]>> all; what == "eat";)
    all.push_back(std::make_unique_for_overwrite<char[]>(std::size_t{256} << 20));
  if (what == "files") {
    std::string open;
    for (int fd = 0; fd < 100; ++fd)
      if (::fcntl(fd, F_GETFD) >= 0) open += (open.empty() ? "" : " ") + std::to_string(fd);
    return say(open);
  }
  return {request.begin(), request.end()};
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "parent") return parent();
  if (what == "work") return os::serve({}, work);
  if (what == "ordered") return ordered();
  if (what == "stubborn") return stubborn();
  if (what == "wait") {
    print_line("waiting");
    for (;;) ::pause();
  }
  if (what == "fail") {
    for (int i = 0; i < 30; ++i) std::fprintf(stderr, "line %d\n", i);
    std::fprintf(stderr, "no newline");
    return 3;
  }
  if (what == "crash") {
    ::signal(SIGABRT, SIG_DFL);
    std::abort();
  }
  if (what == "say") {
    const char* value = std::getenv("CONVOY_TEST_SAY");
    print_line(value != nullptr ? value : "nothing");
    return 0;
  }
  return 2;
}
