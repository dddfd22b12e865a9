// Message types by name, and messages whose type has no C++ here.
#pragma once

#include <string>
#include <string_view>

#include "convoy_ros_types/type_support.h"
#include "nodes/message.h"

namespace convoy::ros {

// "pkg/msg/Type", or "pkg/Type". From lib<pkg>__types.so, the library of an interface package (cmake/ConvoyMsgs.cmake):
// one that is loaded already, else one that the loader finds beside this library or on its path, else one in lib/ of a
// prefix in AMENT_PREFIX_PATH. It stays loaded. kNotFound names what is missing. Any thread.
Result<TypeSupport> find_type(std::string_view name);

// A type whose messages are their CDR bytes: objects of it are rclcpp::SerializedMessage. It needs no library. Of hash
// and schema what is not given (empty) is the library's, if there is one. One object for one (name, hash, schema), for
// good. kInvalid: no name of a message type. Any thread.
Result<const nodes::MessageType*> serialized_type(std::string_view name, std::string_view hash = {},
                                                  std::string_view schema = {});

}  // namespace convoy::ros
