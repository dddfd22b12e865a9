#include "adapters/web/crowd.h"

#include <doctest/doctest.h>

#include "adapters/web/crowd_rig.h"

namespace crowd_test {

using namespace convoy;
using namespace convoy::web;
using web::testing::Body;

namespace {

// Slots that the last frame changed.
std::vector<std::uint32_t> changed(const Crowd& crowd) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t slot = 0; slot < crowd.roster()->size(); ++slot)
    if (crowd.changed(slot) == crowd.count()) out.push_back(slot);
  return out;
}

void take(Crowd& crowd, const std::vector<Body>& bodies, std::shared_ptr<const Roster> roster, bool jointed = false) {
  crowd.take(std::make_shared<const Bytes>(web::testing::frame_of(bodies, jointed)), std::move(roster));
}

using Slots = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("a frame of 64 KiB is no crowd yet, nor is one whose entities are not known") {
  Crowd crowd;
  const std::size_t most = (kWholeUntil - kFrameHead) / kFrameEntity;
  for (const std::size_t count : {most, most + 1}) {
    const auto bodies = web::testing::line(count);
    take(crowd, bodies, web::testing::roster_of(bodies));
    CHECK(crowd.large() == (count > most));
    take(crowd, bodies, nullptr);
    CHECK(!crowd.large());
  }
}

TEST_CASE("what stands still changes once, and what moves in each frame, by place, joint or speed alone") {
  Crowd crowd;
  auto bodies = web::testing::line();
  const auto roster = web::testing::roster_of(bodies, true);
  take(crowd, bodies, roster, true);
  CHECK(changed(crowd).size() == bodies.size());

  bodies[3].y = 0.5F, bodies[5].q = 1, bodies[7].vx = 256;
  take(crowd, bodies, roster, true);
  CHECK(changed(crowd) == Slots{3, 5, 7});
  take(crowd, bodies, roster, true);
  CHECK(changed(crowd) == Slots{7});
  CHECK(crowd.changed(3) == 2);
  CHECK(crowd.changed(0) == 1);
}

TEST_CASE("entities are known by their numbers when others come and go") {
  Crowd crowd;
  auto bodies = web::testing::line();
  take(crowd, bodies, web::testing::roster_of(bodies));
  bodies.erase(bodies.begin() + 4);
  bodies.push_back({.number = 20'000});
  crowd.outdated();
  CHECK(!crowd.frame());
  take(crowd, bodies, web::testing::roster_of(bodies));
  CHECK(changed(crowd) == Slots{9'999});
  CHECK(crowd.place(4) == Vec3{5, 0, 0});
  CHECK(places_before(Roster{{2, 5, 9}, {}}, Roster{{1, 5, 6, 9}, {}}) == Slots{kNowhere, 1, kNowhere, 2});
}

TEST_CASE("a part has the states and joints of its entities, in their order, and the head of the whole") {
  const std::vector<Body> bodies{
      {.number = 3, .x = 1, .q = 7}, {.number = 4, .x = 2, .q = 8}, {.number = 9, .x = 3, .q = 9}};
  const Bytes whole = web::testing::frame_of(bodies, true, 6);
  const Bytes part = part_of(whole, *web::testing::roster_of(bodies, true), Slots{0, 2});

  Bytes wanted = web::testing::frame_of({bodies[0], bodies[2]}, true, 6);
  const std::uint32_t slots[] = {0, 2};
  const auto* raw = reinterpret_cast<const std::uint8_t*>(slots);
  wanted.insert(wanted.begin() + kFrameHead, raw, raw + sizeof slots);
  wanted[0] = 2;
  CHECK(part == wanted);
}

}  // namespace crowd_test
