// A cache of compiled MuJoCo models: one for each model, world, load and set of ghosts.
//
// Thread-safe: robots ask for models while they step on several threads. The answers do not depend on their order.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "physics/mujoco/load.h"

namespace convoy::mujoco {

// Where a robot lives.
struct Scene {
  const ModelFiles* files = nullptr;
  const StaticMap* map = nullptr;
  const Model* fixed = nullptr;  // of kWorldModel
};

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
  Result<std::shared_ptr<const Compiled>> alone(const Model& model, const Scene& scene);
  // The same with a load, of which `bare` knows nothing.
  Result<std::shared_ptr<const Compiled>> laden(const Model& model, const Scene& scene, const Compiled& bare,
                                                const Load& load);
  // Of no bodies, if nothing can be made of the model.
  std::shared_ptr<const GhostKind> kind(const Model& model, const ModelFiles& files, bool held,
                                        std::span<const Carried> carried = {});
  // Of a robot whose own model is `bare`; null: of a kinematic one. Null: nothing that it carries has a shape.
  std::shared_ptr<const Load> load(const Compiled* bare, std::span<const Carried> carried, const ModelFiles& files);
  // `alone` is what it is without ghosts, with that load; null: without one.
  Result<std::shared_ptr<const Compiled>> among(const Model& model, const Scene& scene, const Compiled& alone,
                                                const Load* load, std::span<const Ghost> ghosts);

 private:
  GhostKind make_kind(const Model& model, const ModelFiles& files, std::span<const Carried> carried);

  std::mutex lock_;
  // By what goes into them. Gone with the last robot that uses them: a world of the next run may be another.
  std::map<std::uint64_t, std::weak_ptr<const Compiled>> compiled_;
  std::map<std::uint64_t, std::weak_ptr<const GhostKind>> kinds_;
  std::deque<std::shared_ptr<const Compiled>> kept_;
  std::size_t kept_geoms_ = 0;
};

}  // namespace convoy::mujoco
