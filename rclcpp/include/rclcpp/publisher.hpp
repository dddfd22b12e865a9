// Publishers.
#pragma once

#include <string>

#include "convoy_ros/message_type.hpp"
#include "rclcpp/message_info.hpp"
#include "rclcpp/publisher_options.hpp"
#include "rclcpp/serialized_message.hpp"
#include "rclcpp/type_adapter.hpp"

namespace rclcpp {

class PublisherBase : public std::enable_shared_from_this<PublisherBase> {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(PublisherBase)
  PublisherBase(convoy::nodes::Owned<convoy::nodes::Publisher> publisher, const QoS& qos)
      : publisher_(std::move(publisher)),
        name_(publisher_->topic().name()),
        qos_(qos),
        gid_(gid_of(publisher_->rank())) {}
  virtual ~PublisherBase() = default;

  const char* get_topic_name() const { return name_.c_str(); }
  std::size_t get_queue_size() const { return qos_.depth(); }
  const rmw_gid_t& get_gid() const { return gid_; }
  bool operator==(const rmw_gid_t& gid) const { return std::memcmp(gid.data, gid_.data, sizeof gid.data) == 0; }
  QoS get_actual_qos() const { return qos_; }
  std::size_t get_subscription_count() const { return publisher_->subscription_count(); }
  std::size_t get_intra_process_subscription_count() const { return publisher_->subscription_count(); }
  bool can_loan_messages() const { return false; }
  bool assert_liveliness() const { return true; }  // it is not monitored
  template <class Rep, class Period>
  bool wait_for_all_acked(std::chrono::duration<Rep, Period> = std::chrono::milliseconds(-1)) const {
    return true;  // what is published is in the queues
  }
  convoy::nodes::Publisher& kernel() const { return *publisher_; }

 protected:
  convoy::nodes::Owned<convoy::nodes::Publisher> publisher_;

 private:
  std::string name_;
  QoS qos_;
  rmw_gid_t gid_;
};

// A message made in place. There is nothing to borrow from here: it is an ordinary object.
template <class Message, class Allocator = std::allocator<void>>
class LoanedMessage {
 public:
  LoanedMessage(const PublisherBase&, Allocator = {}) : message_(std::make_unique<Message>()) {}
  bool is_valid() const { return message_ != nullptr; }
  Message& get() const { return *message_; }
  std::unique_ptr<Message> release() { return std::move(message_); }

 private:
  std::unique_ptr<Message> message_;
};

// Of adapted types both can be published: the own one becomes a message first.
template <class MessageT, class Allocator = std::allocator<void>>
class Publisher : public PublisherBase {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(Publisher)
  using Message = detail::RosType<MessageT>;
  using ROSMessageType = Message;
  using PublishedType = detail::CustomType<MessageT>;
  using PublisherBase::PublisherBase;

  // The object itself goes to the last owner.
  void publish(std::unique_ptr<Message> message) {
    publisher_->publish(
        convoy::nodes::MessageValue::owned(convoy::ros::MessageTypeOf<Message>::instance(), message.release()));
  }
  void publish(const Message& message) { publisher_->publish_copy(&message); }
  void publish(const PublishedType& own) requires detail::is_adapted<MessageT> {
    auto message = std::make_unique<Message>();
    TypeAdapter<MessageT>::convert_to_ros_message(own, *message);
    publish(std::move(message));
  }
  void publish(std::unique_ptr<PublishedType> own) requires detail::is_adapted<MessageT> { publish(*own); }
  void publish(LoanedMessage<Message, Allocator>&& message) { publish(message.release()); }
  // Bytes that are no such message are an error.
  void publish(const SerializedMessage& message) {
    const auto& type = convoy::ros::MessageTypeOf<Message>::instance();
    void* object = type.from_bytes(message.bytes());
    if (!object)
      throw std::runtime_error("serialized message for topic '" + std::string(get_topic_name()) + "' is malformed");
    publisher_->publish(convoy::nodes::MessageValue::owned(type, object));
  }
  LoanedMessage<Message, Allocator> borrow_loaned_message() { return LoanedMessage<Message, Allocator>(*this); }
};

}  // namespace rclcpp
