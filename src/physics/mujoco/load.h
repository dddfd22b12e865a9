// What a robot carries, as part of its base: the base's mass, centre and inertia with it, and its shapes.
//
// A body that is attached moves with the robot's frame, so it needs no joint and no number in any state: a variant of
// the robot's model has it in the base itself. The variant counts all that the model counts, so a state of one is a
// state of the other, and which of them a robot needs follows from whom the world says it carries.
//
// Of what is carried comes all that goes where its own frame goes, its joints as at the start. It touches all that
// moves on its own and the static world, but none of the robot that carries it, in whom it may stick.
#pragma once

#include <memory>
#include <span>

#include "physics/mujoco/ghosts.h"

namespace convoy::mujoco {

struct Load {
  std::uint64_t key = 0;  // of what is carried, and where
  // In the frame of body base.body, or, below 0, of the robot. If it is not free, what it weighs moves nothing.
  GhostBody base;
  double own_mass = 0;  // kg of it that are the robot's
};

// One of the bodies that are carried.
struct Piece {
  std::shared_ptr<const GhostKind> kind;
  Pose X_FC;  // where its frame is in the robot's
};

// The same bodies at the same places?
bool same_load(std::span<const Carried> a, std::span<const Carried> b);
// Null: nothing of it has a shape, or the robot has no base. `bare` is the robot's own model; null: a kinematic one.
std::shared_ptr<const Load> make_load(const Compiled* bare, std::span<const Piece> pieces);
// Puts it into a document that MuJoCo has parsed.
void add_load(mjSpec* spec, const Load& load);
// Finds it in what became of that, and checks that all else is as in `bare`.
Status find_load(const mjModel* model, const Load& load, const Compiled& bare);
// Lets it touch what it should; the model's first `own` bodies are no ghosts.
void offer_contacts(mjModel* model, const Load& load, int own);
// The ghost of who carries it, if that is kinematic.
void add_to_ghost(GhostKind& kind, const Load& load);

}  // namespace convoy::mujoco
