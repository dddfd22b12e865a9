// The libraries that this program was built with, by name, with their versions.
#pragma once

#include <map>
#include <string>

namespace convoy::apps {

std::map<std::string, std::string> dependencies();

}  // namespace convoy::apps
