// Those of a client's robots of which somebody hears something.
//
// To ask each of hundreds in every tick costs as much as their ticks, and most runs have a listener to few of them or to none.
// So it is looked anew when robots have come or gone, when the domain's graph has changed, for a while afterwards (DDS matches
// a reader a little later than it tells of it), and once a second in any case.
#pragma once

#include <vector>

#include "adapters/ros2/robot_door.h"

namespace convoy::ros2 {

inline constexpr Duration kLookOften = std::chrono::milliseconds(20), kLookSeldom = std::chrono::seconds(1);

class Audience {
 public:
  // `robots`: number and door of each. Holds until the next call.
  template <class Robots>
  const std::vector<RobotDoor*>& of(const Robots& robots, const DoorHere& here) {
    const Versions versions{here.control.roster().version(), here.domain.graph().version(), robots.size()};
    if (versions != versions_) settles_ = here.now + kLookSeldom;
    else if (here.now < next_) return heard_;
    versions_ = versions, next_ = here.now + (here.now < settles_ ? kLookOften : kLookSeldom);
    heard_.clear();
    for (const auto& [number, robot] : robots)
      if (robot->look_who_listens()) heard_.push_back(robot.get());
    return heard_;
  }
  bool none() const { return heard_.empty(); }

 private:
  // What may change who hears whom.
  struct Versions {
    std::uint64_t roster = 0, graph = 0;
    std::size_t robots = 0;
    friend bool operator==(const Versions&, const Versions&) = default;
  };

  std::vector<RobotDoor*> heard_;
  Versions versions_;
  Moment next_{}, settles_{};
};

}  // namespace convoy::ros2
