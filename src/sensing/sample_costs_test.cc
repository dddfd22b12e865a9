#include "sensing/sample_costs.h"

#include <doctest/doctest.h>

#include <string>

namespace sample_costs_test {

using namespace convoy;
using namespace std::chrono_literals;

namespace {

constexpr Owner kMain{1}, kOther{2}, kA{10}, kB{11};
constexpr Distribution kEither = Distribution::kMainOrClient, kElsewhere = Distribution::kClientOnly;

SampleSpent spent(std::uint32_t robot, std::uint32_t sensor, double ms) {
  return {WorldNumber(robot), sensor, 1, static_cast<std::uint64_t>(ms * 1e6)};
}

// Robots 1, 2, ..., with one such sensor each.
SensorBalancer placed(const std::vector<Distribution>& of, const std::vector<Owner>& hosts, Owner main = kMain) {
  SensorBalancer out;
  for (Owner host : hosts) out.host_came(host);
  std::uint32_t number = 1;
  for (Distribution distribution : of)
    out.add(WorldNumber(number++), main, std::vector<SensorBalancer::Wish>{{0, distribution, 1000}});
  return out;
}

std::string text(const std::vector<SampleCosts::Move>& moves) {
  std::string out;
  for (const auto& move : moves)
    out += std::to_string(move.robot.value()) + ">" + std::to_string(move.to.value()) + " ";
  return out;
}

}  // namespace

TEST_CASE("what is measured is work in a second of the run; the newer half counts a half") {
  SampleCosts costs;
  costs.note(kA, 500ms, 40'000'000, std::vector{spent(1, 0, 10), spent(2, 0, 20)});
  CHECK(costs.of(WorldNumber(1), 0) == doctest::Approx(20e6));
  CHECK_FALSE(costs.of(WorldNumber(3), 0));
  const SensorBalancer two = placed({kElsewhere, kElsewhere}, {kA, kB});
  CHECK(costs.loads(two).at(kA) == doctest::Approx(40e6));  // 20 of sensor 1 and 20 of its own
  CHECK(costs.loads(two).at(kB) == doctest::Approx(40e6));  // sensor 2, measured elsewhere
  CHECK(costs.loads(two).at(kMain) == 0);
  costs.note(kA, 1s, 0, std::vector{spent(1, 0, 40)});
  CHECK(costs.of(WorldNumber(1), 0) == doctest::Approx(30e6));
  costs.note(kA, 0s, 9, std::vector{spent(1, 0, 9)});  // time stood still: nothing can be said
  CHECK(costs.of(WorldNumber(1), 0) == doctest::Approx(30e6));
  costs.forget(WorldNumber(1));
  CHECK_FALSE(costs.of(WorldNumber(1), 0));
}

TEST_CASE("the most loaded machine gives to the least loaded one, what evens them out best") {
  SampleCosts costs;
  // The rule has dealt 1 and 3 to A, 2 and 4 to B.
  const SensorBalancer four = placed({kElsewhere, kElsewhere, kElsewhere, kElsewhere}, {kA, kB});
  costs.note(kA, 1s, 0, std::vector{spent(1, 0, 100), spent(3, 0, 90)});
  costs.note(kB, 1s, 0, std::vector{spent(2, 0, 5), spent(4, 0, 5)});
  const auto moves = costs.moves(four);
  CHECK(text(moves) == "3>11 ");  // 100 against 100; one in eight, at least one
  CHECK(moves[0].there == doctest::Approx(190e6));
  CHECK(moves[0].here == doctest::Approx(10e6));

  SensorBalancer after = four;
  after.move(WorldNumber(3), 0, kB, 190, 10);
  CHECK(costs.moves(after).empty());
  CHECK(after.hosts()[0].load == 1000);
  CHECK(after.hosts()[1].load == 3000);
}

TEST_CASE("what gains less than a tenth stays, and so does what may go nowhere") {
  SampleCosts costs;
  costs.note(kA, 1s, 0, std::vector{spent(1, 0, 50), spent(3, 0, 8)});
  costs.note(kB, 1s, 0, std::vector{spent(2, 0, 48)});
  CHECK(costs.moves(placed({kElsewhere, kElsewhere, kElsewhere}, {kA, kB})).empty());  // 58 and 48: 56 at best

  // One sensor host alone, and main may not have it, or may.
  SampleCosts one;
  one.note(kA, 1s, 0, std::vector{spent(1, 0, 50), spent(2, 0, 50)});
  CHECK(one.moves(placed({kElsewhere, kElsewhere}, {kA})).empty());
  CHECK(text(one.moves(placed({kEither, kElsewhere}, {kA}))) == "1>0 ");
  one.note(kMain, 1s, 60'000'000, {});  // it has other work
  CHECK(one.moves(placed({kEither, kElsewhere}, {kA})).empty());
  CHECK(one.moves(placed({kEither}, {})).empty());
}

TEST_CASE(
    "a main that has too much work gives its own sensors away; one that can do nothing about its work lets others go "
    "on") {
  SampleCosts costs;
  SensorBalancer three = placed({kEither, kEither, kElsewhere, kElsewhere}, {kA, kB});
  for (std::uint32_t robot : {1u, 2u}) three.move(WorldNumber(robot), 0, kNobody, 0, 0);
  three.move(WorldNumber(3), 0, kA, 0, 0), three.move(WorldNumber(4), 0, kA, 0, 0);
  costs.note(kMain, 1s, 340'000'000, std::vector{spent(1, 0, 20), spent(2, 0, 20)});
  costs.note(kA, 1s, 0, std::vector{spent(3, 0, 5), spent(4, 0, 5)});
  CHECK(text(costs.moves(three)) == "3>11 ");  // 300 of main's are its own: a move lowers it by less than a tenth
  costs.note(kMain, 1s, 0, std::vector{spent(1, 0, 200), spent(2, 0, 20)});
  CHECK(text(costs.moves(three)) == "1>11 ");
}

TEST_CASE("it settles: with any costs, after some moves nothing moves any more") {
  int moved = 0;
  for (std::uint32_t seed = 1; seed < 50; ++seed) {
    SampleCosts costs;
    std::vector<Distribution> of;
    std::vector<SampleSpent> all;
    std::uint32_t chance = seed;
    const auto next = [&] { return chance = chance * 1664525u + 1013904223u, chance >> 16; };
    for (std::uint32_t i = 1; i <= 40; ++i) {
      of.push_back(next() % 2 ? kEither : kElsewhere);
      all.push_back(spent(i, 0, 0.1 * (1 + next() % 1000)));
    }
    costs.note(kA, 1s, 0, all);
    SensorBalancer balancer = placed(of, {kA, kB, Owner(12)});
    double greatest = 1e18;
    int rounds = 0;
    for (auto moves = costs.moves(balancer); !moves.empty(); moves = costs.moves(balancer)) {
      REQUIRE(++rounds < 20);
      CHECK(moves.size() <= 5);
      for (const auto& move : moves) balancer.move(move.robot, move.sensor, move.to, 0, 0);
      double now = 0;
      for (const auto& [machine, load] : costs.loads(balancer)) now = std::max(now, load);
      CHECK(now <= greatest * 1.0000001);
      greatest = now;
    }
    moved += rounds;
  }
  CHECK(moved > 30);
}

}  // namespace sample_costs_test
