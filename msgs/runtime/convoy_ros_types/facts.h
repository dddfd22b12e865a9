// What a generated interface package declares of its types beyond rosidl's introspection: names, hashes, definitions.
//
// Each package's generated unit (msgs/generator) holds one of these structs per type, constant from before main() on.
// rosidl_typesupport_cpp::get_message_type_support_handle<T>() gives a handle whose `data` is a MessageFacts and whose
// identifier is kFactsIdentifier; asked for the identifier of rosidl_typesupport_introspection_cpp, it gives rosidl's
// own.
#pragma once

#include <rosidl_runtime_c/action_type_support_struct.h>
#include <rosidl_runtime_c/message_type_support_struct.h>
#include <rosidl_runtime_c/service_type_support_struct.h>

#include <cstddef>
#include <cstring>
#include <span>

namespace convoy::ros {

inline constexpr char kFactsIdentifier[] = "convoy_ros_types";

using MessageHandle = const rosidl_message_type_support_t*();
using ServiceHandle = const rosidl_service_type_support_t*();

struct MessageFacts {
  const char* name;        // "geometry_msgs/msg/Twist", "std_srvs/srv/Trigger_Request"
  const char* hash;        // "RIHS01_" and 64 hex digits
  const char* definition;  // as in a .msg file
  const rosidl_message_type_support_t* introspection;
  MessageHandle* const* nested;  // of its fields' types, in the order of first use
  std::size_t nested_count;
};

struct ServiceFacts {
  const char* name;  // "std_srvs/srv/Trigger"
  const char* hash;
  const rosidl_message_type_support_t* event;  // "std_srvs/srv/Trigger_Event", in no list of messages
  const rosidl_message_type_support_t* request;
  const rosidl_message_type_support_t* response;
  ServiceHandle* introspection;
};

struct ActionFacts {
  const char* name;  // "example_interfaces/action/Fibonacci"
  const char* hash;
  const rosidl_message_type_support_t *goal, *result, *feedback;
  const rosidl_service_type_support_t *send_goal, *get_result;
  const rosidl_message_type_support_t* feedback_message;  // what the feedback topic carries: goal_id and feedback
};

// All types of a package. Each package's library has extern "C" const PackageFacts* convoy_types_of_<package>().
struct PackageFacts {
  const char* name;
  std::span<const MessageFacts* const> messages;  // requests, responses and the parts of actions, too
  std::span<const ServiceFacts* const> services;
  std::span<const ActionFacts* const> actions;
};

// The `func` of the handles. nullptr: there is no such type support.
inline const rosidl_message_type_support_t* message_handle(const rosidl_message_type_support_t* handle,
                                                           const char* identifier) {
  if (std::strcmp(identifier, kFactsIdentifier) == 0) return handle;
  const auto* inner = static_cast<const MessageFacts*>(handle->data)->introspection;
  return std::strcmp(identifier, inner->typesupport_identifier) == 0 ? inner : nullptr;
}
inline const rosidl_service_type_support_t* service_handle(const rosidl_service_type_support_t* handle,
                                                           const char* identifier) {
  if (std::strcmp(identifier, kFactsIdentifier) == 0) return handle;
  const auto* inner = static_cast<const ServiceFacts*>(handle->data)->introspection();
  return std::strcmp(identifier, inner->typesupport_identifier) == 0 ? inner : nullptr;
}

}  // namespace convoy::ros
