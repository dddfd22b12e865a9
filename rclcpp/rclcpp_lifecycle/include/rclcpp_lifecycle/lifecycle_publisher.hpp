// A publisher that drops what is published while its node is not active.
#pragma once

#include "rclcpp/logging.hpp"
#include "rclcpp/publisher.hpp"
#include "rclcpp_lifecycle/managed_entity.hpp"

namespace rclcpp_lifecycle {

template <class Message, class Allocator = std::allocator<void>>
class LifecyclePublisher : public SimpleManagedEntity, public rclcpp::Publisher<Message, Allocator> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(LifecyclePublisher)
  using Base = rclcpp::Publisher<Message, Allocator>;
  using Base::Base;

  void publish(std::unique_ptr<Message> message) {
    if (may_publish()) Base::publish(std::move(message));
  }
  void publish(const Message& message) {
    if (may_publish()) Base::publish(message);
  }
  void publish(rclcpp::LoanedMessage<Message, Allocator>&& message) {
    if (may_publish()) Base::publish(std::move(message));
  }
  void on_activate() override {
    SimpleManagedEntity::on_activate();
    warned_ = false;
  }

 private:
  // One warning for each time that it is inactive.
  bool may_publish() {
    if (is_activated()) return true;
    if (!std::exchange(warned_, true))
      RCLCPP_WARN(rclcpp::get_logger("LifecyclePublisher"),
                  "Trying to publish message on the topic '%s', but the publisher is not activated", this->get_topic_name());
    return false;
  }
  bool warned_ = false;
};

}  // namespace rclcpp_lifecycle
