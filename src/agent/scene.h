// A host's world between the setup and its image: with all compiled that the setup's robots will need, so that no tick
// waits for it.
#pragma once

#include <memory>
#include <vector>

#include "agent/fleet.h"
#include "world/world.h"

namespace convoy {

// Does somebody inside a run see what its cameras take, so that all who run it must draw the same bits?
bool pictures_count(const Setup& setup);

// Of what draws a machine's pictures. kUnsupported: it draws none, and why; null: its build has no renderer.
Result<std::uint64_t> renderer_of(PictureMaker* pictures);

class Scene {
 public:
  // kUnsupported: a sensor of the setup casts rays, or takes pictures that count, and this machine cannot.
  static Result<std::unique_ptr<Scene>> make(const Setup& setup, const AgentParts& parts);

  Status load_image(ByteView image) { return world_.load_image(image); }
  // Once, for the fleet; what was compiled stays for as long as this does.
  World take() { return std::move(world_); }

 private:
  explicit Scene(World world) : world_(std::move(world)) {}

  World world_;
  std::vector<std::shared_ptr<const void>> prepared_;
};

}  // namespace convoy
