// Whom a robot may touch in a tick, from the snapshot.
#pragma once

#include <vector>

#include "convoy/geometry.h"
#include "physics/physics.h"
#include "world/snapshot.h"

namespace convoy {

struct AgentTick;

// Those whose bounding circles come within `reach` (m) of `at`, but what the robot at `slot` carries; and the carriers of
// those that are carried. False: no entity is within reach.
bool collect_neighbours(const AgentTick& tick, Slot slot, const Vec3& at, double reach,
                        std::span<const Carried> carried, std::vector<Neighbour>& out);

// The same tick after tick. What it keeps is a cache of the grid's answers that changes no result, and therefore no part
// of an agent's inner state.
class Neighbours {
 public:
  void find(const AgentTick& tick, Slot slot, const Vec3& at, const Physics& physics, const Model& model,
            std::span<const Carried> carried, std::vector<Neighbour>& out);
  void forget() { reach_for_ = Duration(0); }  // the robot carries something else

 private:
  double reach_ = 0;            // Physics::neighbourhood() for a tick of
  Duration reach_for_{0};       // this length; 0: not known
  std::uint64_t alone_in_ = 0;  // generation of the grid in which no entity is within reach_
  double alone_until_ = 0;      // before its drift is this, m
};

}  // namespace convoy
