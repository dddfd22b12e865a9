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

class Context : public std::enable_shared_from_this<Context> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(Context)
  using OnShutdownCallback = std::function<void()>;
  // The simulation that is current when it is asked.
  bool is_valid() const;
  bool shutdown(const std::string& reason);
  std::string shutdown_reason() const { return reason_; }
  OnShutdownCallback on_shutdown(OnShutdownCallback callback);
  std::size_t get_domain_id() const { return 0; }

 private:
  std::string reason_;
};

namespace contexts {
Context::SharedPtr get_global_default_context();
}

}  // namespace rclcpp
