// The space that entities take, and regions of the world, as simulation_interfaces/Bounds has both.
#pragma once

#include <optional>
#include <simulation_interfaces/msg/bounds.hpp>
#include <variant>

#include "convoy/geometry.h"
#include "convoy/result.h"
#include "world/model.h"

namespace convoy::ros2 {

struct Box {
  Vec3 low, high;  // m
  friend bool operator==(const Box&, const Box&) = default;
};
struct Ball {
  Vec3 centre;
  double radius = 0;  // m
  friend bool operator==(const Ball&, const Ball&) = default;
};
// Of the world; the first: all of it.
using Region = std::variant<std::monostate, Box, Ball>;

// About a model's footprint and height, in its frame; nothing: it has no body.
std::optional<Box> body_of(const Model& model);
simulation_interfaces::msg::Bounds message_of(const std::optional<Box>& box);

// kUnsupported: a hull; kInvalid: points that are not finite, too few or too many, or no such type.
Result<Region> region_of(const simulation_interfaces::msg::Bounds& bounds);
// Do they share a point? What has no body is where its frame is.
bool touches(const std::optional<Box>& body, const Pose& X_WB, const Region& region);

}  // namespace convoy::ros2
