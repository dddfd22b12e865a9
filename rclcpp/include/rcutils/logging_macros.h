// RCUTILS_LOG_INFO and its kin, in C++: lines of a logger of that name, like RCLCPP_INFO's. They carry simulated time and
// are on /rosout while somebody hears it. What _THROTTLE measures is simulated time, whichever clock it is given.
//
//   RCUTILS_LOG_WARN_NAMED("planner", "%d of %d", done, all);
//
// C gets rcutils' own.
#ifndef __cplusplus
#include_next <rcutils/logging_macros.h>
#elif !defined(RCUTILS__LOGGING_MACROS_H_)
#define RCUTILS__LOGGING_MACROS_H_  // NOLINT: rcutils' own one must not follow

#include "rclcpp/logging.hpp"

#define RCUTILS_LOG_DEBUG(...) RCUTILS_LOG_DEBUG_NAMED("", __VA_ARGS__)
#define RCUTILS_LOG_DEBUG_NAMED(name, ...) RCLCPP_DETAIL_LOG(10, true, ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_DEBUG_ONCE(...) RCUTILS_LOG_DEBUG_ONCE_NAMED("", __VA_ARGS__)
#define RCUTILS_LOG_DEBUG_ONCE_NAMED(name, ...) \
  RCLCPP_DETAIL_LOG(10, RCLCPP_DETAIL_ONCE, ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_DEBUG_EXPRESSION(expression, ...) RCUTILS_LOG_DEBUG_EXPRESSION_NAMED(expression, "", __VA_ARGS__)
#define RCUTILS_LOG_DEBUG_EXPRESSION_NAMED(expression, name, ...) \
  RCLCPP_DETAIL_LOG(10, (expression), ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_DEBUG_FUNCTION(function, ...) RCUTILS_LOG_DEBUG_FUNCTION_NAMED(function, "", __VA_ARGS__)
#define RCUTILS_LOG_DEBUG_FUNCTION_NAMED(function, name, ...) \
  RCLCPP_DETAIL_LOG(10, (function)(), ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_DEBUG_SKIPFIRST(...) RCUTILS_LOG_DEBUG_SKIPFIRST_NAMED("", __VA_ARGS__)
#define RCUTILS_LOG_DEBUG_SKIPFIRST_NAMED(name, ...) \
  RCLCPP_DETAIL_LOG(10, RCLCPP_DETAIL_AFTER_FIRST, ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_DEBUG_THROTTLE(clock, ms, ...) RCUTILS_LOG_DEBUG_THROTTLE_NAMED(clock, ms, "", __VA_ARGS__)
#define RCUTILS_LOG_DEBUG_THROTTLE_NAMED(clock, ms, name, ...) \
  RCLCPP_DETAIL_LOG(10, RCLCPP_DETAIL_THROTTLE(::rclcpp::Clock(), ms), ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_DEBUG_SKIPFIRST_THROTTLE(clock, ms, ...) \
  RCUTILS_LOG_DEBUG_SKIPFIRST_THROTTLE_NAMED(clock, ms, "", __VA_ARGS__)
#define RCUTILS_LOG_DEBUG_SKIPFIRST_THROTTLE_NAMED(clock, ms, name, ...)                                       \
  RCLCPP_DETAIL_LOG(10, RCLCPP_DETAIL_AFTER_FIRST_THROTTLE(::rclcpp::Clock(), ms), ::rclcpp::get_logger(name), \
                    __VA_ARGS__)

#define RCUTILS_LOG_INFO(...) RCUTILS_LOG_INFO_NAMED("", __VA_ARGS__)
#define RCUTILS_LOG_INFO_NAMED(name, ...) RCLCPP_DETAIL_LOG(20, true, ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_INFO_ONCE(...) RCUTILS_LOG_INFO_ONCE_NAMED("", __VA_ARGS__)
#define RCUTILS_LOG_INFO_ONCE_NAMED(name, ...) \
  RCLCPP_DETAIL_LOG(20, RCLCPP_DETAIL_ONCE, ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_INFO_EXPRESSION(expression, ...) RCUTILS_LOG_INFO_EXPRESSION_NAMED(expression, "", __VA_ARGS__)
#define RCUTILS_LOG_INFO_EXPRESSION_NAMED(expression, name, ...) \
  RCLCPP_DETAIL_LOG(20, (expression), ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_INFO_FUNCTION(function, ...) RCUTILS_LOG_INFO_FUNCTION_NAMED(function, "", __VA_ARGS__)
#define RCUTILS_LOG_INFO_FUNCTION_NAMED(function, name, ...) \
  RCLCPP_DETAIL_LOG(20, (function)(), ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_INFO_SKIPFIRST(...) RCUTILS_LOG_INFO_SKIPFIRST_NAMED("", __VA_ARGS__)
#define RCUTILS_LOG_INFO_SKIPFIRST_NAMED(name, ...) \
  RCLCPP_DETAIL_LOG(20, RCLCPP_DETAIL_AFTER_FIRST, ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_INFO_THROTTLE(clock, ms, ...) RCUTILS_LOG_INFO_THROTTLE_NAMED(clock, ms, "", __VA_ARGS__)
#define RCUTILS_LOG_INFO_THROTTLE_NAMED(clock, ms, name, ...) \
  RCLCPP_DETAIL_LOG(20, RCLCPP_DETAIL_THROTTLE(::rclcpp::Clock(), ms), ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_INFO_SKIPFIRST_THROTTLE(clock, ms, ...) \
  RCUTILS_LOG_INFO_SKIPFIRST_THROTTLE_NAMED(clock, ms, "", __VA_ARGS__)
#define RCUTILS_LOG_INFO_SKIPFIRST_THROTTLE_NAMED(clock, ms, name, ...)                                        \
  RCLCPP_DETAIL_LOG(20, RCLCPP_DETAIL_AFTER_FIRST_THROTTLE(::rclcpp::Clock(), ms), ::rclcpp::get_logger(name), \
                    __VA_ARGS__)

#define RCUTILS_LOG_WARN(...) RCUTILS_LOG_WARN_NAMED("", __VA_ARGS__)
#define RCUTILS_LOG_WARN_NAMED(name, ...) RCLCPP_DETAIL_LOG(30, true, ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_WARN_ONCE(...) RCUTILS_LOG_WARN_ONCE_NAMED("", __VA_ARGS__)
#define RCUTILS_LOG_WARN_ONCE_NAMED(name, ...) \
  RCLCPP_DETAIL_LOG(30, RCLCPP_DETAIL_ONCE, ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_WARN_EXPRESSION(expression, ...) RCUTILS_LOG_WARN_EXPRESSION_NAMED(expression, "", __VA_ARGS__)
#define RCUTILS_LOG_WARN_EXPRESSION_NAMED(expression, name, ...) \
  RCLCPP_DETAIL_LOG(30, (expression), ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_WARN_FUNCTION(function, ...) RCUTILS_LOG_WARN_FUNCTION_NAMED(function, "", __VA_ARGS__)
#define RCUTILS_LOG_WARN_FUNCTION_NAMED(function, name, ...) \
  RCLCPP_DETAIL_LOG(30, (function)(), ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_WARN_SKIPFIRST(...) RCUTILS_LOG_WARN_SKIPFIRST_NAMED("", __VA_ARGS__)
#define RCUTILS_LOG_WARN_SKIPFIRST_NAMED(name, ...) \
  RCLCPP_DETAIL_LOG(30, RCLCPP_DETAIL_AFTER_FIRST, ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_WARN_THROTTLE(clock, ms, ...) RCUTILS_LOG_WARN_THROTTLE_NAMED(clock, ms, "", __VA_ARGS__)
#define RCUTILS_LOG_WARN_THROTTLE_NAMED(clock, ms, name, ...) \
  RCLCPP_DETAIL_LOG(30, RCLCPP_DETAIL_THROTTLE(::rclcpp::Clock(), ms), ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_WARN_SKIPFIRST_THROTTLE(clock, ms, ...) \
  RCUTILS_LOG_WARN_SKIPFIRST_THROTTLE_NAMED(clock, ms, "", __VA_ARGS__)
#define RCUTILS_LOG_WARN_SKIPFIRST_THROTTLE_NAMED(clock, ms, name, ...)                                        \
  RCLCPP_DETAIL_LOG(30, RCLCPP_DETAIL_AFTER_FIRST_THROTTLE(::rclcpp::Clock(), ms), ::rclcpp::get_logger(name), \
                    __VA_ARGS__)

#define RCUTILS_LOG_ERROR(...) RCUTILS_LOG_ERROR_NAMED("", __VA_ARGS__)
#define RCUTILS_LOG_ERROR_NAMED(name, ...) RCLCPP_DETAIL_LOG(40, true, ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_ERROR_ONCE(...) RCUTILS_LOG_ERROR_ONCE_NAMED("", __VA_ARGS__)
#define RCUTILS_LOG_ERROR_ONCE_NAMED(name, ...) \
  RCLCPP_DETAIL_LOG(40, RCLCPP_DETAIL_ONCE, ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_ERROR_EXPRESSION(expression, ...) RCUTILS_LOG_ERROR_EXPRESSION_NAMED(expression, "", __VA_ARGS__)
#define RCUTILS_LOG_ERROR_EXPRESSION_NAMED(expression, name, ...) \
  RCLCPP_DETAIL_LOG(40, (expression), ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_ERROR_FUNCTION(function, ...) RCUTILS_LOG_ERROR_FUNCTION_NAMED(function, "", __VA_ARGS__)
#define RCUTILS_LOG_ERROR_FUNCTION_NAMED(function, name, ...) \
  RCLCPP_DETAIL_LOG(40, (function)(), ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_ERROR_SKIPFIRST(...) RCUTILS_LOG_ERROR_SKIPFIRST_NAMED("", __VA_ARGS__)
#define RCUTILS_LOG_ERROR_SKIPFIRST_NAMED(name, ...) \
  RCLCPP_DETAIL_LOG(40, RCLCPP_DETAIL_AFTER_FIRST, ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_ERROR_THROTTLE(clock, ms, ...) RCUTILS_LOG_ERROR_THROTTLE_NAMED(clock, ms, "", __VA_ARGS__)
#define RCUTILS_LOG_ERROR_THROTTLE_NAMED(clock, ms, name, ...) \
  RCLCPP_DETAIL_LOG(40, RCLCPP_DETAIL_THROTTLE(::rclcpp::Clock(), ms), ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_ERROR_SKIPFIRST_THROTTLE(clock, ms, ...) \
  RCUTILS_LOG_ERROR_SKIPFIRST_THROTTLE_NAMED(clock, ms, "", __VA_ARGS__)
#define RCUTILS_LOG_ERROR_SKIPFIRST_THROTTLE_NAMED(clock, ms, name, ...)                                       \
  RCLCPP_DETAIL_LOG(40, RCLCPP_DETAIL_AFTER_FIRST_THROTTLE(::rclcpp::Clock(), ms), ::rclcpp::get_logger(name), \
                    __VA_ARGS__)

#define RCUTILS_LOG_FATAL(...) RCUTILS_LOG_FATAL_NAMED("", __VA_ARGS__)
#define RCUTILS_LOG_FATAL_NAMED(name, ...) RCLCPP_DETAIL_LOG(50, true, ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_FATAL_ONCE(...) RCUTILS_LOG_FATAL_ONCE_NAMED("", __VA_ARGS__)
#define RCUTILS_LOG_FATAL_ONCE_NAMED(name, ...) \
  RCLCPP_DETAIL_LOG(50, RCLCPP_DETAIL_ONCE, ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_FATAL_EXPRESSION(expression, ...) RCUTILS_LOG_FATAL_EXPRESSION_NAMED(expression, "", __VA_ARGS__)
#define RCUTILS_LOG_FATAL_EXPRESSION_NAMED(expression, name, ...) \
  RCLCPP_DETAIL_LOG(50, (expression), ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_FATAL_FUNCTION(function, ...) RCUTILS_LOG_FATAL_FUNCTION_NAMED(function, "", __VA_ARGS__)
#define RCUTILS_LOG_FATAL_FUNCTION_NAMED(function, name, ...) \
  RCLCPP_DETAIL_LOG(50, (function)(), ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_FATAL_SKIPFIRST(...) RCUTILS_LOG_FATAL_SKIPFIRST_NAMED("", __VA_ARGS__)
#define RCUTILS_LOG_FATAL_SKIPFIRST_NAMED(name, ...) \
  RCLCPP_DETAIL_LOG(50, RCLCPP_DETAIL_AFTER_FIRST, ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_FATAL_THROTTLE(clock, ms, ...) RCUTILS_LOG_FATAL_THROTTLE_NAMED(clock, ms, "", __VA_ARGS__)
#define RCUTILS_LOG_FATAL_THROTTLE_NAMED(clock, ms, name, ...) \
  RCLCPP_DETAIL_LOG(50, RCLCPP_DETAIL_THROTTLE(::rclcpp::Clock(), ms), ::rclcpp::get_logger(name), __VA_ARGS__)
#define RCUTILS_LOG_FATAL_SKIPFIRST_THROTTLE(clock, ms, ...) \
  RCUTILS_LOG_FATAL_SKIPFIRST_THROTTLE_NAMED(clock, ms, "", __VA_ARGS__)
#define RCUTILS_LOG_FATAL_SKIPFIRST_THROTTLE_NAMED(clock, ms, name, ...)                                       \
  RCLCPP_DETAIL_LOG(50, RCLCPP_DETAIL_AFTER_FIRST_THROTTLE(::rclcpp::Clock(), ms), ::rclcpp::get_logger(name), \
                    __VA_ARGS__)

#endif
