// RCLCPP_INFO and its kin: every level in every variant.
//
//   RCLCPP_INFO(get_logger(), "%d scans", count);
//   RCLCPP_WARN_STREAM_THROTTLE(get_logger(), *get_clock(), 1000, "late by " << seconds << " s");
#pragma once

#include <sstream>

#include "rclcpp/clock.hpp"
#include "rclcpp/logger.hpp"

namespace rclcpp::detail {

bool log_enabled(const Logger& logger, int severity);
void log_text(const Logger& logger, int severity, const std::string& text);
__attribute__((format(printf, 3, 4))) void log_format(const Logger& logger, int severity, const char* format, ...);

// True for the first call, then for each that comes `ms` or more after the last true one; `last` is -1 at first.
bool throttle(const Clock& clock, std::int64_t ms, std::int64_t& last);

}  // namespace rclcpp::detail

#define RCLCPP_DETAIL_LOG(severity, condition, logger, ...)                    \
  do {                                                                         \
    const ::rclcpp::Logger rclcpp_logger = (logger);                           \
    if (::rclcpp::detail::log_enabled(rclcpp_logger, severity) && (condition)) \
      ::rclcpp::detail::log_format(rclcpp_logger, severity, __VA_ARGS__);      \
  } while (false)
#define RCLCPP_DETAIL_STREAM(severity, condition, logger, stream)                \
  do {                                                                           \
    const ::rclcpp::Logger rclcpp_logger = (logger);                             \
    if (::rclcpp::detail::log_enabled(rclcpp_logger, severity) && (condition)) { \
      std::ostringstream rclcpp_text;                                            \
      rclcpp_text << stream;                                                     \
      ::rclcpp::detail::log_text(rclcpp_logger, severity, rclcpp_text.str());    \
    }                                                                            \
  } while (false)

// Each place in the code has a state of its own.
#define RCLCPP_DETAIL_ONCE                      \
  ([] {                                         \
    static bool rclcpp_before = false;          \
    return !std::exchange(rclcpp_before, true); \
  }())
#define RCLCPP_DETAIL_AFTER_FIRST              \
  ([] {                                        \
    static bool rclcpp_before = false;         \
    return std::exchange(rclcpp_before, true); \
  }())
#define RCLCPP_DETAIL_THROTTLE(clock, ms)                      \
  ([&] {                                                       \
    static std::int64_t rclcpp_last = -1;                      \
    return ::rclcpp::detail::throttle(clock, ms, rclcpp_last); \
  }())
// The first one is due, and passed over.
#define RCLCPP_DETAIL_AFTER_FIRST_THROTTLE(clock, ms)                                                \
  ([&] {                                                                                             \
    static std::int64_t rclcpp_last = -1;                                                            \
    static bool rclcpp_before = false;                                                               \
    return ::rclcpp::detail::throttle(clock, ms, rclcpp_last) && std::exchange(rclcpp_before, true); \
  }())

#define RCLCPP_DEBUG(logger, ...) RCLCPP_DETAIL_LOG(10, true, logger, __VA_ARGS__)
#define RCLCPP_DEBUG_ONCE(logger, ...) RCLCPP_DETAIL_LOG(10, RCLCPP_DETAIL_ONCE, logger, __VA_ARGS__)
#define RCLCPP_DEBUG_EXPRESSION(logger, expression, ...) RCLCPP_DETAIL_LOG(10, (expression), logger, __VA_ARGS__)
#define RCLCPP_DEBUG_FUNCTION(logger, function, ...) RCLCPP_DETAIL_LOG(10, (function)(), logger, __VA_ARGS__)
#define RCLCPP_DEBUG_SKIPFIRST(logger, ...) RCLCPP_DETAIL_LOG(10, RCLCPP_DETAIL_AFTER_FIRST, logger, __VA_ARGS__)
#define RCLCPP_DEBUG_THROTTLE(logger, clock, ms, ...) \
  RCLCPP_DETAIL_LOG(10, RCLCPP_DETAIL_THROTTLE(clock, ms), logger, __VA_ARGS__)
#define RCLCPP_DEBUG_SKIPFIRST_THROTTLE(logger, clock, ms, ...) \
  RCLCPP_DETAIL_LOG(10, RCLCPP_DETAIL_AFTER_FIRST_THROTTLE(clock, ms), logger, __VA_ARGS__)
#define RCLCPP_DEBUG_STREAM(logger, ...) RCLCPP_DETAIL_STREAM(10, true, logger, __VA_ARGS__)
#define RCLCPP_DEBUG_STREAM_ONCE(logger, ...) RCLCPP_DETAIL_STREAM(10, RCLCPP_DETAIL_ONCE, logger, __VA_ARGS__)
#define RCLCPP_DEBUG_STREAM_EXPRESSION(logger, expression, ...) \
  RCLCPP_DETAIL_STREAM(10, (expression), logger, __VA_ARGS__)
#define RCLCPP_DEBUG_STREAM_FUNCTION(logger, function, ...) RCLCPP_DETAIL_STREAM(10, (function)(), logger, __VA_ARGS__)
#define RCLCPP_DEBUG_STREAM_SKIPFIRST(logger, ...) \
  RCLCPP_DETAIL_STREAM(10, RCLCPP_DETAIL_AFTER_FIRST, logger, __VA_ARGS__)
#define RCLCPP_DEBUG_STREAM_THROTTLE(logger, clock, ms, ...) \
  RCLCPP_DETAIL_STREAM(10, RCLCPP_DETAIL_THROTTLE(clock, ms), logger, __VA_ARGS__)
#define RCLCPP_DEBUG_STREAM_SKIPFIRST_THROTTLE(logger, clock, ms, ...) \
  RCLCPP_DETAIL_STREAM(10, RCLCPP_DETAIL_AFTER_FIRST_THROTTLE(clock, ms), logger, __VA_ARGS__)

#define RCLCPP_INFO(logger, ...) RCLCPP_DETAIL_LOG(20, true, logger, __VA_ARGS__)
#define RCLCPP_INFO_ONCE(logger, ...) RCLCPP_DETAIL_LOG(20, RCLCPP_DETAIL_ONCE, logger, __VA_ARGS__)
#define RCLCPP_INFO_EXPRESSION(logger, expression, ...) RCLCPP_DETAIL_LOG(20, (expression), logger, __VA_ARGS__)
#define RCLCPP_INFO_FUNCTION(logger, function, ...) RCLCPP_DETAIL_LOG(20, (function)(), logger, __VA_ARGS__)
#define RCLCPP_INFO_SKIPFIRST(logger, ...) RCLCPP_DETAIL_LOG(20, RCLCPP_DETAIL_AFTER_FIRST, logger, __VA_ARGS__)
#define RCLCPP_INFO_THROTTLE(logger, clock, ms, ...) \
  RCLCPP_DETAIL_LOG(20, RCLCPP_DETAIL_THROTTLE(clock, ms), logger, __VA_ARGS__)
#define RCLCPP_INFO_SKIPFIRST_THROTTLE(logger, clock, ms, ...) \
  RCLCPP_DETAIL_LOG(20, RCLCPP_DETAIL_AFTER_FIRST_THROTTLE(clock, ms), logger, __VA_ARGS__)
#define RCLCPP_INFO_STREAM(logger, ...) RCLCPP_DETAIL_STREAM(20, true, logger, __VA_ARGS__)
#define RCLCPP_INFO_STREAM_ONCE(logger, ...) RCLCPP_DETAIL_STREAM(20, RCLCPP_DETAIL_ONCE, logger, __VA_ARGS__)
#define RCLCPP_INFO_STREAM_EXPRESSION(logger, expression, ...) \
  RCLCPP_DETAIL_STREAM(20, (expression), logger, __VA_ARGS__)
#define RCLCPP_INFO_STREAM_FUNCTION(logger, function, ...) RCLCPP_DETAIL_STREAM(20, (function)(), logger, __VA_ARGS__)
#define RCLCPP_INFO_STREAM_SKIPFIRST(logger, ...) \
  RCLCPP_DETAIL_STREAM(20, RCLCPP_DETAIL_AFTER_FIRST, logger, __VA_ARGS__)
#define RCLCPP_INFO_STREAM_THROTTLE(logger, clock, ms, ...) \
  RCLCPP_DETAIL_STREAM(20, RCLCPP_DETAIL_THROTTLE(clock, ms), logger, __VA_ARGS__)
#define RCLCPP_INFO_STREAM_SKIPFIRST_THROTTLE(logger, clock, ms, ...) \
  RCLCPP_DETAIL_STREAM(20, RCLCPP_DETAIL_AFTER_FIRST_THROTTLE(clock, ms), logger, __VA_ARGS__)

#define RCLCPP_WARN(logger, ...) RCLCPP_DETAIL_LOG(30, true, logger, __VA_ARGS__)
#define RCLCPP_WARN_ONCE(logger, ...) RCLCPP_DETAIL_LOG(30, RCLCPP_DETAIL_ONCE, logger, __VA_ARGS__)
#define RCLCPP_WARN_EXPRESSION(logger, expression, ...) RCLCPP_DETAIL_LOG(30, (expression), logger, __VA_ARGS__)
#define RCLCPP_WARN_FUNCTION(logger, function, ...) RCLCPP_DETAIL_LOG(30, (function)(), logger, __VA_ARGS__)
#define RCLCPP_WARN_SKIPFIRST(logger, ...) RCLCPP_DETAIL_LOG(30, RCLCPP_DETAIL_AFTER_FIRST, logger, __VA_ARGS__)
#define RCLCPP_WARN_THROTTLE(logger, clock, ms, ...) \
  RCLCPP_DETAIL_LOG(30, RCLCPP_DETAIL_THROTTLE(clock, ms), logger, __VA_ARGS__)
#define RCLCPP_WARN_SKIPFIRST_THROTTLE(logger, clock, ms, ...) \
  RCLCPP_DETAIL_LOG(30, RCLCPP_DETAIL_AFTER_FIRST_THROTTLE(clock, ms), logger, __VA_ARGS__)
#define RCLCPP_WARN_STREAM(logger, ...) RCLCPP_DETAIL_STREAM(30, true, logger, __VA_ARGS__)
#define RCLCPP_WARN_STREAM_ONCE(logger, ...) RCLCPP_DETAIL_STREAM(30, RCLCPP_DETAIL_ONCE, logger, __VA_ARGS__)
#define RCLCPP_WARN_STREAM_EXPRESSION(logger, expression, ...) \
  RCLCPP_DETAIL_STREAM(30, (expression), logger, __VA_ARGS__)
#define RCLCPP_WARN_STREAM_FUNCTION(logger, function, ...) RCLCPP_DETAIL_STREAM(30, (function)(), logger, __VA_ARGS__)
#define RCLCPP_WARN_STREAM_SKIPFIRST(logger, ...) \
  RCLCPP_DETAIL_STREAM(30, RCLCPP_DETAIL_AFTER_FIRST, logger, __VA_ARGS__)
#define RCLCPP_WARN_STREAM_THROTTLE(logger, clock, ms, ...) \
  RCLCPP_DETAIL_STREAM(30, RCLCPP_DETAIL_THROTTLE(clock, ms), logger, __VA_ARGS__)
#define RCLCPP_WARN_STREAM_SKIPFIRST_THROTTLE(logger, clock, ms, ...) \
  RCLCPP_DETAIL_STREAM(30, RCLCPP_DETAIL_AFTER_FIRST_THROTTLE(clock, ms), logger, __VA_ARGS__)

#define RCLCPP_ERROR(logger, ...) RCLCPP_DETAIL_LOG(40, true, logger, __VA_ARGS__)
#define RCLCPP_ERROR_ONCE(logger, ...) RCLCPP_DETAIL_LOG(40, RCLCPP_DETAIL_ONCE, logger, __VA_ARGS__)
#define RCLCPP_ERROR_EXPRESSION(logger, expression, ...) RCLCPP_DETAIL_LOG(40, (expression), logger, __VA_ARGS__)
#define RCLCPP_ERROR_FUNCTION(logger, function, ...) RCLCPP_DETAIL_LOG(40, (function)(), logger, __VA_ARGS__)
#define RCLCPP_ERROR_SKIPFIRST(logger, ...) RCLCPP_DETAIL_LOG(40, RCLCPP_DETAIL_AFTER_FIRST, logger, __VA_ARGS__)
#define RCLCPP_ERROR_THROTTLE(logger, clock, ms, ...) \
  RCLCPP_DETAIL_LOG(40, RCLCPP_DETAIL_THROTTLE(clock, ms), logger, __VA_ARGS__)
#define RCLCPP_ERROR_SKIPFIRST_THROTTLE(logger, clock, ms, ...) \
  RCLCPP_DETAIL_LOG(40, RCLCPP_DETAIL_AFTER_FIRST_THROTTLE(clock, ms), logger, __VA_ARGS__)
#define RCLCPP_ERROR_STREAM(logger, ...) RCLCPP_DETAIL_STREAM(40, true, logger, __VA_ARGS__)
#define RCLCPP_ERROR_STREAM_ONCE(logger, ...) RCLCPP_DETAIL_STREAM(40, RCLCPP_DETAIL_ONCE, logger, __VA_ARGS__)
#define RCLCPP_ERROR_STREAM_EXPRESSION(logger, expression, ...) \
  RCLCPP_DETAIL_STREAM(40, (expression), logger, __VA_ARGS__)
#define RCLCPP_ERROR_STREAM_FUNCTION(logger, function, ...) RCLCPP_DETAIL_STREAM(40, (function)(), logger, __VA_ARGS__)
#define RCLCPP_ERROR_STREAM_SKIPFIRST(logger, ...) \
  RCLCPP_DETAIL_STREAM(40, RCLCPP_DETAIL_AFTER_FIRST, logger, __VA_ARGS__)
#define RCLCPP_ERROR_STREAM_THROTTLE(logger, clock, ms, ...) \
  RCLCPP_DETAIL_STREAM(40, RCLCPP_DETAIL_THROTTLE(clock, ms), logger, __VA_ARGS__)
#define RCLCPP_ERROR_STREAM_SKIPFIRST_THROTTLE(logger, clock, ms, ...) \
  RCLCPP_DETAIL_STREAM(40, RCLCPP_DETAIL_AFTER_FIRST_THROTTLE(clock, ms), logger, __VA_ARGS__)

#define RCLCPP_FATAL(logger, ...) RCLCPP_DETAIL_LOG(50, true, logger, __VA_ARGS__)
#define RCLCPP_FATAL_ONCE(logger, ...) RCLCPP_DETAIL_LOG(50, RCLCPP_DETAIL_ONCE, logger, __VA_ARGS__)
#define RCLCPP_FATAL_EXPRESSION(logger, expression, ...) RCLCPP_DETAIL_LOG(50, (expression), logger, __VA_ARGS__)
#define RCLCPP_FATAL_FUNCTION(logger, function, ...) RCLCPP_DETAIL_LOG(50, (function)(), logger, __VA_ARGS__)
#define RCLCPP_FATAL_SKIPFIRST(logger, ...) RCLCPP_DETAIL_LOG(50, RCLCPP_DETAIL_AFTER_FIRST, logger, __VA_ARGS__)
#define RCLCPP_FATAL_THROTTLE(logger, clock, ms, ...) \
  RCLCPP_DETAIL_LOG(50, RCLCPP_DETAIL_THROTTLE(clock, ms), logger, __VA_ARGS__)
#define RCLCPP_FATAL_SKIPFIRST_THROTTLE(logger, clock, ms, ...) \
  RCLCPP_DETAIL_LOG(50, RCLCPP_DETAIL_AFTER_FIRST_THROTTLE(clock, ms), logger, __VA_ARGS__)
#define RCLCPP_FATAL_STREAM(logger, ...) RCLCPP_DETAIL_STREAM(50, true, logger, __VA_ARGS__)
#define RCLCPP_FATAL_STREAM_ONCE(logger, ...) RCLCPP_DETAIL_STREAM(50, RCLCPP_DETAIL_ONCE, logger, __VA_ARGS__)
#define RCLCPP_FATAL_STREAM_EXPRESSION(logger, expression, ...) \
  RCLCPP_DETAIL_STREAM(50, (expression), logger, __VA_ARGS__)
#define RCLCPP_FATAL_STREAM_FUNCTION(logger, function, ...) RCLCPP_DETAIL_STREAM(50, (function)(), logger, __VA_ARGS__)
#define RCLCPP_FATAL_STREAM_SKIPFIRST(logger, ...) \
  RCLCPP_DETAIL_STREAM(50, RCLCPP_DETAIL_AFTER_FIRST, logger, __VA_ARGS__)
#define RCLCPP_FATAL_STREAM_THROTTLE(logger, clock, ms, ...) \
  RCLCPP_DETAIL_STREAM(50, RCLCPP_DETAIL_THROTTLE(clock, ms), logger, __VA_ARGS__)
#define RCLCPP_FATAL_STREAM_SKIPFIRST_THROTTLE(logger, clock, ms, ...) \
  RCLCPP_DETAIL_STREAM(50, RCLCPP_DETAIL_AFTER_FIRST_THROTTLE(clock, ms), logger, __VA_ARGS__)
