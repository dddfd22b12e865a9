#include "convoy_ros_types/type_support.h"

#include <cstring>
#include <new>

#include "convoy_ros_types/fields.h"

namespace convoy::ros {
namespace {

// Without strings and sequences: its bytes are all that it is.
bool is_plain(const Members& members) {
  for (const Member& member : fields_of(members)) {
    if (member.is_array_ && !is_fixed_array(member)) return false;
    if (member.type_id_ == id::ROS_TYPE_MESSAGE ? !is_plain(nested_members(member)) : width(member.type_id_) == 0) {
      return false;
    }
  }
  return true;
}

void copy_fields(const Members& members, const std::byte* from, std::byte* to);

void copy_elements(const Member& member, Elements<const std::byte> from, std::byte* to) {
  const std::size_t step = stride(member);
  if (from.count > 1 && member.type_id_ == id::ROS_TYPE_MESSAGE && is_plain(nested_members(member))) {
    std::memcpy(to, from.first, from.count * step);
    return;
  }
  for (std::size_t i = 0; i < from.count; ++i, to += step) {
    const std::byte* source = from.first + i * step;
    if (member.type_id_ == id::ROS_TYPE_STRING) {
      as_string(to) = as_string(source);
    } else if (member.type_id_ == id::ROS_TYPE_WSTRING) {
      as_wstring(to) = as_wstring(source);
    } else {
      copy_fields(nested_members(member), source, to);
    }
  }
}

void copy_fields(const Members& members, const std::byte* from, std::byte* to) {
  for (const Member& member : fields_of(members)) {
    const Elements<const std::byte> source = elements(member, field(from, member));
    if (member.is_array_ && !is_fixed_array(member)) member.resize_function(field(to, member), source.count);
    if (source.count == 0) continue;
    if (is_bool_sequence(member)) {
      for (std::size_t i = 0; i < source.count; ++i) {
        bool bit = false;
        member.fetch_function(field(from, member), i, &bit);
        member.assign_function(field(to, member), i, &bit);
      }
      continue;
    }
    std::byte* target = elements(member, field(to, member)).first;
    if (const std::size_t bytes = width(member.type_id_)) {
      std::memcpy(target, source.first, bytes * source.count);
    } else {
      copy_elements(member, source, target);
    }
  }
}

bool equal_fields(const Members& members, const std::byte* a, const std::byte* b);

template <class Float>
bool equal_floats(const std::byte* a, const std::byte* b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    Float x, y;
    std::memcpy(&x, a + i * sizeof x, sizeof x);
    std::memcpy(&y, b + i * sizeof y, sizeof y);
    if (x != y) return false;
  }
  return true;
}

bool equal_element(const Member& member, const std::byte* a, const std::byte* b) {
  if (member.type_id_ == id::ROS_TYPE_STRING) return as_string(a) == as_string(b);
  if (member.type_id_ == id::ROS_TYPE_WSTRING) return as_wstring(a) == as_wstring(b);
  return equal_fields(nested_members(member), a, b);
}

bool equal_bools(const Member& member, const std::byte* a, const std::byte* b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    bool x = false, y = false;
    member.fetch_function(a, i, &x);
    member.fetch_function(b, i, &y);
    if (x != y) return false;
  }
  return true;
}

bool equal_field(const Member& member, const std::byte* at_a, const std::byte* at_b) {
  const Elements<const std::byte> a = elements(member, at_a), b = elements(member, at_b);
  if (a.count != b.count) return false;
  if (a.count == 0) return true;
  if (is_bool_sequence(member)) return equal_bools(member, at_a, at_b, a.count);
  if (member.type_id_ == id::ROS_TYPE_FLOAT) return equal_floats<float>(a.first, b.first, a.count);
  if (member.type_id_ == id::ROS_TYPE_DOUBLE) return equal_floats<double>(a.first, b.first, a.count);
  if (const std::size_t bytes = width(member.type_id_)) return std::memcmp(a.first, b.first, bytes * a.count) == 0;
  const std::size_t step = stride(member);
  for (std::size_t i = 0; i < a.count; ++i) {
    if (!equal_element(member, a.first + i * step, b.first + i * step)) return false;
  }
  return true;
}

bool equal_fields(const Members& members, const std::byte* a, const std::byte* b) {
  for (const Member& member : fields_of(members)) {
    if (!equal_field(member, field(a, member), field(b, member))) return false;
  }
  return true;
}

// Each nested type once, in the order of first use.
void add_nested(const MessageFacts& facts, std::vector<const MessageFacts*>& seen) {
  for (std::size_t i = 0; i < facts.nested_count; ++i) {
    const auto* other = static_cast<const MessageFacts*>(facts.nested[i]()->data);
    bool known = false;
    for (const MessageFacts* one : seen) known = known || std::string_view(one->name) == other->name;
    if (known) continue;
    seen.push_back(other);
    add_nested(*other, seen);
  }
}

std::string with_end_of_line(const char* text) {
  std::string out = text;
  if (!out.empty() && out.back() != '\n') out += '\n';
  return out;
}

// "std_msgs/msg/String" and "std_msgs/String" to "std_msgs/msg/String".
std::string full_name(std::string_view name, std::string_view kind) {
  const std::size_t slash = name.find('/');
  if (slash == name.npos || name.find('/', slash + 1) != name.npos) return std::string(name);
  return std::string(name.substr(0, slash + 1)).append(kind).append(name.substr(slash));
}

}  // namespace

std::string name_of(const Members& members) {
  std::string name = members.message_namespace_;
  if (const std::size_t colons = name.find("::"); colons != name.npos) name.replace(colons, 2, "/");
  return name + "/" + members.message_name_;
}

TypeSupport::TypeSupport(const MessageFacts& facts)
    : facts_(&facts), members_(static_cast<const Members*>(facts.introspection->data)) {}

Result<TypeSupport> TypeSupport::of(const rosidl_message_type_support_t* handle) {
  if (handle == nullptr || std::string_view(handle->typesupport_identifier) != kFactsIdentifier) {
    return fail(ErrorCode::kUnsupported, "a type support that convoy_msgs() did not make");
  }
  return TypeSupport(facts_of(handle));
}

std::string TypeSupport::schema() const {
  std::vector<const MessageFacts*> nested;
  add_nested(*facts_, nested);
  std::string text = with_end_of_line(facts_->definition);
  for (const MessageFacts* other : nested) {
    // The encoding names a type by package and name alone.
    const std::string_view name = other->name;
    text.append(80, '=').append("\nMSG: ").append(name.substr(0, name.find('/'))).append(name.substr(name.rfind('/')));
    text.append("\n").append(with_end_of_line(other->definition));
  }
  return text;
}

void TypeSupport::construct(void* memory) const {
  members_->init_function(memory, rosidl_runtime_cpp::MessageInitialization::ALL);
}
void TypeSupport::destroy(void* message) const { members_->fini_function(message); }
void TypeSupport::copy(const void* from, void* to) const {
  if (from == to) return;
  copy_fields(*members_, static_cast<const std::byte*>(from), static_cast<std::byte*>(to));
}
bool TypeSupport::equal(const void* a, const void* b) const {
  return equal_fields(*members_, static_cast<const std::byte*>(a), static_cast<const std::byte*>(b));
}

Status TypeSupport::to_cdr(const void* message, std::vector<std::uint8_t>& out) const {
  return write_cdr(*members_, message, out);
}
Result<std::vector<std::uint8_t>> TypeSupport::to_cdr(const void* message) const {
  std::vector<std::uint8_t> out;
  if (Status written = to_cdr(message, out); !written) return tl::unexpected(written.error());
  return out;
}
Status TypeSupport::from_cdr(std::span<const std::uint8_t> bytes, void* message, Rest rest) const {
  return read_cdr(*members_, bytes, message, rest);
}

std::string TypeSupport::to_yaml(const void* message, const YamlOptions& options) const {
  std::string out;
  write_yaml(*members_, message, options, out);
  return out;
}

AnyMessage::AnyMessage(TypeSupport type) : memory_(::operator new(type.size()), Destroy{type}) {
  type.construct(memory_.get());
}
AnyMessage::AnyMessage(const AnyMessage& other) : AnyMessage(other.type()) { type().copy(other.get(), get()); }
void AnyMessage::Destroy::operator()(void* message) const {
  type.destroy(message);
  ::operator delete(message);
}

ServiceSupport::ServiceSupport(const ServiceFacts& facts)
    : name(facts.name),
      hash(facts.hash),
      event(*static_cast<const MessageFacts*>(facts.event->data)),
      request(*static_cast<const MessageFacts*>(facts.request->data)),
      response(*static_cast<const MessageFacts*>(facts.response->data)) {}

Result<ServiceSupport> ServiceSupport::of(const rosidl_service_type_support_t* handle) {
  if (handle == nullptr || std::string_view(handle->typesupport_identifier) != kFactsIdentifier) {
    return fail(ErrorCode::kUnsupported, "a type support that convoy_msgs() did not make");
  }
  return ServiceSupport(*static_cast<const ServiceFacts*>(handle->data));
}

const PackageFacts* Types::package(std::string_view name) const {
  for (const PackageFacts* package : packages_) {
    if (package->name == name.substr(0, name.find('/'))) return package;
  }
  return nullptr;
}

const MessageFacts* find_message(const PackageFacts& package, std::string_view name) {
  for (const MessageFacts* facts : package.messages)
    if (facts->name == name) return facts;
  for (const ServiceFacts* service : package.services)
    if (const auto* event = static_cast<const MessageFacts*>(service->event->data); event->name == name) return event;
  return nullptr;
}

Result<TypeSupport> Types::message(std::string_view name) const {
  const std::string full = full_name(name, "msg");
  if (const PackageFacts* found = package(full))
    if (const MessageFacts* facts = find_message(*found, full)) return TypeSupport(*facts);
  return fail(ErrorCode::kNotFound, "unknown message type '" + std::string(name) + "'");
}

Result<ServiceSupport> Types::service(std::string_view name) const {
  const std::string full = full_name(name, "srv");
  if (const PackageFacts* found = package(full)) {
    for (const ServiceFacts* facts : found->services) {
      if (facts->name == full) return ServiceSupport(*facts);
    }
  }
  return fail(ErrorCode::kNotFound, "unknown service type '" + std::string(name) + "'");
}

}  // namespace convoy::ros
