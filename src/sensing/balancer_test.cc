#include "sensing/balancer.h"

#include <doctest/doctest.h>

#include <string>

namespace balancer_test {

using namespace convoy;

namespace {

using Wish = SensorBalancer::Wish;
constexpr Owner kMain{1};
constexpr Distribution kEither = Distribution::kMainOrClient, kElsewhere = Distribution::kClientOnly;

Owner host(int i) { return Owner(static_cast<std::uint32_t>(10 + i)); }

SensorBalancer with_hosts(int count) {
  SensorBalancer out;
  for (int i = 0; i < count; ++i) out.host_came(host(i));
  return out;
}

std::vector<Wish> wishes(std::initializer_list<std::pair<Distribution, int>> of) {
  std::vector<Wish> out;
  for (const auto& [distribution, load] : of)
    out.push_back({static_cast<std::uint32_t>(out.size()), distribution, static_cast<std::uint16_t>(load)});
  return out;
}

std::string places(const SensorBalancer& balancer, int robot = 1) {
  std::string out;
  for (const SensorBalancer::Placed& one : balancer.robots().at(WorldNumber(static_cast<std::uint32_t>(robot))).sensors)
    out += (out.empty() ? "" : " ") + (one.host == kNobody ? "main" : "c" + std::to_string(one.host.value() - 10));
  return out;
}

std::string loads(const SensorBalancer& balancer) {
  std::string out = std::to_string(balancer.load_of_main(kMain));
  for (const SensorBalancer::Host& one : balancer.hosts()) out += " " + std::to_string(one.load);
  return out;
}

// Keyboard, GPS, radar, camera and a lidar with the load that the simulator's own code has.
const std::vector<Wish> kCar =
    wishes({{Distribution::kMainOnly, 0}, {kEither, 500}, {kEither, 2000}, {kElsewhere, 10000}, {kElsewhere, 1000}});

}  // namespace

// The vectors were computed by another program from the rule's words.
TEST_CASE("sensors are placed as SVL's rule places them") {
  SUBCASE("A: one host") {
    SensorBalancer b = with_hosts(1);
    b.add(WorldNumber(1), kMain, kCar);
    CHECK(places(b) == "main main c0 c0");  // without the keyboard, which may not go anywhere
    CHECK(loads(b) == "4000 11000");
  }
  SUBCASE("B: two hosts") {
    SensorBalancer b = with_hosts(2);
    b.add(WorldNumber(1), kMain, kCar);
    CHECK(places(b) == "c1 c1 c0 c1");
    CHECK(loads(b) == "1500 10000 3500");
  }
  SUBCASE("C: six light ones on two hosts") {
    SensorBalancer b = with_hosts(2);
    b.add(WorldNumber(1), kMain, std::vector<Wish>(6, {0, kEither, 500}));
    CHECK(places(b) == "c0 c1 c0 c1 c0 c1");
    CHECK(loads(b) == "1500 1500 1500");
  }
  SUBCASE("D: eight light ones on one host; a tie goes to it") {
    SensorBalancer b = with_hosts(1);
    b.add(WorldNumber(1), kMain, std::vector<Wish>(8, {0, kEither, 500}));
    CHECK(places(b) == "c0 c0 c0 c0 main c0 main c0");
    CHECK(loads(b) == "2500 3000");
  }
  SUBCASE("E: five heavy ones on three hosts") {
    SensorBalancer b = with_hosts(3);
    b.add(WorldNumber(1), kMain, std::vector<Wish>(5, {0, kElsewhere, 10000}));
    CHECK(places(b) == "c0 c1 c2 c0 c1");
    CHECK(loads(b) == "1500 20000 20000 10000");
  }
  SUBCASE("F: in the order given, not the heaviest first") {
    SensorBalancer b = with_hosts(2);
    b.add(WorldNumber(1), kMain,
          wishes({{kElsewhere, 1000}, {kElsewhere, 1000}, {kElsewhere, 10000}, {kElsewhere, 1000}}));
    CHECK(places(b) == "c0 c1 c0 c1");
    CHECK(loads(b) == "1500 11000 2000");
  }
  SUBCASE("G: loads add up over robots") {
    SensorBalancer b = with_hosts(2);
    for (std::uint32_t robot : {1u, 2u})
      b.add(WorldNumber(robot), kMain, wishes({{kElsewhere, 10000}, {kEither, 500}}));
    CHECK(places(b, 1) == "c0 c1");
    CHECK(places(b, 2) == "c1 main");
    CHECK(loads(b) == "2000 10000 10500");
  }
  SUBCASE("H: without a host all stay, and nothing is counted") {
    SensorBalancer b = with_hosts(0);
    b.add(WorldNumber(1), kMain, kCar);
    CHECK(places(b) == "main main main main");
    CHECK(loads(b) == "1500");
  }
  SUBCASE("I: without loads the first host gets all") {
    SensorBalancer b = with_hosts(2);
    b.add(WorldNumber(1), kMain, std::vector<Wish>(4, {0, kEither, 0}));
    CHECK(places(b) == "c0 c0 c0 c0");
    CHECK(loads(b) == "1500 0 0");
  }
}

TEST_CASE("hosts are taken in the order in which they came, whatever their numbers are") {
  SensorBalancer b;
  for (int number : {7, 2, 5}) b.host_came(host(number));
  b.add(WorldNumber(1), kMain, std::vector<Wish>(5, {0, kElsewhere, 10000}));
  CHECK(places(b) == "c7 c2 c5 c7 c2");
}

TEST_CASE("each host of robots has a load of its own") {
  SensorBalancer b = with_hosts(1);
  b.add(WorldNumber(1), kMain, wishes({{kElsewhere, 10000}, {kEither, 2000}}));
  b.add(WorldNumber(2), Owner(2), wishes({{kEither, 500}}));
  CHECK(b.load_of_main(kMain) == 3500);
  CHECK(b.load_of_main(Owner(2)) == 2000);

  b.give(WorldNumber(1), Owner(2));
  CHECK(b.load_of_main(kMain) == 1500);
  CHECK(b.load_of_main(Owner(2)) == 4000);
}

TEST_CASE("what goes gives its load back") {
  SensorBalancer b = with_hosts(2);
  b.add(WorldNumber(1), kMain, kCar);
  b.add(WorldNumber(2), kMain, kCar);
  b.remove(WorldNumber(1));
  b.remove(WorldNumber(2));
  CHECK(loads(b) == "1500 0 0");
  b.add(WorldNumber(3), kMain, kCar);
  b.clear();
  CHECK(loads(b) == "1500 0 0");
  CHECK(b.robots().empty());
}

TEST_CASE("a lost host's sensors are placed anew, and a late host gets new ones alone") {
  SensorBalancer b = with_hosts(2);
  b.add(WorldNumber(1), kMain, kCar);  // c1 c1 c0 c1
  CHECK(b.host_left(host(0)) == std::vector{WorldNumber(1)});
  CHECK(places(b) == "c1 c1 c1 c1");
  CHECK(loads(b) == "1500 13500");

  b.host_came(host(2));
  CHECK(places(b) == "c1 c1 c1 c1");
  b.add(WorldNumber(2), kMain, wishes({{kElsewhere, 10000}}));
  CHECK(places(b, 2) == "c2");

  b.host_left(host(1));
  b.host_left(host(2));
  CHECK(places(b) == "main main main main");
  CHECK(loads(b) == "4000");  // GPS and radar were placed on main while there was a host
}

TEST_CASE("why a sensor is where it is can be told in numbers") {
  SensorBalancer b = with_hosts(1);
  b.add(WorldNumber(1), kMain, kCar);
  const auto& sensors = b.robots().at(WorldNumber(1)).sensors;
  CHECK(sensors[0].here == 1500);  // GPS on main, since the host had more
  CHECK(sensors[0].other == 11000);
  CHECK(sensors[3].here == 10000);  // the lidar, behind the camera
}

}  // namespace balancer_test
