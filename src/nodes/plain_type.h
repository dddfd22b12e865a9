// A message type made of a plain struct with named fields (core/fields.h): for tests, probes and the kernel's own use.
//
//   struct UInt64 { std::uint64_t data = 0; };
//   template <class V, MaybeConst<UInt64> T> void fields(V& v, T& m) { v("data", m.data); }
//   const PlainType<UInt64> kUInt64("std_msgs/msg/UInt64");
#pragma once

#include <string>

#include "core/fields.h"
#include "nodes/message.h"

namespace convoy::nodes {

template <class T>
class PlainType final : public MessageType {
 public:
  explicit PlainType(std::string name) : name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  void* copy(const void* object) const override { return new T(*static_cast<const T*>(object)); }
  void destroy(void* object) const override { delete static_cast<T*>(object); }
  void append_bytes(const void* object, Bytes& out) const override { save_into(out, *static_cast<const T*>(object)); }
  void* from_bytes(ByteView bytes) const override {
    auto object = std::make_unique<T>();
    return load(bytes, *object) ? object.release() : nullptr;
  }
  MessageValue make(T value) const { return MessageValue::owned(*this, new T(std::move(value))); }

 private:
  std::string name_;
};

}  // namespace convoy::nodes
