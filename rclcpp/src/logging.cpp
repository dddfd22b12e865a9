#include "rclcpp/logging.hpp"

#include <cstdarg>
#include <cstdio>
#include <vector>

#include "convoy_ros/simulation.hpp"

namespace rclcpp {
namespace {
convoy::ros::Simulation* simulation_of(const Logger& logger) {
  convoy::ros::in_order("logger", logger.get_name());
  return logger.simulation() ? logger.simulation() : convoy::ros::Simulation::current();
}
}  // namespace

Logger get_logger(const std::string& name) { return {name, nullptr}; }

void Logger::set_level(Level level) {
  if (auto* simulation = simulation_of(*this)) simulation->set_level(name_, static_cast<int>(level));
}
Logger::Level Logger::get_effective_level() const {
  const auto* simulation = simulation_of(*this);
  return simulation ? static_cast<Level>(simulation->level_of(name_)) : Level::Info;
}

namespace detail {

bool log_enabled(const Logger& logger, int severity) {
  return severity >= static_cast<int>(logger.get_effective_level());
}

void log_text(const Logger& logger, int severity, const std::string& text) {
  if (auto* simulation = simulation_of(logger)) simulation->log(severity, logger.get_name(), text);
  else convoy::ros::log_to_stderr({severity, {}, logger.get_name(), text});
}

void log_format(const Logger& logger, int severity, const char* format, ...) {
  std::va_list first, second;
  va_start(first, format);
  va_copy(second, first);
  const int length = std::vsnprintf(nullptr, 0, format, first);
  va_end(first);
  std::string text(length > 0 ? static_cast<std::size_t>(length) : 0, '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, second);
  va_end(second);
  log_text(logger, severity, text);
}

bool throttle(const Clock& clock, std::int64_t ms, std::int64_t& last) {
  const std::int64_t now = clock.now().nanoseconds();
  // Back in time: another simulation of the process, which is a new beginning.
  if (last >= 0 && now >= last && now - last < ms * 1'000'000) return false;
  last = now;
  return true;
}

}  // namespace detail
}  // namespace rclcpp
