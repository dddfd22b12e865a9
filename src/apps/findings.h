// What convoy doctor finds.
#pragma once

#include <string>
#include <vector>

namespace convoy::apps {

enum class Verdict : std::uint8_t { kOk, kWarn, kBad };

struct Finding {
  Verdict verdict;
  std::string what, text;
};

// What this installation, or build folder, has of what it could have: files that commands look for, and parts that a build
// may lack; with what brings them.
std::vector<Finding> inspect_installation();

}  // namespace convoy::apps
