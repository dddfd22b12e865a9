// A message with the time at which it came.
#pragma once

#include <memory>

#include "rclcpp/time.hpp"

namespace message_filters {

template <class M>
class MessageEvent {
 public:
  using Message = std::remove_const_t<M>;
  using ConstMessagePtr = std::shared_ptr<const Message>;
  MessageEvent() = default;
  MessageEvent(ConstMessagePtr message) : message_(std::move(message)) {}  // NOLINT: implicit, as there
  MessageEvent(ConstMessagePtr message, rclcpp::Time received) : message_(std::move(message)), received_(received) {}
  const ConstMessagePtr& getConstMessage() const { return message_; }
  const ConstMessagePtr& getMessage() const { return message_; }
  rclcpp::Time getReceiptTime() const { return received_; }

 private:
  ConstMessagePtr message_;
  rclcpp::Time received_;
};

}  // namespace message_filters
