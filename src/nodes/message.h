// A message as the graph carries it: one object of some type, owned by one or shared by many, never inspected.
//
//   MessageValue m = MessageValue::owned(type, new Twist(twist));
//   Twist* mine = static_cast<Twist*>(m.take());            // the same object: nothing was copied
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/bytes.h"
#include "core/check.h"

namespace convoy::nodes {

// What the graph must be able to do with messages of a type. Types outlive every graph that uses them.
//
// Types of one name may have two forms: objects of a C++ type, or their bytes as they are (is_bytes()), for users
// without the C++ type. On one topic both meet; a message is converted once, where a subscriber takes the other form.
class MessageType {
 public:
  virtual ~MessageType() = default;
  virtual std::string_view name() const = 0;  // "std_msgs/msg/UInt64"
  // What distinguishes two definitions of one name ("RIHS01_..."); empty: unknown, the name decides.
  virtual std::string_view definition_hash() const { return {}; }
  // For recordings: the definition with all nested ones (MCAP's encoding ros2msg); empty: unknown.
  virtual std::string schema() const { return {}; }
  virtual void* copy(const void* object) const = 0;
  virtual void destroy(void* object) const = 0;
  // The message as bytes that are the same everywhere (CDR): for digests, other agents and recordings.
  virtual void append_bytes(const void* object, Bytes& out) const = 0;
  // A new object, or null when the bytes are not those of such a message.
  virtual void* from_bytes(ByteView bytes) const = 0;
  // Objects of it are bytes, and view() shows them.
  virtual bool is_bytes() const { return false; }
  virtual ByteView view(const void*) const { return {}; }
};

inline bool same_type(const MessageType& a, const MessageType& b) {
  if (&a == &b) return true;
  return a.name() == b.name() &&
         (a.definition_hash().empty() || b.definition_hash().empty() || a.definition_hash() == b.definition_hash());
}

// The bytes of a message: those it is made of, or written into `scratch`.
inline ByteView bytes_of(const MessageType& type, const void* object, Bytes& scratch) {
  if (type.is_bytes()) return type.view(object);
  scratch.clear();
  type.append_bytes(object, scratch);
  return scratch;
}

class MessageValue {
 public:
  MessageValue() = default;
  static MessageValue owned(const MessageType& type, void* object) {
    MessageValue m;
    m.type_ = &type, m.owned_ = object;
    return m;
  }
  static MessageValue shared(const MessageType& type, std::shared_ptr<const void> object) {
    MessageValue m;
    m.type_ = &type, m.shared_ = std::move(object);
    return m;
  }
  MessageValue(MessageValue&& other) noexcept
      : type_(other.type_),
        owned_(std::exchange(other.owned_, nullptr)),
        shared_(std::exchange(other.shared_, nullptr)) {}
  MessageValue& operator=(MessageValue&& other) noexcept {
    if (this == &other) return *this;
    reset();
    type_ = other.type_, owned_ = std::exchange(other.owned_, nullptr), shared_ = std::exchange(other.shared_, nullptr);
    return *this;
  }
  ~MessageValue() { reset(); }

  explicit operator bool() const { return owned_ != nullptr || shared_ != nullptr; }
  const MessageType& type() const { return *type_; }
  const void* get() const { return owned_ ? owned_ : shared_.get(); }
  bool is_owned() const { return owned_ != nullptr; }

  // Makes it shared, for good, and gives the pointer that all hold.
  const std::shared_ptr<const void>& share() {
    if (owned_) shared_ = std::shared_ptr<const void>(std::exchange(owned_, nullptr), Destroy{type_});
    return shared_;
  }
  // An object for the caller alone, to be destroyed by the type: the one inside if it is owned, else a copy.
  void* take() {
    if (owned_) return std::exchange(owned_, nullptr);
    void* mine = type_->copy(shared_.get());
    shared_.reset();
    return mine;
  }
  // An object of its own.
  MessageValue copy() const { return owned(*type_, type_->copy(get())); }
  // The same object, held once more; this one must be shared.
  MessageValue again() const {
    EXPECTS(!owned_);
    return shared(*type_, shared_);
  }
  void reset() {
    if (owned_) type_->destroy(std::exchange(owned_, nullptr));
    shared_.reset();
  }

 private:
  struct Destroy {
    const MessageType* type;
    void operator()(const void* object) const { type->destroy(const_cast<void*>(object)); }
  };
  const MessageType* type_ = nullptr;
  void* owned_ = nullptr;               // this, or
  std::shared_ptr<const void> shared_;  // this; shared because it is unknown which subscriber lets go of it last
};

}  // namespace convoy::nodes
