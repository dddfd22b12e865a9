#include "convoy_ros/types.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <tuple>

#include "rclcpp/serialization.hpp"
#include "rclcpp/typesupport_helpers.hpp"

namespace convoy::ros {
namespace {

bool is_word(std::string_view text) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && text.size() < 256 && std::all_of(text.begin(), text.end(), good);
}

// "pkg/msg/Type" of that or of "pkg/Type"; parts of services and actions have their own word in the middle.
Result<std::string> checked_name(std::string_view name) {
  const std::size_t first = name.find('/'), last = name.rfind('/');
  const std::string_view middle = first == last ? "msg" : name.substr(first + 1, last - first - 1);
  if (first == name.npos || !is_word(name.substr(0, first)) || !is_word(name.substr(last + 1)) || !is_word(middle))
    return fail(ErrorCode::kInvalid,
                "'" + std::string(name) + "' is no name of a message type, as std_msgs/msg/String");
  return std::string(name.substr(0, first)) + "/" + std::string(middle) + "/" + std::string(name.substr(last + 1));
}

std::vector<std::string> places(const std::string& library) {
  std::vector<std::string> out{library};
  const char* given = std::getenv("AMENT_PREFIX_PATH");
  const std::string text = given ? given : "";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(':', at), text.size());
    if (end > at) out.push_back(text.substr(at, end - at) + "/lib/" + library);
    at = end + 1;
  }
  return out;
}

// Local: it is asked for its own symbol alone. A library of that name that is in the process already is the one found.
Result<void*> open_package(const std::string& package) {
  const std::string library = "lib" + package + "__types.so";
  for (const std::string& path : places(library))
    if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  return fail(ErrorCode::kNotFound, "no library " + library + " of the interface package '" + package +
                                        "' (beside Convoy's own, or in lib/ of a prefix in AMENT_PREFIX_PATH)");
}

Result<const PackageFacts*> facts_of(const std::string& package) {
  const auto handle = open_package(package);
  if (!handle) return tl::unexpected(handle.error());
  const std::string symbol = "convoy_types_of_" + package;
  auto* function = reinterpret_cast<const PackageFacts* (*)()>(dlsym(*handle, symbol.c_str()));
  if (!function) return fail(ErrorCode::kUnsupported, "the library of '" + package + "' has no " + symbol + "()");
  return function();
}

using rclcpp::SerializedMessage;

class SerializedType final : public nodes::MessageType {
 public:
  SerializedType(std::string name, std::string hash, std::string schema)
      : name_(std::move(name)), hash_(std::move(hash)), schema_(std::move(schema)) {}
  std::string_view name() const override { return name_; }
  std::string_view definition_hash() const override { return hash_; }
  std::string schema() const override { return schema_; }
  void* copy(const void* object) const override { return new SerializedMessage(of(object)); }
  void destroy(void* object) const override { delete static_cast<SerializedMessage*>(object); }
  void append_bytes(const void* object, Bytes& out) const override {
    out.insert(out.end(), of(object).bytes().begin(), of(object).bytes().end());
  }
  // All have the four bytes that specify how the rest is written.
  void* from_bytes(ByteView bytes) const override {
    return bytes.size() < 4 ? nullptr : new SerializedMessage(Bytes(bytes.begin(), bytes.end()));
  }
  bool is_bytes() const override { return true; }
  ByteView view(const void* object) const override { return of(object).bytes(); }

 private:
  static const SerializedMessage& of(const void* object) { return *static_cast<const SerializedMessage*>(object); }
  std::string name_, hash_, schema_;
};

}  // namespace

Result<TypeSupport> find_type(std::string_view name) {
  const auto full = checked_name(name);
  if (!full) return tl::unexpected(full.error());
  const auto facts = facts_of(full->substr(0, full->find('/')));
  if (!facts) return tl::unexpected(facts.error());
  if (const MessageFacts* message = find_message(**facts, *full)) return TypeSupport(*message);
  return fail(ErrorCode::kNotFound, "unknown message type '" + *full + "'");
}

Result<const nodes::MessageType*> serialized_type(std::string_view name, std::string_view hash,
                                                  std::string_view schema) {
  auto full = checked_name(name);
  if (!full) return tl::unexpected(full.error());
  using Key = std::tuple<std::string, std::string, std::string>;
  // For good, as types outlive every graph that uses them; simulations of several threads share them.
  static std::mutex mutex;
  static auto* all = new std::map<Key, std::unique_ptr<SerializedType>>;
  const std::lock_guard lock(mutex);
  auto& type = (*all)[Key(*full, hash, schema)];
  if (!type) {
    std::string its_hash(hash), its_schema(schema);
    const auto known = find_type(*full);
    // A definition of another hash is another one.
    if (known && (hash.empty() || hash == known->hash())) {
      if (schema.empty()) its_schema = known->schema();
      if (hash.empty() && (schema.empty() || schema == known->schema())) its_hash = known->hash();
    }
    type = std::make_unique<SerializedType>(*full, its_hash, its_schema);
  }
  return type.get();
}

}  // namespace convoy::ros

namespace rclcpp {

using convoy::ros::TypeSupport;

std::shared_ptr<rcpputils::SharedLibrary> get_typesupport_library(const std::string& type, const std::string&) {
  const auto full = convoy::ros::checked_name(type);
  if (!full) throw std::runtime_error(full.error().message());
  const auto handle = convoy::ros::open_package(full->substr(0, full->find('/')));
  if (!handle) throw std::runtime_error(handle.error().message());
  return {std::shared_ptr<void>(*handle, [](void*) {}), reinterpret_cast<rcpputils::SharedLibrary*>(*handle)};
}

const rosidl_message_type_support_t* get_message_typesupport_handle(const std::string& type,
                                                                    const std::string& identifier,
                                                                    rcpputils::SharedLibrary&) {
  const auto found = convoy::ros::find_type(type);
  if (!found) throw std::runtime_error(found.error().message());
  const convoy::ros::MessageFacts& facts = found->facts();
  if (identifier == facts.introspection->typesupport_identifier) return facts.introspection;
  // As the package's own; of a type each time the same.
  static std::mutex mutex;
  static auto* handles = new std::map<const convoy::ros::MessageFacts*, rosidl_message_type_support_t>;
  const std::lock_guard lock(mutex);
  return &handles
              ->try_emplace(&facts, rosidl_message_type_support_t{convoy::ros::kFactsIdentifier, &facts,
                                                                  &convoy::ros::message_handle})
              .first->second;
}

namespace {
TypeSupport checked(const rosidl_message_type_support_t* handle) {
  const auto type = TypeSupport::of(handle);
  if (!type) throw std::invalid_argument(type.error().message());
  return *type;
}
}  // namespace

SerializationBase::SerializationBase(const rosidl_message_type_support_t* handle) : type_(checked(handle)) {}

void SerializationBase::serialize_message(const void* message, SerializedMessage* serialized) const {
  if (!message || !serialized) throw std::invalid_argument("serialize_message: a null pointer");
  auto bytes = type_.to_cdr(message);
  if (!bytes) throw std::runtime_error(bytes.error().message());
  *serialized = SerializedMessage(std::move(*bytes));
}

void SerializationBase::deserialize_message(const SerializedMessage* serialized, void* message) const {
  if (!message || !serialized) throw std::invalid_argument("deserialize_message: a null pointer");
  const auto read = type_.from_cdr(serialized->bytes(), message, convoy::ros::Rest::kIgnored);
  if (!read) throw std::runtime_error(read.error().message());
}

}  // namespace rclcpp
