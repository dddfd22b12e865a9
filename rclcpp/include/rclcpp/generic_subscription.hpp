// Subscriptions to messages whose type is known by name alone: callbacks take their bytes.
#pragma once

#include "rclcpp/subscription.hpp"

namespace rclcpp {

class GenericSubscription : public SubscriptionBase {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(GenericSubscription)
  using SubscriptionBase::SubscriptionBase;
  bool is_serialized() const override { return true; }
  std::shared_ptr<void> create_message() override { return create_serialized_message(); }

 protected:
  void assign(void* to, convoy::nodes::MessageValue& message) override {
    *static_cast<SerializedMessage*>(to) = *static_cast<const SerializedMessage*>(message.get());
  }
};

namespace detail {

// Callbacks have the shapes of any subscription's, with SerializedMessage as the message.
template <class Callback>
void deliver_bytes(Callback& callback, convoy::nodes::Delivery& d) {
  using Shape = CallbackShape<Callback, SerializedMessage>;
  const auto call = [&](auto&& message) {
    if constexpr (Shape::with_info) callback(std::forward<decltype(message)>(message), MessageInfo(d));
    else callback(std::forward<decltype(message)>(message));
  };
  const auto own = [&] {
    return std::unique_ptr<SerializedMessage>(static_cast<SerializedMessage*>(d.message.take()));
  };
  if constexpr (Shape::how == Takes::kConstRef) call(*static_cast<const SerializedMessage*>(d.message.get()));
  else if constexpr (Shape::how == Takes::kSharedConst)
    call(std::static_pointer_cast<const SerializedMessage>(d.message.share()));
  else if constexpr (Shape::how == Takes::kShared) call(std::shared_ptr<SerializedMessage>(own()));
  else call(own());
}

}  // namespace detail

}  // namespace rclcpp
