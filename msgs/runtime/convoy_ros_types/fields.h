// Walking over the fields of a message whose C++ type is not known; inside convoy_ros_types only.
//
// In memory a field is a primitive, a std::string, a std::u16string or a message; or a std::array, std::vector or
// BoundedVector of them. All but std::vector<bool> hold their elements side by side.
#pragma once

#include <rosidl_typesupport_introspection_cpp/field_types.hpp>

#include <cstddef>
#include <string>

#include "convoy_ros_types/type_support.h"

namespace convoy::ros {

namespace id = rosidl_typesupport_introspection_cpp;

inline const Members& nested_members(const Member& member) {
  return *static_cast<const Members*>(member.members_->data);
}
inline std::span<const Member> fields_of(const Members& members) { return {members.members_, members.member_count_}; }

// Without a field in its definition: C++ and IDL know no empty structures, and rosidl puts a byte in that means nothing.
inline bool is_empty(const Members& members) {
  return std::string_view(members.members_[0].name_) == "structure_needs_at_least_one_member";
}

inline const std::byte* field(const void* message, const Member& member) {
  return static_cast<const std::byte*>(message) + member.offset_;
}
inline std::byte* field(void* message, const Member& member) {
  return static_cast<std::byte*>(message) + member.offset_;
}

inline bool is_fixed_array(const Member& member) {
  return member.is_array_ && member.array_size_ > 0 && !member.is_upper_bound_;
}

// Bytes of a primitive in memory and in CDR, which is also its alignment in both; 0: not a primitive.
constexpr std::size_t width(std::uint8_t type) {
  switch (type) {
    case id::ROS_TYPE_BOOLEAN:
    case id::ROS_TYPE_OCTET:
    case id::ROS_TYPE_CHAR:
    case id::ROS_TYPE_UINT8:
    case id::ROS_TYPE_INT8: return 1;
    case id::ROS_TYPE_UINT16:
    case id::ROS_TYPE_INT16: return 2;
    case id::ROS_TYPE_FLOAT:
    case id::ROS_TYPE_UINT32:
    case id::ROS_TYPE_INT32: return 4;
    case id::ROS_TYPE_DOUBLE:
    case id::ROS_TYPE_UINT64:
    case id::ROS_TYPE_INT64: return 8;
    default: return 0;
  }
}

// Bytes from one element to the next.
inline std::size_t stride(const Member& member) {
  switch (member.type_id_) {
    case id::ROS_TYPE_MESSAGE: return nested_members(member).size_of_;
    case id::ROS_TYPE_STRING: return sizeof(std::string);
    case id::ROS_TYPE_WSTRING: return sizeof(std::u16string);
    default: return width(member.type_id_);
  }
}

// The elements of a field: one, if it is neither array nor sequence. `first` is nullptr for std::vector<bool> (and where
// there are none): its elements go through fetch_function and assign_function.
template <class Byte>
struct Elements {
  Byte* first;
  std::size_t count;
};

inline bool is_bool_sequence(const Member& member) {
  return member.is_array_ && member.get_function == nullptr;
}
inline Elements<const std::byte> elements(const Member& member, const std::byte* at) {
  if (!member.is_array_) return {at, 1};
  const std::size_t count = member.size_function(at);
  if (count == 0 || is_bool_sequence(member)) return {nullptr, count};
  return {static_cast<const std::byte*>(member.get_const_function(at, 0)), count};
}
inline Elements<std::byte> elements(const Member& member, std::byte* at) {
  if (!member.is_array_) return {at, 1};
  const std::size_t count = member.size_function(at);
  if (count == 0 || is_bool_sequence(member)) return {nullptr, count};
  return {static_cast<std::byte*>(member.get_function(at, 0)), count};
}

inline const std::string& as_string(const std::byte* at) { return *reinterpret_cast<const std::string*>(at); }
inline std::string& as_string(std::byte* at) { return *reinterpret_cast<std::string*>(at); }
inline const std::u16string& as_wstring(const std::byte* at) { return *reinterpret_cast<const std::u16string*>(at); }
inline std::u16string& as_wstring(std::byte* at) { return *reinterpret_cast<std::u16string*>(at); }

// "geometry_msgs/msg/Twist".
std::string name_of(const Members& members);

// The pieces behind TypeSupport's functions, each in a file of its own.
Status write_cdr(const Members& members, const void* message, std::vector<std::uint8_t>& out);
Status read_cdr(const Members& members, std::span<const std::uint8_t> bytes, void* message, Rest rest);
void write_yaml(const Members& members, const void* message, const YamlOptions& options, std::string& out);
// Of one field, or of one of its elements if `index` is not kWhole.
inline constexpr std::size_t kWhole = static_cast<std::size_t>(-1);
std::string field_yaml(const Member& member, const std::byte* at, std::size_t index, const YamlOptions& options);

}  // namespace convoy::ros
