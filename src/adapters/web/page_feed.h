// What the simulation's side, live or recorded, hands to the pages' desk in the same way. In its thread.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "adapters/web/frame.h"
#include "adapters/web/site.h"

namespace convoy::web {

class PageFeed {
 public:
  explicit PageFeed(Site& site) : site_(site) {}

  // Pages are welcomed, told of scene and entities, and shown where all is, though nothing moves.
  void welcome(std::vector<PageId> pages, nlohmann::json welcome, const nlohmann::json& scene,
               const nlohmann::json& entities);
  // The scene is another, with these files.
  void scene(SceneFiles files, const nlohmann::json& scene);
  // A frame of those worlds, one behind the other, which gets its number at the desk; nothing if it is the same as the
  // last one.
  void frame(std::span<const World* const> worlds, const FrameFacts& facts, Moment now);

 private:
  Site& site_;
  std::shared_ptr<const Roster> roster_;  // of that structure
  std::uint32_t structure_ = 0;
  std::uint64_t hash_ = 0;  // of the last frame
};

}  // namespace convoy::web
