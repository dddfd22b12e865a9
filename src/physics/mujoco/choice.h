// What a robot may meet in a tick: which neighbours' bodies, and whether any walls. From the snapshot alone.
#pragma once

#include <memory>
#include <vector>

#include "physics/mujoco/library.h"

namespace convoy::mujoco {

// Most ghosts in one tick: the nearest, by (distance, world number, body). All fixed bodies of a neighbour count as
// one.
inline constexpr std::size_t kMostGhosts = 8;

// A robot as it meets others.
struct Party {
  const Model& model;
  const ModelFiles& files;                // the model's own
  std::shared_ptr<const Compiled> alone;  // without anything from outside, with what it carries
  std::shared_ptr<const Load> load;       // null: it carries nothing
  std::shared_ptr<Library> library;
  std::shared_ptr<const Walls> walls;  // null: there are none
};

class Choice {
 public:
  struct Chosen {
    std::size_t neighbour = 0;  // among the tick's
    Ghost ghost;
  };

  // `me` outlives it.
  explicit Choice(const Party& me) : me_(me) {}
  // Of a robot whose file's frame stands there. False: it meets nothing.
  bool make(const PhysicsInput& input, const State& state, std::span<const double> tail, const Pose& X_WF);
  void forget_own() { own_ = nullptr; }  // it carries something else

  std::span<const Chosen> ghosts() const { return chosen_; }  // by neighbour
  const Neighbour& neighbour(const Chosen& chosen) const { return neighbours_[chosen.neighbour]; }
  bool walls_near() const { return walls_near_; }
  bool soon_near() const { return soon_near_; }  // a neighbour may need this robot's wrench at the end of the tick

 private:
  enum class Reach { kFar, kSoon, kNear };
  // The reference lasts until the next call.
  const std::shared_ptr<const GhostKind>& kind_of(const Neighbour& neighbour, const ModelFiles* files);
  Reach reach(double dt) const;
  struct Near;
  void choose_ghosts(const PhysicsInput& input, const Neighbour& self);
  void find_near(const PhysicsInput& input, const Neighbour& self, std::vector<Near>& near, std::vector<Near>& others);
  void add_leaning(const PhysicsInput& input, std::vector<Near>& near, std::vector<Near>& others);
  double distance(const GhostBody& body, const GhostMotion& theirs, double dt) const;

  const Party& me_;
  std::shared_ptr<const GhostKind> own_;
  struct Known {
    const Model* model;
    bool held;
    std::vector<Carried> carried;
    std::shared_ptr<const GhostKind> kind;
  };
  std::vector<Known> known_;  // models live as long as the world does
  std::vector<Known> laden_;  // the same of those that carry something: the last ones

  // Of the tick in progress.
  std::vector<Neighbour> neighbours_;
  std::vector<std::shared_ptr<const GhostKind>> kinds_;  // by neighbour; null: too far to matter
  std::vector<Chosen> chosen_;
  std::vector<GhostMotion> mine_, theirs_;
  std::vector<Outline> my_outlines_, their_outlines_;
  bool soon_near_ = false, walls_near_ = false;
};

}  // namespace convoy::mujoco
