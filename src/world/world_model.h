// Names that a scenario's MJCF world has among the models and entities.
#pragma once

namespace convoy {

// The model whose files are the static world, for robots that a physics engine moves. No robot is made of it.
inline constexpr const char* kWorldModel = "mjcf_world";
// The model, and the one entity of it, of all that moves in that world.
inline constexpr const char* kWorldObjects = "world_objects";

}  // namespace convoy
