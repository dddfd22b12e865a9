#include "os/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

namespace convoy::os {
namespace {

constexpr std::string_view kWipe = "\r\x1b[K";

// Length of the UTF-8 sequence at the front, 0 if it is broken (overlong forms, surrogates and what lies beyond
// U+10FFFF included).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t n = first < 0x80   ? 1
                        : first < 0xc2 ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                        : first < 0xf5 ? 4
                                       : 0;
  if (n == 0 || n > text.size()) return 0;
  for (std::size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f)) return 0;
  if ((first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f)) return 0;
  return n;
}

bool is_control(std::string_view one) {
  const auto first = static_cast<unsigned char>(one[0]);
  if (one.size() == 1) return first < 0x20 || first == 0x7f;
  const auto second = static_cast<unsigned char>(one[1]);
  if (one.size() == 2) return first == 0xc2 && second < 0xa0;  // C1
  const auto third = static_cast<unsigned char>(one[2]);
  // Direction marks and line separators can disguise text: U+2028..202E and U+2066..2069.
  return one.size() == 3 && first == 0xe2 &&
         ((second == 0x80 && third >= 0xa8 && third <= 0xae) || (second == 0x81 && third >= 0xa6 && third <= 0xa9));
}

std::string_view prefix(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return "debug: ";
    case LogLevel::kWarn: return "warning: ";
    case LogLevel::kError: return "error: ";
    default: return "";
  }
}

std::size_t columns(int fd) {
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1U : 79U;
}

}  // namespace

bool stderr_is_terminal() { return ::isatty(STDERR_FILENO) == 1; }

Result<LogLevel> parse_log_level(std::string_view text) {
  if (text == "debug") return LogLevel::kDebug;
  if (text == "info") return LogLevel::kInfo;
  if (text == "warn") return LogLevel::kWarn;
  if (text == "error") return LogLevel::kError;
  return fail(ErrorCode::kInvalid,
              fmt::format("'{}' is no log level; choose debug, info, warn or error", escape_line(text, 40)));
}

std::string escape_line(std::string_view text, std::size_t limit) {
  std::string out;
  out.reserve(std::min(text.size(), limit));
  while (!text.empty()) {
    const std::size_t n = utf8_length(text);
    std::string piece(text.substr(0, n == 0 ? 1 : n));
    if (n == 0 || is_control(piece)) {
      std::string escaped;
      for (const char c : piece) {
        escaped += c == '\n' ? "\\n" : c == '\t' ? "\\t" : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      }
      piece = std::move(escaped);
    }
    if (out.size() + piece.size() > limit) return out + "...";
    out += piece;
    text.remove_prefix(n == 0 ? 1 : n);
  }
  return out;
}

StderrLog::StderrLog(LogLevel least) : StderrLog(least, STDERR_FILENO, stderr_is_terminal()) {}
StderrLog::StderrLog(LogLevel least, int fd, bool terminal) : least_(least), fd_(fd), terminal_(terminal) {}
StderrLog::~StderrLog() {
  if (!status_.empty()) write(kWipe);
}

// One write a line, so that lines of several processes on one terminal do not mix.
void StderrLog::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd_, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // there is no reader; the failure cannot be reported
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

void StderrLog::line(LogLevel level, const std::string& text) {
  if (level < least_) return;
  const std::string safe = escape_line(text);
  const std::lock_guard lock(mutex_);
  write(fmt::format("{}convoy: {}{}\n{}", status_.empty() ? "" : kWipe, prefix(level), safe, status_));
}

void StderrLog::status(const std::string& text, Moment now) {
  const std::lock_guard lock(mutex_);
  if (!terminal_) {
    if (!std::exchange(any_status_, true)) last_status_ = now;
    if (text.empty() || now - last_status_ < kPlainStatusEvery || least_ > LogLevel::kInfo) return;
    last_status_ = now;
    return write(fmt::format("convoy: {}\n", escape_line(text)));
  }
  if (!text.empty() && any_status_ && now - last_status_ < kRedrawEvery) return;
  any_status_ = true;
  last_status_ = now;
  std::string next = escape_line(text, columns(fd_) > 4 ? columns(fd_) - 3 : 1);
  if (next == status_) return;
  write(fmt::format("{}{}", kWipe, next));
  status_ = std::move(next);
}

}  // namespace convoy::os
