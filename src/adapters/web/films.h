// One recording, or two beside each other, as pages have them: one list of entities, one scene, one time.
//
// What is of the second has numbers and models of its own (kBeside, kModelsBeside), names with " (2)" behind them, and
// is drawn beside the first one's ground: its states are as they were recorded, and pages shift them (`beside` of the
// scene, docs/web.md).
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "adapters/web/entity_list.h"
#include "adapters/web/frame.h"
#include "adapters/web/scene_book.h"
#include "record/player.h"

namespace convoy::web {

inline constexpr std::uint32_t kModelsBeside = kMaxModels;  // added to models

class Films {
 public:
  explicit Films(Log& log) : log_(log) {}
  // At most two. The recording outlives it.
  void add(const Recording& recording, Player player);

  // The last boundary of each at or before that log time; where a file is damaged, the one before stays. Why.
  Status show(std::uint64_t time_ns);
  // The next boundary of the first, or of the second where that has ended.
  Status show_next();
  std::uint64_t time_ns() const;  // of what is shown: the later one
  std::uint64_t end_ns() const;   // of the longer one
  const Player& front() const { return all_.front().player; }
  const Recording& recording() const { return *all_.front().recording; }  // the first

  // What is new in the worlds that are shown. True: the scene is another, too.
  struct News {
    bool scene = false;
    nlohmann::json entities;  // docs/web.md, `entities`; null: nothing is different
  };
  News follow();
  nlohmann::json scene() const;
  SceneFiles files() const;
  nlohmann::json entities() const;  // all
  std::uint32_t structure() const;
  std::vector<const World*> worlds() const;

 private:
  struct Film {
    const Recording* recording;
    Player player;
    SceneBook scene;
    EntityList entities;
  };
  double shift() const;

  Log& log_;
  std::vector<Film> all_;
};

}  // namespace convoy::web
