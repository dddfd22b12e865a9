// Interest management: which entities' states a host is sent in a round, the nearest to its own first.
//
//   interest.follow(world);                          after edits: who owns what
//   interest.rebuild(world, view_radius, lasts);     now and then: where all entities are
//   interest.of(owner, world, trickle, wanted);      for each host
//
// The cost for a host grows with its own entities and their neighbours, not with the world.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "replication/state_sender.h"
#include "world/grid.h"

namespace convoy {

inline constexpr double kInterestMargin = 2;  // m beyond an agent's view for which its host gets states

class Interest {
 public:
  void follow(const World& world);
  // `lasts`: from the oldest state in the snapshot until the last use of the result. An entity that may move farther
  // than half of the margin in that time gets a larger radius.
  void rebuild(const World& world, double view_radius, Duration lasts = Duration{0});
  // Slots ascending; entities in view have distance 0. Of the others a few are added each time, in turn from `trickle`
  // on.
  void of(Owner owner, const World& world, Slot& trickle, std::vector<StateSender::Wanted>& out);
  // The same for a peer that subscribes to a circle: slots ascending, with distances from its centre, m.
  void within(double x, double y, double radius, const World& world, std::vector<StateSender::Wanted>& out);
  Owner owner(Slot slot) const { return owners_[slot]; }

 private:
  double lead(Slot slot) const { return reaches_[slot] - radii_[slot.index()]; }
  void see(Owner owner, std::span<const Slot> own, const Snapshot& snapshot);

  Grid grid_;
  double radius_ = 0;
  std::span<const double> radii_;                // the world's
  BySlot<double> reaches_;                       // and how far each may go, by slot, m
  BySlot<Owner> owners_;                         // by slot
  std::map<Owner, std::vector<Slot>> slots_of_;  // ascending
  BySlot<std::uint32_t> marked_;                 // by slot: the last of() that had it in view
  std::uint32_t mark_ = 0;
  std::vector<Slot> near_, seen_, far_;
};

}  // namespace convoy
