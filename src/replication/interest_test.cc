#include "replication/interest.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/approx.h"

namespace interest_test {

using namespace convoy;
using namespace std::chrono_literals;

namespace {

constexpr Owner kA{1}, kB{2};
constexpr double kView = 10;

// Boxes on the x axis.
struct Row {
  explicit Row(const std::vector<double>& xs) {
    Setup setup;
    setup.models = built_in_models();
    setup.view_radius = kView;
    for (double x : xs) {
      EntitySpec spec;
      spec.name = "b" + std::to_string(setup.entities.size()), spec.model = "box";
      spec.pose.p.x = x;
      setup.entities.push_back(spec);
    }
    world = *World::make(setup);
    for (Slot slot : SlotRange(xs.size())) world.set_owner(slot, kB);
  }
  Row& own(Slot slot) {
    world.set_owner(slot, kA);
    return *this;
  }
  Interest& dut(Duration lasts = 0ms) {
    interest.follow(world);
    interest.rebuild(world, kView, lasts);
    return interest;
  }
  // Slots in view of A, those that pass by in brackets.
  std::string of_a(Duration lasts = 0ms) {
    dut(lasts).of(kA, world, trickle, wanted);
    std::string text;
    for (const StateSender::Wanted& w : wanted) {
      if (w.distance == 0) text += (text.empty() ? "" : " ") + std::to_string(w.slot.value());
      CHECK((w.distance == 0) == (w.distance < 100));
    }
    return text;
  }
  double radius() const { return world.radii()[0]; }

  World world;
  Interest interest;
  Slot trickle;
  std::vector<StateSender::Wanted> wanted;
};

}  // namespace

TEST_CASE("a host sees what comes within its agents' view and the margin, and nothing of its own") {
  const double reach = kView + kInterestMargin;
  Row row({0, 5, -7, reach, reach + 5, -reach - 5, 0.5});
  row.own(Slot(0)).own(Slot(6));

  CHECK(row.of_a() == "1 2 3");
}

TEST_CASE("who owns more than the others sees the same") {
  Row few({0, 8, 16, 24, 32, 40, 48});
  few.own(Slot(3));
  CHECK(few.of_a() == "2 4");
  Row many({0, 8, 16, 24, 32, 40, 48});
  for (std::uint32_t slot : {0, 1, 2, 4, 5, 6}) many.own(Slot(slot));
  CHECK(many.of_a() == "3");
}

TEST_CASE("a small world comes whole, the far ones last") {
  Row row({0, 5, 500, 5000});
  row.own(Slot(0));
  CHECK(row.of_a() == "1");

  REQUIRE(row.wanted.size() == 3);
  CHECK(row.wanted[1].slot == Slot(2));
  CHECK(row.wanted[1].distance > 0);
  CHECK_FALSE(row.wanted[1].passing);
}

TEST_CASE("of a large world all that is far away passes by in turn") {
  std::vector<double> xs{0, 5};
  while (xs.size() < 3000) xs.push_back(1000 + static_cast<double>(xs.size()));
  Row row(xs);
  row.own(Slot(0)).dut();

  std::set<Slot> seen;
  for (int i = 0; i < 100; ++i) {
    row.interest.of(kA, row.world, row.trickle, row.wanted);
    CHECK(row.wanted.size() <= 34);
    CHECK(std::is_sorted(row.wanted.begin(), row.wanted.end(),
                         [](const auto& a, const auto& b) { return a.slot < b.slot; }));
    for (const StateSender::Wanted& w : row.wanted) {
      CHECK(w.passing == (w.slot != Slot(1)));
      seen.insert(w.slot);
    }
  }

  CHECK(seen.size() == 2999);
}

TEST_CASE(
    "what moves fast is found from as much farther as it can go while the answer is used, whoever of the two moves") {
  for (const Slot mover : {Slot(0), Slot(1)}) {
    Row row({0, kView + kInterestMargin + 4, kView + kInterestMargin + 4.5});
    row.own(Slot(0));
    CHECK(row.of_a(600ms) == "");
    row.world.snapshot().state(mover).twist.v.y = 10;  // 6 m in that time, less its half of the margin

    CHECK(row.of_a() == "");
    CHECK(row.of_a(600ms) == (mover == Slot(0) ? "1 2" : "1"));
    row.world.snapshot().state(mover).twist.v.y = 1;
    CHECK(row.of_a(600ms) == "");
  }
}

TEST_CASE("a circle holds what comes into it, with its distance from the middle") {
  Row row({0, 3, 5.6, 30});
  row.dut().within(2, 0, 3.5, row.world, row.wanted);

  REQUIRE(row.wanted.size() == 3);  // the third by its own radius
  CHECK(row.wanted[0].distance == approx(2));
  CHECK(row.wanted[1].distance == approx(1));
  CHECK(row.wanted[2].distance == approx(3.6));
}

}  // namespace interest_test
