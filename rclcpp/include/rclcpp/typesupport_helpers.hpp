// Type supports by name.
#pragma once

#include <rosidl_runtime_c/message_type_support_struct.h>

#include <memory>
#include <string>

namespace rcpputils {
class SharedLibrary;  // a token here: libraries stay loaded
}

namespace rclcpp {

// The library of the type's package (convoy_ros/types.hpp states where it is searched for), whichever type support is
// named; std::runtime_error if there is none.
std::shared_ptr<rcpputils::SharedLibrary> get_typesupport_library(const std::string& type,
                                                                  const std::string& identifier);
// rosidl's introspection if that is named, else the handle that rclcpp's own functions take.
const rosidl_message_type_support_t* get_message_typesupport_handle(const std::string& type,
                                                                    const std::string& identifier,
                                                                    rcpputils::SharedLibrary& library);
inline const rosidl_message_type_support_t* get_typesupport_handle(const std::string& type,
                                                                   const std::string& identifier,
                                                                   rcpputils::SharedLibrary& library) {
  return get_message_typesupport_handle(type, identifier, library);
}

}  // namespace rclcpp
