// A cache of compiled MuJoCo models: one for each model, load, and set of walls and ghosts.
//
// Thread-safe: robots ask for models while they step on several threads. The answers do not depend on their order.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "physics/mujoco/load.h"
#include "physics/mujoco/walls.h"

namespace convoy::mujoco {

// One body of a neighbour's.
struct Ghost {
  std::shared_ptr<const GhostKind> kind;
  std::size_t index = 0;
  const GhostBody& body() const { return kind->bodies[index]; }
  friend bool operator==(const Ghost&, const Ghost&) = default;
};

// Models with ghosts that are kept although no robot uses them: robots that part often meet again.
inline constexpr std::size_t kMostKept = 64;
inline constexpr std::size_t kMostKeptGeoms = 100'000;  // of all of them: maps have many

class Library {
 public:
  // As its document is. `without_ground`: but for the ground that importing has added.
  Result<std::shared_ptr<const Compiled>> alone(const Model& model, const ModelFiles& files,
                                                bool without_ground = false);
  // The same with a load, of which `bare` knows nothing.
  Result<std::shared_ptr<const Compiled>> laden(const Model& model, const ModelFiles& files, const Compiled& bare,
                                                const Load& load);
  // Of a map, or of what replaces it: a model of kWorldModel. Null: neither has any.
  Result<std::shared_ptr<const Walls>> walls(std::shared_ptr<const StaticMap> map, const Model* world,
                                             const ModelFiles& files);
  // Of no bodies, if nothing can be made of the model.
  std::shared_ptr<const GhostKind> kind(const Model& model, const ModelFiles& files, bool held,
                                        std::span<const Carried> carried = {});
  // Holds on to a kind that no robot has, so that it need not be made anew at its next use: to the last kMostKept.
  void keep(const std::shared_ptr<const GhostKind>& kind);
  // Of a robot itself, which is compiled already.
  std::shared_ptr<const GhostKind> own_kind(const Model& model, std::shared_ptr<const Compiled> compiled,
                                            const Load* load);
  // Of a robot whose own model is `bare`; null: of a kinematic one. Null: nothing that it carries has a shape.
  std::shared_ptr<const Load> load(const Compiled* bare, std::span<const Carried> carried, const ModelFiles& files);
  // `alone` is what it is without walls and ghosts, with that load; null: without one. No walls: none within reach.
  Result<std::shared_ptr<const Compiled>> among(const Model& model, const ModelFiles& files, const Compiled& alone,
                                                const Load* load, const Walls* walls, std::span<const Ghost> ghosts);

 private:
  GhostKind make_kind(const Model& model, const ModelFiles& files, std::span<const Carried> carried);
  template <class Make>
  std::shared_ptr<const GhostKind> known_kind(std::uint64_t key, const Make& make);

  std::mutex lock_;
  // By what goes into them. Gone with the last robot that uses them: a world of the next run may be another.
  std::map<std::uint64_t, std::weak_ptr<const Compiled>> compiled_;
  std::map<std::uint64_t, std::weak_ptr<const GhostKind>> kinds_;
  std::map<std::uint64_t, std::weak_ptr<const Walls>> walls_;
  std::deque<std::shared_ptr<const Compiled>> kept_;
  std::size_t kept_geoms_ = 0;
  std::deque<std::shared_ptr<const GhostKind>> kept_kinds_;
};

}  // namespace convoy::mujoco
