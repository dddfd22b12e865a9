// Publishers of messages whose type is known by name alone. They take bytes as they are: what is no message of the type
// ends the run at the first subscription that wants it as an object.
#pragma once

#include "rclcpp/publisher.hpp"

namespace rclcpp {

class GenericPublisher : public PublisherBase {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(GenericPublisher)
  GenericPublisher(convoy::nodes::Owned<convoy::nodes::Publisher> publisher, const QoS& qos,
                   const convoy::nodes::MessageType& type)
      : PublisherBase(std::move(publisher), qos), type_(&type) {}

  void publish(const SerializedMessage& message) { publish(SerializedMessage(message)); }
  // Its bytes are not copied.
  void publish(SerializedMessage&& message) {
    if (message.size() < 4)
      throw std::runtime_error("serialized message for topic '" + std::string(get_topic_name()) + "' is too short");
    publisher_->publish(convoy::nodes::MessageValue::owned(*type_, new SerializedMessage(std::move(message))));
  }
  void publish_as_loaned_msg(const SerializedMessage& message) { publish(message); }

 private:
  const convoy::nodes::MessageType* type_;
};

}  // namespace rclcpp
