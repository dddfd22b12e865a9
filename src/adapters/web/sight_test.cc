#include "adapters/web/sight.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "adapters/web/crowd_rig.h"

namespace sight_test {

using namespace convoy;
using namespace convoy::web;
using web::testing::Body;

namespace {

using Slots = std::vector<std::uint32_t>;

Moment at(std::int64_t ms) { return Moment{} + std::chrono::hours(1) + std::chrono::milliseconds(ms); }

constexpr std::size_t kBytes = kFrameSlot + kFrameEntity;  // of a body in a part
constexpr std::int64_t kEvery = 33;                        // ms

// A page that looks along the line of bodies from its beginning, and is sent a part of each frame.
struct Watch {
  std::vector<Body> bodies = web::testing::line();
  std::shared_ptr<const Roster> roster = web::testing::roster_of(bodies);
  Crowd crowd;
  Sight sight;
  std::int64_t now = 0;

  explicit Watch(Vec3 eye = {-5, 0, 2}, std::vector<std::uint32_t> always = {}) {
    sight.look({eye, {1, 0, 0}, 0.5, std::move(always)});
    take();
    sight.told_all(crowd, at(now));
  }
  void take() { crowd.take(std::make_shared<const Bytes>(web::testing::frame_of(bodies)), roster); }
  // The next frame, of bodies that have moved on if `moves`.
  Slots next(bool moves = true) {
    now += kEvery;
    for (Body& body : bodies) body.y += moves ? 0.01F : 0;
    take();
    return more(0);
  }
  Slots more(std::int64_t passed = kEvery) {
    now += passed;
    return web::testing::slots_in(sight.next(crowd, at(now)));
  }
};

}  // namespace

TEST_CASE("half of what is told goes to what is seen, the nearest first, and half to what has waited longest") {
  std::vector<Due> due;
  for (std::uint32_t i = 0; i < 10; ++i)
    due.push_back({.slot = i, .bytes = 10, .waited = 0.1 * i, .far = 1000.0 - i, .always = false, .in_view = i < 6});

  CHECK(choose(due, 40) == Slots{4, 5, 8, 9});
  CHECK(choose(due, 0).empty());
  CHECK(choose(due, 1) == Slots{5});
  CHECK(choose(due, 1000).size() == 10);
  due.resize(6);
  CHECK(choose(due, 40) == Slots{2, 3, 4, 5});
  for (Due& one : due) one.in_view = false;
  CHECK(choose(due, 20) == Slots{4, 5});
}

TEST_CASE("what a page must have is told whatever it costs, and takes nothing from the turns") {
  std::vector<Due> due;
  for (std::uint32_t i = 0; i < 8; ++i)
    due.push_back({.slot = i, .bytes = 10, .waited = 0.1 * (8 - i), .far = 1.0 * i, .always = i > 5, .in_view = true});
  due[6].bytes = 500;

  CHECK(choose(due, 40) == Slots{0, 1, 6, 7});
}

TEST_CASE(
    "of two that have waited as long the nearer is told, and the further at the latest when it has waited twice as "
    "long") {
  const Due near{.slot = 0, .bytes = 10, .waited = 0.3, .far = 1, .always = false, .in_view = false};
  Due far{.slot = 1, .bytes = 10, .waited = 0.3, .far = 1e5, .always = false, .in_view = false};

  CHECK(choose({near, far}, 10) == Slots{0});
  far.waited = 0.6;
  CHECK(choose({near, far}, 10) == Slots{1});
}

TEST_CASE(
    "of ten thousand that move, those in front are told in each frame, all within a second, and no more than 2 MB a "
    "second") {
  Watch watch;
  std::map<std::uint32_t, std::int64_t> told;
  std::int64_t longest = 0;
  std::size_t bytes = 0;
  for (int i = 0; i < 90; ++i) {
    const Slots slots = watch.next();
    bytes += slots.size() * kBytes;
    const std::set<std::uint32_t> set(slots.begin(), slots.end());
    for (std::uint32_t slot = 0; slot < 500; ++slot) REQUIRE(set.contains(slot));
    for (const std::uint32_t slot : slots) {
      longest = std::max(longest, watch.now - told[slot]);
      told[slot] = watch.now;
    }
  }
  CHECK(told.size() == 10'000);
  for (const auto& [slot, when] : told) longest = std::max(longest, watch.now - when);
  CHECK(longest < 2000 * 10'000 * static_cast<std::int64_t>(kBytes) / 1'000'000);
  CHECK(bytes <= kBytesASecond * 90 * kEvery / 1000 + 90 * kBytes);
}

TEST_CASE("where the page looks next is told in each frame from then on, and so is what it must have") {
  Watch watch;
  for (int i = 0; i < 30; ++i) watch.next();
  watch.sight.look({{9'000, 0, 2}, {1, 0, 0}, 0.5, {17, 4'000'000'000}});
  for (int i = 0; i < 30; ++i) {
    const Slots slots = watch.next();
    for (const std::uint32_t slot : {16U, 9'002U, 9'100U, 9'400U})
      REQUIRE(std::binary_search(slots.begin(), slots.end(), slot));
  }
}

TEST_CASE("when nothing moves any more, each is told at its last place, once, and then nothing") {
  Watch watch;
  for (int i = 0; i < 10; ++i) watch.next();
  std::vector<std::uint32_t> told(10'000);
  Slots slots = watch.next();
  int parts = 0;
  for (; watch.sight.lacks(); ++parts, slots = watch.more())
    for (const std::uint32_t slot : slots) ++told[slot];
  for (const std::uint32_t slot : slots) ++told[slot];

  CHECK(told == std::vector<std::uint32_t>(10'000, 1));
  CHECK(parts < 10);
  CHECK(watch.next(false).empty());
  CHECK(!watch.sight.lacks());
}

TEST_CASE("what stands is not told again, and is told at once when it goes") {
  Watch watch;
  CHECK(watch.next(false).empty());
  watch.bodies[9'999].y = 3;
  CHECK(watch.next(false) == Slots{9'999});
  CHECK(watch.next(false).empty());
}

TEST_CASE("who comes is told first, and who is left keeps what it was told") {
  Watch watch;
  watch.bodies.erase(watch.bodies.begin() + 2);
  watch.bodies.push_back({.number = 20'000, .x = 5e5F});
  watch.roster = web::testing::roster_of(watch.bodies);
  CHECK(watch.next(false) == Slots{9'999});

  watch.bodies.push_back({.number = 20'001, .x = 5e5F});
  watch.roster = web::testing::roster_of(watch.bodies);
  const Slots slots = watch.next();
  CHECK(slots.back() == 10'000);
  CHECK(slots.size() < 3'000);
}

TEST_CASE("of another run, or after small worlds, the page needs all") {
  Watch watch;
  CHECK(!watch.sight.needs_all(watch.crowd));
  watch.crowd.take(std::make_shared<const Bytes>(web::testing::frame_of(watch.bodies, false, 1)), watch.roster);
  CHECK(watch.sight.needs_all(watch.crowd));
  watch.sight.told_all(watch.crowd, at(0));
  CHECK(!watch.sight.needs_all(watch.crowd));
  const auto few = web::testing::line(3);
  Crowd small;
  small.take(std::make_shared<const Bytes>(web::testing::frame_of(few)), web::testing::roster_of(few));
  watch.sight.told_all(small, at(0));
  CHECK(watch.sight.needs_all(watch.crowd));
}

}  // namespace sight_test
