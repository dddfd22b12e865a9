// stdin, stdout and stderr of a command: there from the start, written without an exception, and checked at the end.
//
//   int main() {
//     os::begin_streams();
//     os::print("digest {}\n", digest);
//     return os::end_streams(0);  // 1 and a line if stdout has not taken it all; quietly SIGPIPE if nobody reads it
//   }
//
// Threads: one prints.
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace convoy::os {

inline constexpr int kExitUnwritten = 1;
inline constexpr int kExitBrokenPipe = 141;  // as shells show an end by SIGPIPE

// First thing in main(). Those that were closed are taken, so that no file or socket gets their numbers: stdout so that
// writing fails as before, the others by /dev/null. SIGPIPE is ignored: sockets and the log outlive their peers.
void begin_streams();

// To stdout, through its buffer, and out of it. What fails is kept, and end_streams() reports it.
void print_text(std::string_view text);
void flush_stdout();
template <class... Args>
void print(fmt::format_string<Args...> format, Args&&... args) {
  print_text(fmt::format(format, std::forward<Args>(args)...));
}
// Whether writing has failed: who prints for long has no reason to go on.
bool stdout_failed();

// To stderr. That nobody reads it cannot be reported anywhere, and stops nobody.
void print_error_text(std::string_view text);
template <class... Args>
void print_error(fmt::format_string<Args...> format, Args&&... args) {
  print_error_text(fmt::format(format, std::forward<Args>(args)...));
}

// Last thing in main(), with the exit code so far. When all of stdout has arrived, or the code is another than 0
// already, it stays. Else a pipe that nobody reads any more ends the process by SIGPIPE, as it does other tools, without
// a word; whatever else kept stdout from being written gives a line on stderr and kExitUnwritten.
int end_streams(int code);

}  // namespace convoy::os
