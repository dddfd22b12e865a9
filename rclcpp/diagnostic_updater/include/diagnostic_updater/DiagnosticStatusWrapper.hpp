// A DiagnosticStatus that is easy to fill: its summary, and any number of keys with values.
#pragma once

#include <diagnostic_msgs/msg/diagnostic_status.hpp>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <sstream>
#include <string>

namespace diagnostic_updater {

namespace detail {
// Text of printf; cut at this many bytes, as in ROS 2.
inline constexpr std::size_t kMaxText = 1000;
inline std::string formatted(const char* format, std::va_list words) {
  char text[kMaxText];
  return std::vsnprintf(text, sizeof text, format, words) < 0 ? std::string() : std::string(text);
}
}  // namespace detail

class DiagnosticStatusWrapper : public diagnostic_msgs::msg::DiagnosticStatus {
 public:
  void summary(unsigned char level_is, const std::string& text) { level = level_is, message = text; }
  void summary(const diagnostic_msgs::msg::DiagnosticStatus& other) { summary(other.level, other.message); }
  __attribute__((format(printf, 3, 4))) void summaryf(unsigned char level_is, const char* format, ...) {
    std::va_list words;
    va_start(words, format);
    summary(level_is, detail::formatted(format, words));
    va_end(words);
  }
  void clearSummary() { summary(0, ""); }

  // The worse level counts. Texts of levels above OK are joined by "; ", and take the place of those of OK; of two that
  // are OK the first one's stays.
  void mergeSummary(unsigned char level_is, const std::string& text) {
    if (level_is > 0 && level > 0) message += (message.empty() ? "" : "; ") + text;
    else if (level_is > level) message = text;
    level = std::max(level, level_is);
  }
  void mergeSummary(const diagnostic_msgs::msg::DiagnosticStatus& other) { mergeSummary(other.level, other.message); }
  __attribute__((format(printf, 3, 4))) void mergeSummaryf(unsigned char level_is, const char* format, ...) {
    std::va_list words;
    va_start(words, format);
    mergeSummary(level_is, detail::formatted(format, words));
    va_end(words);
  }

  template <class T>
  void add(const std::string& key, const T& value) {
    std::ostringstream text;
    text << value;
    add(key, text.str());
  }
  void add(const std::string& key, const std::string& value) {
    diagnostic_msgs::msg::KeyValue pair;
    pair.key = key, pair.value = value;
    values.push_back(std::move(pair));
  }
  void add(const std::string& key, const bool& value) { add(key, std::string(value ? "True" : "False")); }
  __attribute__((format(printf, 3, 4))) void addf(const std::string& key, const char* format, ...) {
    std::va_list words;
    va_start(words, format);
    add(key, detail::formatted(format, words));
    va_end(words);
  }
  void clear() { values.clear(); }
};

}  // namespace diagnostic_updater
