// Output on stderr: log lines, and one status line that is redrawn on a terminal.
#pragma once

#include <mutex>
#include <string>

#include "convoy/result.h"
#include "core/ports.h"

namespace convoy::os {

inline constexpr std::size_t kMaxLogLine = 2000;                          // bytes; longer ones are cut, with "..."
inline constexpr Duration kRedrawEvery = std::chrono::milliseconds(100);  // on a terminal
inline constexpr Duration kPlainStatusEvery = std::chrono::seconds(10);   // elsewhere, one line each

bool stderr_is_terminal();
Result<LogLevel> parse_log_level(std::string_view text);  // debug, info, warn, error

// At most `limit` bytes, with control characters and broken UTF-8 as \n, \x1b, so that no peer's text can move the
// cursor or forge a line.
std::string escape_line(std::string_view text, std::size_t limit = kMaxLogLine);

// "convoy: text", "convoy: warning: text". Any thread.
class StderrLog final : public Log {
 public:
  explicit StderrLog(LogLevel least = LogLevel::kInfo);
  // To another descriptor, borrowed.
  StderrLog(LogLevel least, int fd, bool terminal);
  ~StderrLog() override;  // wipes the status line

  void line(LogLevel level, const std::string& text) override;
  // The line below the log ("12.3 s, 4 hosts, 98 %"); empty wipes it. Drawn at most each kRedrawEvery, and without a
  // terminal as a plain line each kPlainStatusEvery, first after that time.
  void status(const std::string& text, Moment now);

 private:
  void write(std::string_view text);

  std::mutex mutex_;
  LogLevel least_;
  int fd_;
  bool terminal_;
  std::string status_;  // as drawn
  Moment last_status_{};
  bool any_status_ = false;
};

}  // namespace convoy::os
