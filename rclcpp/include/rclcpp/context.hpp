// rclcpp::Context: whether what it belongs to still runs. Each simulation is a context of its own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rclcpp/macros.hpp"

namespace convoy::ros {
class Simulation;
}

namespace rclcpp {

class InitOptions {
 public:
  bool shutdown_on_signal = true;
  void set_domain_id(std::size_t id) { domain_id_ = id; }
  std::size_t get_domain_id() const { return domain_id_; }
  InitOptions& auto_initialize_logging(bool) { return *this; }

 private:
  std::size_t domain_id_ = 0;
};

// What was asked to be called, so that it can be taken back.
class ShutdownCallbackHandle {
 public:
  using ShutdownCallbackType = std::function<void()>;

 private:
  friend class Context;
  std::weak_ptr<ShutdownCallbackType> callback_;
};
using OnShutdownCallbackHandle = ShutdownCallbackHandle;
using PreShutdownCallbackHandle = ShutdownCallbackHandle;

class Context : public std::enable_shared_from_this<Context> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(Context)
  using OnShutdownCallback = OnShutdownCallbackHandle::ShutdownCallbackType;
  using PreShutdownCallback = PreShutdownCallbackHandle::ShutdownCallbackType;
  // The simulation that is current when it is asked.
  bool is_valid() const;
  bool shutdown(const std::string& reason);
  std::string shutdown_reason() const { return reason_; }
  // Called in this order once, of shutdown: while ok() is true yet, and when it is no more.
  PreShutdownCallbackHandle add_pre_shutdown_callback(PreShutdownCallback callback);
  OnShutdownCallbackHandle add_on_shutdown_callback(OnShutdownCallback callback);
  OnShutdownCallback on_shutdown(OnShutdownCallback callback);
  // False: it is not there, or has been called.
  bool remove_pre_shutdown_callback(const PreShutdownCallbackHandle& handle);
  bool remove_on_shutdown_callback(const OnShutdownCallbackHandle& handle);
  std::vector<PreShutdownCallback> get_pre_shutdown_callbacks() const;
  std::vector<OnShutdownCallback> get_on_shutdown_callbacks() const;
  std::size_t get_domain_id() const { return 0; }

 private:
  std::string reason_;
};

namespace contexts {
Context::SharedPtr get_global_default_context();
}

}  // namespace rclcpp
