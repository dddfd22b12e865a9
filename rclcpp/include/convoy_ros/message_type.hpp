// The kernel's view of a ROS message type: rosidl's C++ struct, copied as C++ copies it, sent as CDR.
#pragma once

#include "convoy_ros_types/type_support.h"
#include "nodes/message.h"
#include "nodes/service.h"

namespace convoy::ros {

template <class Message>
class MessageTypeOf final : public nodes::MessageType {
 public:
  static const MessageTypeOf& instance() {
    static const MessageTypeOf type;
    return type;
  }
  std::string_view name() const override { return support_.name(); }
  std::string_view definition_hash() const override { return support_.hash(); }
  std::string schema() const override { return support_.schema(); }
  void* copy(const void* object) const override { return new Message(*static_cast<const Message*>(object)); }
  void destroy(void* object) const override { delete static_cast<Message*>(object); }
  void append_bytes(const void* object, Bytes& out) const override {
    // A string longer than CDR can encode leaves no bytes.
    [[maybe_unused]] const Status written = support_.to_cdr(object, out);
  }
  void* from_bytes(ByteView bytes) const override {
    auto message = std::make_unique<Message>();
    // Bags of others have bytes behind some messages.
    return support_.from_cdr(bytes, message.get(), Rest::kIgnored) ? message.release() : nullptr;
  }

 private:
  TypeSupport support_ = TypeSupport::of<Message>();
};

template <class Service>
const nodes::ServiceType& service_type_of() {
  static const nodes::ServiceType type{std::string(ServiceSupport::of<Service>().name),
                                       &MessageTypeOf<typename Service::Request>::instance(),
                                       &MessageTypeOf<typename Service::Response>::instance()};
  return type;
}

}  // namespace convoy::ros
