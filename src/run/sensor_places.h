// Sensor hosts of a run, and which samples whose sensors they compute: the balancer, kept in step with the world.
//
// Nothing of it enters a state, a journal or a digest: in lockstep samples are the same wherever they are computed.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "run/books.h"
#include "run/cost_meter.h"
#include "run/sample_frames.h"
#include "sensing/balancer.h"

namespace convoy {

class SensorPlaces {
 public:
  // It outlives this.
  explicit SensorPlaces(Books& books) : books_(books) {}

  // A host comes. Before the run begins it gets what the setup has; later only what is new.
  void host_came(Owner host, std::string name);
  // It is gone, or was not heard of for a while: what it had is placed anew at once, and robots' hosts are told.
  void host_left(Owner host);
  bool has(Owner host) const { return names_.contains(host); }
  std::vector<std::string> names() const;
  // A robots' host waited for them too long, or could make nothing of what they sent.
  void give_up(std::span<const Owner> hosts, const std::string& who);
  // The robots have their hosts: they are placed when the next tick opens. What a user may not expect is put into `warnings`.
  void begin(std::vector<std::string>& warnings);
  // Follows the world, which edits have changed, and tells robots' hosts what has changed for them. `moved`: robots have
  // other hosts.
  void settle(bool moved);
  // Its link is closed: it is waited for until then. link_back() of one that was given up: it is as one that comes late.
  void link_lost(Owner host, Moment until);
  void link_back(Owner host, const std::string& name);
  // Gives up those whose time is over.
  void on_time(Moment now);
  Moment deadline() const;
  // What has become of samples: these have reached their robots; in free mode, so many were late or skipped.
  struct Counts {
    std::uint64_t samples = 0, late = 0, skipped = 0;
  };
  void count(const Counts& more);

  // A Costs frame of a host or a sensor host. Where the scenario wants it, sensors move.
  Status costs(Owner from, ByteView payload, Moment now);

  const SensorBalancer& balancer() const { return balancer_; }
  const SampleCosts& costs() const { return costs_; }
  const std::string& name_of(Owner host) const;  // empty: there is none
  // Which sensor host computes a sensor's samples, by its place in the robot's specs; kNobody: its robot's host.
  Owner host_of(WorldNumber robot, std::uint32_t sensor) const;
  const Counts& counts() const { return counts_; }
  std::uint64_t lost() const { return lost_; }  // hosts
  std::vector<std::string> take_news() { return std::exchange(news_, {}); }

 private:
  void place_anew(Owner host, const std::string& why);
  void follow();
  void tell(const std::vector<Owner>& gone);
  const std::vector<SensorBalancer::Wish>& wishes_of(const std::shared_ptr<const EntityKind>& kind);

  Books& books_;
  SensorBalancer balancer_;
  SampleCosts costs_;
  Moment next_move_{};
  std::map<Owner, std::string> names_;
  std::map<std::shared_ptr<const EntityKind>, std::vector<SensorBalancer::Wish>> wishes_;
  struct Told {
    Owner main = kNobody, host = kNobody;
    friend bool operator==(const Told&, const Told&) = default;
  };
  std::map<std::pair<WorldNumber, std::uint32_t>, Told> told_;  // of what is not on main
  std::map<Owner, Moment> absent_;                              // hosts without a link; kNever: given up
  std::uint32_t run_ = 0;
  std::uint64_t structure_ = 0;  // of the world, when it was followed last
  bool begun_ = false, stale_ = true;
  Counts counts_;
  std::uint64_t lost_ = 0;
  std::vector<std::string> news_;
};

}  // namespace convoy
