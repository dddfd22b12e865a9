// Checks whether what a setup or an edit describes can be made.
#pragma once

#include "convoy/result.h"
#include "world/entity_spec.h"
#include "world/environment.h"

namespace convoy {

inline constexpr double kFarthest = 1e7;  // m from the origin; beyond it doubles lose the micrometre

inline constexpr std::size_t kMaxPath = 1024;  // bytes of a namespace or a frame
inline constexpr std::size_t kMaxTags = 1000;  // of one entity

Status check(const ControllerSpec& controller);
Status check(const Environment& environment);
Status check(const Model& model);  // all but its files
Status check_pose(const Pose& pose);
Status check_tags(const std::string& name, const std::vector<std::string>& tags);  // of the entity of that name
// Checks all of the spec but its name, model and pose.
Status check_spec(const EntitySpec& spec);

}  // namespace convoy
