// Messages to CDR bytes and back.
#pragma once

#include "convoy_ros_types/type_support.h"
#include "rclcpp/serialized_message.hpp"

namespace rclcpp {

class SerializationBase {
 public:
  // std::invalid_argument: not a handle of get_message_typesupport_handle().
  explicit SerializationBase(const rosidl_message_type_support_t* type_support);
  virtual ~SerializationBase() = default;
  void serialize_message(const void* ros_message, SerializedMessage* serialized_message) const;
  // std::runtime_error: the bytes are no such message.
  void deserialize_message(const SerializedMessage* serialized_message, void* ros_message) const;

 private:
  convoy::ros::TypeSupport type_;
};

template <class MessageT>
class Serialization : public SerializationBase {
 public:
  Serialization() : SerializationBase(rosidl_typesupport_cpp::get_message_type_support_handle<MessageT>()) {}
};

}  // namespace rclcpp
