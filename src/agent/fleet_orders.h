// Samples of a fleet's robots that other hosts compute: who computes which, and those that have not come yet.
//
//   orders.give(robot, sensor, host)      placed there from now on
//   orders.take(k, inputs)                at boundary k, immediately before its tick: what is ordered, by host
//   orders.fill(...)                      after that: one has come,
//   orders.make_up(host, maker)           or is computed here after all: the bytes are the same
//   orders.awaits(k + 1)                  something that is due is missing: that tick may not begin
//
// In free mode no tick waits: what is late is put off from one boundary to the next, and what a lost host owes is dropped.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
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

  // In free mode, from the beginning.
  void never_wait() { waits_ = false; }
  bool waits() const { return waits_; }
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
  // Free mode: the boundary of the oldest sample that was put off and has not come, and the hosts from which what was
  // ordered at that boundary is.
  std::optional<Tick> oldest_late() const;
  std::vector<Owner> oldest_late_of() const;
  // Free mode: samples that were not there when they were due, that were left out because an older one of the same sensor
  // was late, and that were dropped with their host; since the last call.
  struct Missed {
    std::uint64_t late = 0, left_out = 0, dropped = 0;
    bool any() const { return late + left_out + dropped > 0; }
  };
  Missed take_missed() { return std::exchange(missed_, {}); }
  // False: it is not waited for (any more).
  bool fill(Tick ordered_at, const SampleName& name, SampleData data);
  // What that host has not sent is computed from the worlds of then. Returns how many samples. In free mode it is dropped.
  std::size_t make_up(Owner host, SampleMaker& maker);
  std::size_t make_up(WorldNumber robot, SampleMaker& maker);  // whoever owes it

 private:
  struct Open {
    Owner host = kNobody;
    Instant due{};  // where it is ordered; late: was put off since
    SampleOrder order;
    bool late = false;
  };
  using Name = std::pair<Tick, SampleName>;
  std::size_t compute(const std::vector<Name>& owed, SampleMaker& maker);
  void drop(const std::vector<Name>& owed);
  void put_off(Instant now);
  SampleQueue* queue_of(WorldNumber robot) const;  // null: it is not here, or has no sensors
  Agent* find(WorldNumber number) const;           // one with sensors
  void tidy();

  const Agents& agents_;
  const World& world_;
  const Setup& setup_;
  const SampleTaker* taker_;
  std::map<std::pair<WorldNumber, std::uint32_t>, Owner> hosts_;  // of sensors; others are computed here
  std::map<Name, Open> open_;
  PastWorlds past_;
  bool waits_ = true;
  Missed missed_;
};

}  // namespace convoy
