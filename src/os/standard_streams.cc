#include "os/standard_streams.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "os/descriptor.h"

namespace convoy::os {
namespace {

// The first errno of stdout; like the stream it is the process's, and stdio keeps only that there was one.
int failed_with = 0;

void note_failure() {
  if (failed_with == 0) failed_with = errno;
}

bool reader_is_gone() {
  pollfd out{STDOUT_FILENO, 0, 0};
  return failed_with == EPIPE || (::poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP)) != 0);
}

void end_by_broken_pipe() {
  ::signal(SIGPIPE, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, SIGPIPE);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(SIGPIPE);  // without effect for the first process of a container
}

}  // namespace

void begin_streams() {
  ::signal(SIGPIPE, SIG_IGN);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    // The lowest number that is free, which is this one.
    (void)!::open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  }
}

void print_text(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) note_failure();
}

void flush_stdout() {
  if (std::fflush(stdout) != 0) note_failure();
}

bool stdout_failed() { return std::ferror(stdout) != 0; }

void print_error_text(std::string_view text) { (void)!std::fwrite(text.data(), 1, text.size(), stderr); }

int end_streams(int code) {
  flush_stdout();
  if (!stdout_failed() && failed_with == 0) return code;
  if (reader_is_gone()) {
    if (code == 0) end_by_broken_pipe();
    return code == 0 ? kExitBrokenPipe : code;
  }
  // Software of the users prints too, and its failures come without a number.
  print_error("convoy: cannot write to stdout{}{}\n", failed_with == 0 ? "" : ": ",
              failed_with == 0 ? "" : errno_text(failed_with));
  return code == 0 ? kExitUnwritten : code;
}

}  // namespace convoy::os
