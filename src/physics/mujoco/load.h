// The load of a robot: the entities attached to it, as additional mass, inertia and geoms of its base.
//
// An attached body moves with the robot's frame and needs no joint, so the robot with load is a variant of its model
// with the same state: either can load the other's. Which variant is used follows from the world's attachments.
//
// A load has everything that moves rigidly with the attached entity's frame, with its joints as at the start. It
// collides with the static world and with other robots, not with the robot that carries it.
#pragma once

#include <memory>
#include <span>

#include "physics/mujoco/ghosts.h"

namespace convoy::mujoco {

struct Load {
  std::uint64_t key = 0;  // of what is carried, and where
  // In the frame of body base.body, or, below 0, of the robot; 0: of its file. If it is not free, what it weighs moves
  // nothing.
  GhostBody base;
  double own_mass = 0;  // kg of it that are the robot's
};

// One of the bodies that are carried.
struct Piece {
  std::shared_ptr<const GhostKind> kind;
  Pose X_RC;  // where its frame is in the robot's
};

// The same bodies at the same places?
bool same_load(std::span<const Carried> a, std::span<const Carried> b);
// Null: nothing of it has a shape. `bare` is the robot's own model; null: a kinematic one.
std::shared_ptr<const Load> make_load(const Compiled* bare, std::span<const Piece> pieces);
// Puts it into a document that MuJoCo has parsed.
void add_load(mjSpec* spec, const Load& load);
// Finds it in what became of that, and checks that all else is as in `bare`.
Status find_load(const mjModel* model, const Load& load, const Compiled& bare);
// Lets it touch what it should; the model's first `own` bodies are no ghosts.
void offer_contacts(mjModel* model, const Load& load, int own);
// The ghost of its carrier, if that is kinematic.
void add_to_ghost(GhostKind& kind, const Load& load);

}  // namespace convoy::mujoco
