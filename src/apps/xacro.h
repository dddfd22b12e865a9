// xacro, the template language in which ROS robots are written: a program of its own expands it, for files whose author
// the caller trusts, as it runs what they say.
#pragma once

#include <string>

#include "convoy/result.h"

namespace convoy::apps {

bool is_xacro(const std::string& file);
// The URDF that `xacro FILE` prints; the program is searched for in PATH. Errors are what it said.
Result<std::string> expand_xacro(const std::string& path);

}  // namespace convoy::apps
