// Single values of a message by their path.
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "convoy_ros_types/fields.h"
#include "convoy_ros_types/text.h"

namespace convoy::ros {
namespace {

// A field, or with an index one of its elements; `at` is the field itself.
template <class Byte>
struct Place {
  const Member* member;
  Byte* at;
  std::size_t index = kWhole;
};

struct Step {
  std::string_view name;
  std::size_t index = kWhole;
};

// "ranges[3]". Nothing: not of that form.
std::optional<Step> parse_step(std::string_view text) {
  const std::size_t bracket = text.find('[');
  Step step{text.substr(0, bracket)};
  if (bracket == text.npos) return step;
  const char* last = text.data() + text.size() - 1;
  const auto [end, code] = std::from_chars(text.data() + bracket + 1, last, step.index);
  if (*last != ']' || code != std::errc() || end != last || step.index == kWhole) return std::nullopt;
  return step;
}

const Member* find_member(const Members& members, std::string_view name) {
  for (const Member& member : fields_of(members)) {
    if (member.name_ == name) return &member;
  }
  return nullptr;
}

tl::unexpected<Error> no_field(const Members& members, std::string_view step) {
  return fail(ErrorCode::kNotFound, name_of(members) + " has no field '" + std::string(step) + "'");
}

template <class Byte>
Result<Place<Byte>> find(const Members& root, Byte* message, std::string_view path) {
  const Members* members = &root;
  while (true) {
    const std::size_t dot = path.find('.');
    const std::string_view text = path.substr(0, dot);
    const std::optional<Step> step = parse_step(text);
    const Member* member = step ? find_member(*members, step->name) : nullptr;
    if (member == nullptr) return no_field(*members, text);
    Place<Byte> place{member, message + member->offset_, step->index};
    const bool element = step->index != kWhole;
    const Elements<Byte> all = elements(*member, place.at);
    if (element && (!member->is_array_ || step->index >= all.count)) return no_field(*members, text);
    if (dot == path.npos) return place;
    if (member->type_id_ != id::ROS_TYPE_MESSAGE || (member->is_array_ && !element)) return no_field(*members, path);
    members = &nested_members(*member);
    message = element ? all.first + step->index * members->size_of_ : place.at;
    path.remove_prefix(dot + 1);
  }
}

tl::unexpected<Error> wrong(const Member& member, const char* why) {
  return fail(ErrorCode::kInvalid, std::string("field '") + member.name_ + "' " + why);
}

bool is_single(const Member& member, std::size_t index) {
  return member.type_id_ != id::ROS_TYPE_MESSAGE && member.is_array_ == (index != kWhole);
}

template <class T>
T load(const Place<const std::byte>& place) {
  T value{};
  if (place.index != kWhole) {
    place.member->fetch_function(place.at, place.index, &value);
  } else if constexpr (std::is_trivially_copyable_v<T>) {
    std::memcpy(&value, place.at, sizeof value);
  } else {
    value = *reinterpret_cast<const T*>(place.at);
  }
  return value;
}

template <class T>
void store(const Place<std::byte>& place, const T& value) {
  if (place.index != kWhole) {
    place.member->assign_function(place.at, place.index, &value);
  } else if constexpr (std::is_trivially_copyable_v<T>) {
    std::memcpy(place.at, &value, sizeof value);
  } else {
    *reinterpret_cast<T*>(place.at) = value;
  }
}

template <class T>
Status store_integer(const Place<std::byte>& place, const Value& value) {
  if (const auto* with_sign = std::get_if<std::int64_t>(&value)) {
    if (!std::in_range<T>(*with_sign)) return wrong(*place.member, "cannot hold this number");
    store(place, static_cast<T>(*with_sign));
    return {};
  }
  const auto* without = std::get_if<std::uint64_t>(&value);
  if (without == nullptr) return wrong(*place.member, "is an integer");
  if (!std::in_range<T>(*without)) return wrong(*place.member, "cannot hold this number");
  store(place, static_cast<T>(*without));
  return {};
}

std::optional<double> as_double(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
  if (const auto* number = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*number);
  return std::nullopt;
}

template <class Float>
Status store_float(const Place<std::byte>& place, const Value& value) {
  const std::optional<double> number = as_double(value);
  if (!number) return wrong(*place.member, "is a number");
  store(place, static_cast<Float>(*number));
  return {};
}

template <class Text>
Status store_text(const Place<std::byte>& place, const Text& text) {
  const std::size_t bound = place.member->string_upper_bound_;
  if (bound != 0 && text.size() > bound) return wrong(*place.member, "cannot hold so long a string");
  store(place, text);
  return {};
}

}  // namespace

Result<Value> TypeSupport::get(const void* message, std::string_view path) const {
  const auto found = find(*members_, static_cast<const std::byte*>(message), path);
  if (!found) return tl::unexpected(found.error());
  const Place<const std::byte>& place = *found;
  if (!is_single(*place.member, place.index)) return wrong(*place.member, "is not a single value");
  switch (place.member->type_id_) {
    case id::ROS_TYPE_BOOLEAN: return load<bool>(place);
    case id::ROS_TYPE_OCTET:
    case id::ROS_TYPE_CHAR:
    case id::ROS_TYPE_UINT8: return std::uint64_t{load<std::uint8_t>(place)};
    case id::ROS_TYPE_UINT16: return std::uint64_t{load<std::uint16_t>(place)};
    case id::ROS_TYPE_UINT32: return std::uint64_t{load<std::uint32_t>(place)};
    case id::ROS_TYPE_UINT64: return load<std::uint64_t>(place);
    case id::ROS_TYPE_INT8: return std::int64_t{load<std::int8_t>(place)};
    case id::ROS_TYPE_INT16: return std::int64_t{load<std::int16_t>(place)};
    case id::ROS_TYPE_INT32: return std::int64_t{load<std::int32_t>(place)};
    case id::ROS_TYPE_INT64: return load<std::int64_t>(place);
    case id::ROS_TYPE_FLOAT: return double{load<float>(place)};
    case id::ROS_TYPE_DOUBLE: return load<double>(place);
    case id::ROS_TYPE_STRING: return load<std::string>(place);
    case id::ROS_TYPE_WSTRING: return utf8(load<std::u16string>(place));
    default: return wrong(*place.member, "has a type that no .msg file makes");
  }
}

Status TypeSupport::set(void* message, std::string_view path, const Value& value) const {
  const auto found = find(*members_, static_cast<std::byte*>(message), path);
  if (!found) return tl::unexpected(found.error());
  const Place<std::byte>& place = *found;
  const Member& member = *place.member;
  if (!is_single(member, place.index)) return wrong(member, "is not a single value");
  const auto* bit = std::get_if<bool>(&value);
  const auto* text = std::get_if<std::string>(&value);
  switch (member.type_id_) {
    case id::ROS_TYPE_BOOLEAN:
      if (bit == nullptr) return wrong(member, "is a bool");
      store(place, *bit);
      return {};
    case id::ROS_TYPE_OCTET:
    case id::ROS_TYPE_CHAR:
    case id::ROS_TYPE_UINT8: return store_integer<std::uint8_t>(place, value);
    case id::ROS_TYPE_UINT16: return store_integer<std::uint16_t>(place, value);
    case id::ROS_TYPE_UINT32: return store_integer<std::uint32_t>(place, value);
    case id::ROS_TYPE_UINT64: return store_integer<std::uint64_t>(place, value);
    case id::ROS_TYPE_INT8: return store_integer<std::int8_t>(place, value);
    case id::ROS_TYPE_INT16: return store_integer<std::int16_t>(place, value);
    case id::ROS_TYPE_INT32: return store_integer<std::int32_t>(place, value);
    case id::ROS_TYPE_INT64: return store_integer<std::int64_t>(place, value);
    case id::ROS_TYPE_FLOAT: return store_float<float>(place, value);
    case id::ROS_TYPE_DOUBLE: return store_float<double>(place, value);
    case id::ROS_TYPE_STRING:
    case id::ROS_TYPE_WSTRING:
      if (text == nullptr) return wrong(member, "is a string");
      return member.type_id_ == id::ROS_TYPE_STRING ? store_text(place, *text) : store_text(place, utf16(*text));
    default: return wrong(member, "has a type that no .msg file makes");
  }
}

Result<std::string> TypeSupport::to_yaml(const void* message, std::string_view path, const YamlOptions& options) const {
  const auto found = find(*members_, static_cast<const std::byte*>(message), path);
  if (!found) return tl::unexpected(found.error());
  return field_yaml(*found->member, found->at, found->index, options);
}

}  // namespace convoy::ros
