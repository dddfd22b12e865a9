// Samples of a fleet's robots that other hosts compute: who computes which, and those that have not come yet.
//
//   orders.give(robot, sensor, host)      placed there from now on
//   orders.take(k, inputs)                at boundary k, immediately before its tick: what is ordered, by host
//   orders.fill(...)                      after that: one has come,
//   orders.make_up(host, maker)           or is computed here after all: the bytes are the same
//   orders.awaits(k + 1)                  something that is due is missing: that tick may not begin
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "agent/agent.h"
#include "agent/past_worlds.h"
#include "agent/sample_maker.h"

namespace convoy {

class FleetOrders {
 public:
  using Agents = std::vector<std::unique_ptr<Agent>>;  // by world number
  // Those of a fleet, which outlive it. `taker`: beside nodes; may be null.
  FleetOrders(const Agents& agents, const World& world, const Setup& setup, const SampleTaker* taker)
      : agents_(agents), world_(world), setup_(setup), taker_(taker) {}

  // From the next boundary on; kNobody: computed here.
  void give(WorldNumber robot, std::uint32_t sensor, Owner host);
  // A robot is there, with what was given before it came.
  void came(Agent& agent) const;
  // A robot is not there any more, or begins anew.
  void forget(WorldNumber robot);
  // All of them. Who computes what stays.
  void restart() { open_.clear(), past_.clear(); }
  // Before edits of the world at a boundary.
  void before_edit() { past_.before_edit(world_); }

  // They are ordered from then on.
  std::map<Owner, std::vector<SampleOrder>> take(Tick k, std::span<const Input> inputs);
  // Is something that is due at that instant, or before, still to come?
  bool awaits(Instant now) const { return !late(now).empty(); }
  // The hosts of which it is.
  std::vector<Owner> late(Instant now) const;
  // False: it is not waited for (any more).
  bool fill(Tick ordered_at, const SampleName& name, SampleData data);
  // What that host has not sent is computed from the worlds of then. Returns how many samples.
  std::size_t make_up(Owner host, SampleMaker& maker);
  std::size_t make_up(WorldNumber robot, SampleMaker& maker);  // whoever owes it

 private:
  struct Open {
    Owner host = kNobody;
    Instant due{};
    SampleOrder order;
  };
  std::size_t compute(const std::map<Tick, std::vector<SampleOrder>>& orders, SampleMaker& maker);
  Agent* find(WorldNumber number) const;  // one with sensors
  void tidy();

  const Agents& agents_;
  const World& world_;
  const Setup& setup_;
  const SampleTaker* taker_;
  std::map<std::pair<WorldNumber, std::uint32_t>, Owner> hosts_;  // of sensors; others are computed here
  std::map<std::pair<Tick, SampleName>, Open> open_;
  PastWorlds past_;
};

}  // namespace convoy
