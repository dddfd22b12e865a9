// What a robot's description says of itself in its first lines: format and name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace convoy::ros2 {

enum class RobotFormat : std::uint8_t { kUrdf, kMjcf, kSdf };

struct RobotText {
  RobotFormat format{};
  std::string name;  // as it has it; empty: it has none
};

// Nothing: its first element is none of <robot>, <mujoco> and <sdf>. All else about it is for who reads it whole.
std::optional<RobotText> robot_text_of(std::string_view text);
const char* suffix_of(RobotFormat format);  // ".urdf"

}  // namespace convoy::ros2
