// A ROS message type at run time: all that it takes to hold, compare, print and send values whose C++ type is not
// known.
//
//   const TypeSupport type = TypeSupport::of<geometry_msgs::msg::Twist>();
//   AnyMessage twist(type);
//   if (Status read = type.from_cdr(bytes, twist.get()); !read) return read;
//   std::cout << type.to_yaml(twist.get());
//
// A TypeSupport is two pointers to constants of a generated package: copy it freely, use it from any thread. A `void*`
// is a message of the type; it is the caller's to get that right.
#pragma once

#include <rosidl_typesupport_cpp/message_type_support.hpp>
#include <rosidl_typesupport_cpp/service_type_support.hpp>
#include <rosidl_typesupport_introspection_cpp/message_introspection.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "convoy/result.h"
#include "convoy_ros_types/facts.h"

namespace convoy::ros {

using Members = rosidl_typesupport_introspection_cpp::MessageMembers;
using Member = rosidl_typesupport_introspection_cpp::MessageMember;

// A field's value without its C++ type: every integer type comes as int64 or uint64, by its sign; wstring as UTF-8.
using Value = std::variant<bool, std::int64_t, std::uint64_t, double, std::string>;

struct YamlOptions {
  std::size_t elements = 0;    // of a sequence or array at most, then '...'; 0: all
  std::size_t characters = 0;  // of a string at most, then ...; 0: all
};

// Most values and messages inside one message that is read from YAML.
inline constexpr std::size_t kMaxYamlValues = 100'000;

// What may follow a message in its bytes.
enum class Rest : std::uint8_t {
  kPadding,  // up to three bytes, to a whole number of four
  // Anything. rmw_fastrtps' rmw_serialize() gives a length that it has guessed beforehand, and that is now and then too
  // large: for files that others wrote, and for bytes from real ROS 2.
  kIgnored,
};

class TypeSupport {
 public:
  // kUnsupported: not a handle of a package that convoy_msgs() made (rosidl's own handles know neither hash nor text).
  static Result<TypeSupport> of(const rosidl_message_type_support_t* handle);
  template <class Message>
  static TypeSupport of() {
    return TypeSupport(facts_of(rosidl_typesupport_cpp::get_message_type_support_handle<Message>()));
  }
  explicit TypeSupport(const MessageFacts& facts);

  std::string_view name() const { return facts_->name; }  // "geometry_msgs/msg/Twist"
  std::string_view hash() const { return facts_->hash; }  // REP-2011: "RIHS01_" and 64 hex digits
  std::string_view definition() const { return facts_->definition; }
  // The definition and those of all nested types, as MCAP's encoding ros2msg wants them.
  std::string schema() const;
  const Members& members() const { return *members_; }
  const MessageFacts& facts() const { return *facts_; }

  std::size_t size() const { return members_->size_of_; }  // bytes, without what strings and sequences hold elsewhere
  // `memory` has size() bytes, aligned as new aligns them; the message has its fields' default values.
  void construct(void* memory) const;
  void destroy(void* message) const;
  void copy(const void* from, void* to) const;
  // As C++ compares: nan is not equal to itself.
  bool equal(const void* a, const void* b) const;

  // XCDR1 with its four-byte header, little-endian: what ROS 2 sends and records. Appended to `out`. kInvalid, and
  // `out` as it was: a string is longer than its bound, or than the format's 32 bits can express.
  Status to_cdr(const void* message, std::vector<std::uint8_t>& out) const;
  Result<std::vector<std::uint8_t>> to_cdr(const void* message) const;
  // Of either byte order. Takes bytes from strangers: kInvalid names the field that is wrong, and the message then
  // holds any valid values. Memory is never reserved for more elements than the bytes can hold.
  Status from_cdr(std::span<const std::uint8_t> bytes, void* message, Rest rest = Rest::kPadding) const;

  // As `ros2 topic echo` prints it, without the closing "---".
  std::string to_yaml(const void* message, const YamlOptions& options = {}) const;
  // As `ros2 topic pub` takes it: fields that the text does not name stay as they are, lists are given whole. Takes text
  // from strangers: kInvalid names the field that is wrong, and the message then holds any valid values.
  Status from_yaml(const std::string& yaml, void* message) const;

  // Fields by path: "pose.position.x", "ranges[3]", "transforms[0].header.frame_id". kNotFound: no such field or
  // element. kInvalid: not a single value, or (set) one of another kind or out of the field's range.
  Result<Value> get(const void* message, std::string_view path) const;
  Status set(void* message, std::string_view path, const Value& value) const;
  // Of a field of any kind, a single value without the line's end.
  Result<std::string> to_yaml(const void* message, std::string_view path, const YamlOptions& options = {}) const;

  friend bool operator==(const TypeSupport& a, const TypeSupport& b) {
    return a.name() == b.name() && a.hash() == b.hash();
  }

 private:
  static const MessageFacts& facts_of(const rosidl_message_type_support_t* handle) {
    return *static_cast<const MessageFacts*>(handle->data);
  }

  const MessageFacts* facts_;
  const Members* members_;
};

// A message of any type, on the heap.
class AnyMessage {
 public:
  explicit AnyMessage(TypeSupport type);
  AnyMessage(const AnyMessage& other);
  AnyMessage(AnyMessage&&) noexcept = default;
  AnyMessage& operator=(const AnyMessage& other) { return *this = AnyMessage(other); }
  AnyMessage& operator=(AnyMessage&& other) noexcept = default;

  const TypeSupport& type() const { return memory_.get_deleter().type; }
  void* get() { return memory_.get(); }
  const void* get() const { return memory_.get(); }

  friend bool operator==(const AnyMessage& a, const AnyMessage& b) {
    return a.type() == b.type() && a.type().equal(a.get(), b.get());
  }

 private:
  struct Destroy {
    TypeSupport type;
    void operator()(void* message) const;
  };
  std::unique_ptr<void, Destroy> memory_;
};

// A package's message of that full name, or a service's event; null: it has none.
const MessageFacts* find_message(const PackageFacts& package, std::string_view name);

struct ServiceSupport {
  std::string_view name, hash;
  TypeSupport event, request, response;

  // kUnsupported: as TypeSupport::of().
  static Result<ServiceSupport> of(const rosidl_service_type_support_t* handle);
  explicit ServiceSupport(const ServiceFacts& facts);
  template <class Service>
  static ServiceSupport of() {
    const auto* handle = rosidl_typesupport_cpp::get_service_type_support_handle<Service>();
    return ServiceSupport(*static_cast<const ServiceFacts*>(handle->data));
  }
};

// The types of some packages, by name; main() chooses which.
//
//   const Types types({convoy_types_of_std_msgs(), convoy_types_of_sensor_msgs()});
class Types {
 public:
  explicit Types(std::vector<const PackageFacts*> packages) : packages_(std::move(packages)) {}

  // "std_msgs/msg/String" or "std_msgs/String". kNotFound.
  Result<TypeSupport> message(std::string_view name) const;
  // "std_srvs/srv/Trigger" or "std_srvs/Trigger". kNotFound.
  Result<ServiceSupport> service(std::string_view name) const;
  std::span<const PackageFacts* const> packages() const { return packages_; }

 private:
  const PackageFacts* package(std::string_view name) const;

  std::vector<const PackageFacts*> packages_;
};

}  // namespace convoy::ros
