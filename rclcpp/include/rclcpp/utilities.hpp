// Start and end of a program or component.
#pragma once

#include <string>
#include <vector>

#include "rclcpp/context.hpp"
#include "rclcpp/duration.hpp"

namespace rclcpp {

enum class SignalHandlerOptions { All, SigInt, SigTerm, None };

// In a program with its own main(): makes the simulation that its nodes live in. In a component: nothing, it has one.
void init(int argc, char const* const* argv, const InitOptions& options = {},
          SignalHandlerOptions signals = SignalHandlerOptions::All);
std::vector<std::string> init_and_remove_ros_arguments(int argc, char const* const* argv,
                                                       const InitOptions& options = {});
std::vector<std::string> remove_ros_arguments(int argc, char const* const* argv);
bool ok(Context::SharedPtr context = nullptr);
bool shutdown(Context::SharedPtr context = nullptr, const std::string& reason = "user called rclcpp::shutdown()");
void on_shutdown(std::function<void()> callback, Context::SharedPtr context = nullptr);
// Suspends the caller for simulated time; false at the end.
bool sleep_for(const std::chrono::nanoseconds& duration, Context::SharedPtr context = nullptr);
inline bool install_signal_handlers(SignalHandlerOptions = SignalHandlerOptions::All) { return true; }
inline bool signal_handlers_installed() { return false; }
inline bool uninstall_signal_handlers() { return true; }

}  // namespace rclcpp
