// What becomes active and inactive with its node.
#pragma once

namespace rclcpp_lifecycle {

class ManagedEntityInterface {
 public:
  virtual ~ManagedEntityInterface() = default;
  virtual void on_activate() = 0;
  virtual void on_deactivate() = 0;
};

class SimpleManagedEntity : public ManagedEntityInterface {
 public:
  void on_activate() override { activated_ = true; }
  void on_deactivate() override { activated_ = false; }
  bool is_activated() const { return activated_; }

 private:
  bool activated_ = false;
};

}  // namespace rclcpp_lifecycle
