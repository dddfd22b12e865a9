// Which machine computes which sensor's samples, by the rule of the SVL simulator's clusters, in whole numbers.
//
// Machines are the hosts that run robots, each of which begins with a load of 0.15, and sensor hosts, which begin with 0;
// for a robot's sensors, "main" is the host that runs it. One robot after the other:
//
//   sensors that are kMainOnly stay on main, and their load is not counted;
//   then those that are kClientOnly, in the order of their spec: each to the sensor host with the least load, of several
//   the one that came first;
//   then those that are kMainOrClient: likewise, unless main's load is less.
//
// Where there is no sensor host, all stay on main, and nothing is counted. Nothing moves by itself: a host that comes later
// gets sensors that come later. What a machine has lost, it has room for again.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "convoy/ids.h"
#include "world/sensor_spec.h"

namespace convoy {

class SensorBalancer {
 public:
  static constexpr std::uint64_t kLoadOfMain = 1'500;  // ten-thousandths of a machine

  // What may sample elsewhere, in the order of the robot's spec.
  struct Wish {
    std::uint32_t sensor = 0;  // its place in the spec
    Distribution distribution = Distribution::kMainOrClient;
    std::uint16_t load = 0;
  };
  struct Placed {
    Wish wish;
    Owner host = kNobody;  // kNobody: main
    bool counted = false;  // its load is in that of its machine
    std::uint64_t here = 0,
                  other = 0;  // loads when it was placed: of its machine, of the other one that it might have had
    bool moved = false;       // by move(): those loads are its caller's
  };
  struct Robot {
    Owner main = kNobody;
    std::vector<Placed> sensors;  // by their places
  };

  // Sensor hosts in the order in which they came.
  void host_came(Owner host) { hosts_.push_back({host, 0}); }
  // What it had is placed anew, by the same rule, robot by robot. Those robots, ascending.
  std::vector<WorldNumber> host_left(Owner host);
  // A robot that is not there yet.
  void add(WorldNumber robot, Owner main, std::span<const Wish> wishes);
  void remove(WorldNumber robot);
  // Another host runs it: what samples on main moves along.
  void give(WorldNumber robot, Owner main);
  // To that sensor host, or kNobody, whatever the rule says. Of the loads, where it was and where it goes, people are told.
  void move(WorldNumber robot, std::uint32_t sensor, Owner host, std::uint64_t there, std::uint64_t here);
  // Robots are gone, hosts stay.
  void clear();

  const std::map<WorldNumber, Robot>& robots() const { return robots_; }
  struct Host {
    Owner owner = kNobody;
    std::uint64_t load = 0;
  };
  const std::vector<Host>& hosts() const { return hosts_; }
  std::uint64_t load_of_main(Owner main) const;

 private:
  void place(Robot& robot, std::vector<Placed*> sensors);
  void release(const Robot& robot, const Placed& placed);
  Host* find(Owner host);

  std::vector<Host> hosts_;
  std::map<Owner, std::uint64_t> mains_;  // beyond kLoadOfMain
  std::map<WorldNumber, Robot> robots_;
};

}  // namespace convoy
