// A publisher that drops what is published while its node is not active.
#pragma once

#include "rclcpp/logging.hpp"
#include "rclcpp/publisher.hpp"
#include "rclcpp_lifecycle/managed_entity.hpp"

namespace rclcpp_lifecycle {

template <class MessageT, class Allocator = std::allocator<void>>
class LifecyclePublisher : public SimpleManagedEntity, public rclcpp::Publisher<MessageT, Allocator> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(LifecyclePublisher)
  using Base = rclcpp::Publisher<MessageT, Allocator>;
  using Message = typename Base::ROSMessageType;
  using Base::Base;

  void publish(std::unique_ptr<Message> message) {
    if (may_publish()) Base::publish(std::move(message));
  }
  void publish(const Message& message) {
    if (may_publish()) Base::publish(message);
  }
  void publish(const typename Base::PublishedType& own) requires rclcpp::detail::is_adapted<MessageT> {
    if (may_publish()) Base::publish(own);
  }
  void publish(std::unique_ptr<typename Base::PublishedType> own) requires rclcpp::detail::is_adapted<MessageT> {
    if (may_publish()) Base::publish(*own);
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
                  "Trying to publish message on the topic '%s', but the publisher is not activated",
                  this->get_topic_name());
    return false;
  }
  bool warned_ = false;
};

}  // namespace rclcpp_lifecycle
