#include "world/grid.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/random.h"

namespace grid_test {

using namespace convoy;

namespace {

struct Crowd {
  Snapshot snapshot;
  BySlot<double> radii;

  void add(double x, double y, double radius) {  // below 0: no body
    State s;
    s.pose.p = {x, y, 0};
    snapshot.append(static_cast<WorldNumber>(snapshot.size() + 1), s, 0);
    radii.push_back(radius);
  }
  std::vector<Slot> brute(double x, double y, double radius, Slot self) const {
    std::vector<Slot> out;
    for (Slot i : SlotRange(snapshot.size())) {
      const double dx = snapshot.state(i).pose.p.x - x, dy = snapshot.state(i).pose.p.y - y, r = radius + radii[i];
      if (radii[i] >= 0 && dx * dx + dy * dy <= r * r && i != self) out.push_back(i);
    }
    return out;
  }
};

}  // namespace

TEST_CASE("a query finds what a search of all entities finds, wherever they are") {
  Random rng{stream_key(1, 0, "grid")};
  Grid grid;
  for (double spread : {0.5, 20.0, 3000.0, 1e7}) {
    for (double cell : {0.3, 2.0, 50.0}) {
      Crowd crowd;
      for (int i = 0; i < 400; ++i)
        crowd.add(rng.uniform(-spread, spread), rng.uniform(-spread / 3, spread), rng.uniform(0, 0.5));
      crowd.add(1e6, -1e6, 0.2);  // far away
      crowd.add(1e6, -1e6, 0.2);  // at the same place
      crowd.add(-1e18, 3, 0.2);
      crowd.add(spread, 0, 60 * cell);  // wide
      crowd.add(0, spread, kWideCells * cell);
      crowd.add(0, 0, 1e5);
      crowd.add(0, 0, -1);  // no body
      grid.rebuild(crowd.snapshot, crowd.radii, cell);
      for (int i = 0; i < 300; ++i) {
        const auto self = static_cast<Slot>(rng.below(crowd.snapshot.size()));
        const Vec3 p = crowd.snapshot.state(self).pose.p;
        const double radius = rng.uniform(0, spread / 4);
        std::vector<Slot> found{Slot(77)};
        grid.query(crowd.snapshot, p.x, p.y, radius, self, found);
        std::vector<Slot> expected = crowd.brute(p.x, p.y, radius, self);
        expected.insert(expected.begin(), Slot(77));
        REQUIRE(found == expected);
      }
    }
  }
}

TEST_CASE("who is exactly at the radius is found, on a border between cells too") {
  Crowd crowd;
  for (int x = -6; x <= 6; ++x)
    for (int y = -6; y <= 6; ++y) crowd.add(x, y, 0.25);
  Grid grid;
  grid.rebuild(crowd.snapshot, crowd.radii, 1.0);
  std::vector<Slot> found;

  grid.query(crowd.snapshot, 0, 0, 1.75, kNoSlot, found);

  CHECK(found.size() == 13);  // 2.0 reaches (2, 0) and its like, and all nearer ones
  CHECK(std::is_sorted(found.begin(), found.end()));
  CHECK(found == crowd.brute(0, 0, 1.75, kNoSlot));
}

TEST_CASE("an empty grid answers nothing") {
  Grid grid;
  std::vector<Slot> found;
  grid.query({}, 0, 0, 100, kNoSlot, found);
  CHECK(found.empty());
  grid.rebuild({}, {}, 1);
  grid.query({}, 0, 0, 100, kNoSlot, found);
  CHECK(found.empty());
}

TEST_CASE("the gap is the distance to the nearest bounding circle, no more than asked for") {
  Crowd crowd;
  crowd.add(0, 0, 0.5);
  crowd.add(3, 4, 0.5);
  crowd.add(-20, 0, 0.5);
  Grid grid;
  grid.rebuild(crowd.snapshot, crowd.radii, 1.0);

  CHECK(grid.gap(0, 0, 1, 10, Slot(0)) == 3.5);  // 5 less 1 less 0.5
  CHECK(grid.gap(0, 0, 1, 2, Slot(0)) == 2);
  CHECK(grid.gap(0, 0, 5, 2, Slot(0)) == 0);  // it overlaps
}

TEST_CASE("who was alone cannot have met another before the drift has grown by half the gap") {
  Random rng{stream_key(4, 0, "grid")};
  Crowd crowd;
  for (int i = 0; i < 100; ++i) crowd.add(rng.uniform(-10, 10), rng.uniform(-10, 10), 0.1);
  Grid grid;
  grid.rebuild(crowd.snapshot, crowd.radii, 1.0);
  const double radius = 0.2;
  BySlot<double> until(crowd.snapshot.size(), 0);
  BySlot<std::uint64_t> in(crowd.snapshot.size(), 0);
  int alone = 0, met = 0;
  for (int tick = 0; tick < 400; ++tick) {
    for (Slot i : SlotRange(crowd.snapshot.size())) {
      Vec3& p = crowd.snapshot.state(i).pose.p;
      p.x += rng.uniform(-0.02, 0.02), p.y += rng.uniform(-0.02, 0.02);
      if (tick == 100 && i == Slot(7)) p.x += 1e9;  // an entity is set elsewhere, and back
      if (tick == 102 && i == Slot(7)) p.x -= 1e9;
    }
    grid.rebuild(crowd.snapshot, crowd.radii, 1.0);
    for (Slot i : SlotRange(crowd.snapshot.size())) {
      const Vec3& p = crowd.snapshot.state(i).pose.p;
      const bool empty = crowd.brute(p.x, p.y, radius, i).empty();
      if (in[i] == grid.generation() && grid.drift() < until[i]) {
        REQUIRE(empty);
        ++alone;
      } else if (empty) {
        in[i] = grid.generation(), until[i] = grid.drift() + 0.5 * grid.gap(p.x, p.y, radius, 2, i) - 1e-6;
      } else {
        ++met;
      }
    }
  }
  CHECK(alone > 10'000);
  CHECK(met > 1000);
}

TEST_CASE("other entities make another generation, the same ones do not") {
  Crowd crowd;
  crowd.add(0, 0, 0.5);
  crowd.add(3, 4, 0.5);
  Grid grid;
  CHECK(grid.generation() == 0);
  grid.rebuild(crowd.snapshot, crowd.radii, 1.0);
  const auto first = grid.generation();
  CHECK(first > 0);
  crowd.snapshot.state(Slot(1)).pose.p.x = 3.5;
  grid.rebuild(crowd.snapshot, crowd.radii, 1.0);
  CHECK(grid.generation() == first);
  CHECK(grid.drift() == 0.5);
  crowd.add(1, 1, 0.5);
  grid.rebuild(crowd.snapshot, crowd.radii, 1.0);
  CHECK(grid.generation() == first + 1);
  CHECK(grid.drift() == 0);
}

}  // namespace grid_test
