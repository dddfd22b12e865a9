// Subscriptions, and the shapes that their callbacks may have.
#pragma once

#include <functional>
#include <string>
#include <type_traits>

#include "convoy_ros/message_type.hpp"
#include "rcl/wait.h"
#include "rclcpp/message_info.hpp"
#include "rclcpp/publisher_options.hpp"
#include "rclcpp/serialized_message.hpp"
#include "rclcpp/type_adapter.hpp"

namespace rclcpp {

namespace detail {

// How a callback wants its message; with a MessageInfo behind it if only that fits (std::bind ignores what it gets too
// much of, so the shorter form is tried first). Of adapted types it may want either, and the own type is tried first.
enum class Takes { kConstRef, kSharedConst, kShared, kUnique, kSerializedShared, kSerializedRef, kNothing };

template <class Callback, class Message, class... Info>
constexpr Takes takes() {
  if constexpr (std::is_invocable_v<Callback&, const Message&, Info...>) return Takes::kConstRef;
  else if constexpr (std::is_invocable_v<Callback&, std::shared_ptr<const Message>, Info...>)
    return Takes::kSharedConst;
  else if constexpr (std::is_invocable_v<Callback&, std::shared_ptr<Message>, Info...>) return Takes::kShared;
  else if constexpr (std::is_invocable_v<Callback&, std::unique_ptr<Message>, Info...>) return Takes::kUnique;
  else if constexpr (std::is_invocable_v<Callback&, std::shared_ptr<SerializedMessage>, Info...>)
    return Takes::kSerializedShared;
  else if constexpr (std::is_invocable_v<Callback&, const SerializedMessage&, Info...>) return Takes::kSerializedRef;
  else return Takes::kNothing;
}

template <class Callback, class T>
struct ShapeFor {
  static constexpr Takes alone = takes<Callback, T>();
  static constexpr bool with_info = alone == Takes::kNothing;
  static constexpr Takes how = with_info ? takes<Callback, T, const MessageInfo&>() : alone;
  static constexpr bool fits = how != Takes::kNothing;
};

template <class Callback, class MessageT>
struct CallbackShape {
  static constexpr bool custom = is_adapted<MessageT> && ShapeFor<Callback, CustomType<MessageT>>::fits;
  using Taken = std::conditional_t<custom, CustomType<MessageT>, RosType<MessageT>>;
  static constexpr bool with_info = ShapeFor<Callback, Taken>::with_info;
  static constexpr Takes how = ShapeFor<Callback, Taken>::how;
  static_assert(how != Takes::kNothing,
                "a subscription's callback takes the message as const T&, as a shared_ptr, a "
                "unique_ptr or a SerializedMessage, and optionally a MessageInfo");
  static constexpr bool owns = !custom && (how == Takes::kUnique || how == Takes::kShared);
};

template <class MessageT, class Callback>
void deliver(Callback& callback, convoy::nodes::Delivery& d) {
  using Shape = CallbackShape<Callback, MessageT>;
  using Message = typename Shape::Taken;
  using Ros = RosType<MessageT>;
  const auto call = [&](auto&& message) {
    if constexpr (Shape::with_info) callback(std::forward<decltype(message)>(message), MessageInfo(d));
    else callback(std::forward<decltype(message)>(message));
  };
  const auto own = [&] {
    if constexpr (Shape::custom) {
      auto made = std::make_unique<Message>();
      TypeAdapter<MessageT>::convert_to_custom(*static_cast<const Ros*>(d.message.get()), *made);
      return made;
    } else {
      return std::unique_ptr<Message>(static_cast<Message*>(d.message.take()));
    }
  };
  const auto bytes = [&] {
    std::vector<std::uint8_t> cdr;
    convoy::ros::MessageTypeOf<Ros>::instance().append_bytes(d.message.get(), cdr);
    return std::make_shared<SerializedMessage>(std::move(cdr));
  };
  if constexpr (Shape::custom && Shape::how == Takes::kConstRef) call(*own());
  else if constexpr (Shape::custom && Shape::how == Takes::kSharedConst) call(std::shared_ptr<const Message>(own()));
  else if constexpr (Shape::how == Takes::kConstRef) call(*static_cast<const Message*>(d.message.get()));
  else if constexpr (Shape::how == Takes::kSharedConst)
    call(std::static_pointer_cast<const Message>(d.message.share()));
  else if constexpr (Shape::how == Takes::kShared) call(std::shared_ptr<Message>(own()));
  else if constexpr (Shape::how == Takes::kUnique) call(own());
  else if constexpr (Shape::how == Takes::kSerializedShared) call(bytes());
  else call(*bytes());
}

}  // namespace detail

class SubscriptionBase : public std::enable_shared_from_this<SubscriptionBase> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(SubscriptionBase)
  SubscriptionBase(convoy::nodes::Owned<convoy::nodes::Subscription> subscription, const QoS& qos)
      : subscription_(std::move(subscription)),
        name_(subscription_->topic().name()),
        qos_(qos),
        handle_{subscription_.get()} {}
  virtual ~SubscriptionBase() = default;

  const char* get_topic_name() const { return name_.c_str(); }
  QoS get_actual_qos() const { return qos_; }
  // Publishers that reach it.
  std::size_t get_publisher_count() const;
  virtual bool is_serialized() const { return false; }
  bool can_loan_messages() const { return false; }
  convoy::nodes::Subscription& kernel() const { return *subscription_; }

  // --- for users that poll instead of waiting for the callback (wait_set.hpp)
  // The message in front of the queue; false: there is none.
  bool take_type_erased(void* message, MessageInfo& info);
  bool take_serialized(SerializedMessage& message, MessageInfo& info);
  // Runs the callback with a message that was taken.
  void handle_message(std::shared_ptr<void>& message, const MessageInfo& info);
  void handle_serialized_message(const std::shared_ptr<SerializedMessage>& message, const MessageInfo& info);
  virtual std::shared_ptr<void> create_message() = 0;
  std::shared_ptr<SerializedMessage> create_serialized_message() { return std::make_shared<SerializedMessage>(); }
  std::shared_ptr<rcl_subscription_t> get_subscription_handle() { return {shared_from_this(), &handle_}; }
  bool exchange_in_use_by_wait_set_state(void*, bool in_use) { return std::exchange(in_use_, in_use); }

 protected:
  virtual void assign(void* to, convoy::nodes::MessageValue& message) = 0;

 private:
  convoy::nodes::Owned<convoy::nodes::Subscription> subscription_;
  std::string name_;
  QoS qos_;
  rcl_subscription_t handle_;
  bool in_use_ = false;
};

template <class MessageT, class Allocator = std::allocator<void>>
class Subscription : public SubscriptionBase {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(Subscription)
  using ROSMessageType = detail::RosType<MessageT>;
  using SubscribedType = detail::CustomType<MessageT>;
  using SubscriptionBase::SubscriptionBase;

  bool take(ROSMessageType& message, MessageInfo& info) { return take_type_erased(&message, info); }
  bool take(SubscribedType& message, MessageInfo& info) requires(!std::is_same_v<SubscribedType, ROSMessageType>) {
    ROSMessageType ros;
    if (!take_type_erased(&ros, info)) return false;
    TypeAdapter<MessageT>::convert_to_custom(ros, message);
    return true;
  }
  std::shared_ptr<void> create_message() override { return std::make_shared<ROSMessageType>(); }

 protected:
  void assign(void* to, convoy::nodes::MessageValue& message) override {
    auto& out = *static_cast<ROSMessageType*>(to);
    if (message.is_owned()) out = std::move(*static_cast<ROSMessageType*>(const_cast<void*>(message.get())));
    else out = *static_cast<const ROSMessageType*>(message.get());
  }
};

}  // namespace rclcpp
