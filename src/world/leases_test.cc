#include <doctest/doctest.h>

#include "world/world.h"

namespace leases_test {

using namespace convoy;

namespace {

World three_robots() {
  Setup setup;
  setup.models = built_in_models();
  for (const char* name : {"a", "b", "c"}) {
    EntitySpec& spec = setup.entities.emplace_back();
    spec.name = name, spec.model = "turtlebot3_burger";
    spec.pose.p = {static_cast<double>(setup.entities.size()), 0, 0};
  }
  return *World::make(setup);
}

std::string refusal(const World& world, const Edit& edit) {
  const Status status = world.check(edit);
  return status ? "" : status.error().text;
}

}  // namespace

TEST_CASE(
    "a lease is one holder's, of all robots or none, in any order of those who ask; a reset keeps it as one taken "
    "anew") {
  using Kind = Lease::Kind;
  World world = three_robots();
  const Lease mine{{WorldNumber(1), WorldNumber(2)}, "me", Kind::kTake};
  CHECK(refusal(world, Lease{{}, "me", Kind::kTake}) == "a lease is of one robot or more");
  CHECK(refusal(world, Lease{{WorldNumber(1)}, "", Kind::kTake}) == kHolderRule);
  CHECK(refusal(world, Lease{{WorldNumber(1)}, "two words", Kind::kTake}) == kHolderRule);
  CHECK(refusal(world, Lease{{WorldNumber(1)}, std::string(129, 'x'), Kind::kTake}) == kHolderRule);
  CHECK(refusal(world, Lease{{WorldNumber(99)}, "me", Kind::kTake}) == "unknown entity number 99");
  CHECK(refusal(world, Lease{{WorldNumber(1)}, "me", static_cast<Kind>(3)}) == "unknown kind of lease");
  CHECK(refusal(world, Lease{{WorldNumber(1)}, "me", Kind::kGiveBack}) == "'me' has no lease of 'a'");

  const std::uint64_t free = world.structure_hash();
  world.apply(mine, instant(5));
  CHECK(world.structure_hash() != free);
  CHECK(holder_of(world, WorldNumber(2)) == "me");
  CHECK(holder_of(world, WorldNumber(3)) == "");
  CHECK(refusal(world, Lease{{WorldNumber(3), WorldNumber(1)}, "you", Kind::kTake}) == "'me' has leased 'a'");
  CHECK(refusal(world, Lease{{WorldNumber(1)}, "you", Kind::kGiveBack}) == "'you' has no lease of 'a'");
  CHECK(world.check(mine));  // again

  World other = three_robots(), late = three_robots();
  other.apply(Lease{{WorldNumber(2)}, "me", Kind::kTake}, instant(5));
  other.apply(Lease{{WorldNumber(1)}, "me", Kind::kTake}, instant(5));
  CHECK(other.image() == world.image());
  REQUIRE(late.load_image(world.image()));
  CHECK(holder_of(late, WorldNumber(1)) == "me");

  World begun = three_robots();
  begun.apply(mine, instant(0));
  world.apply(SetState{WorldNumber(1), {{7, 7, 0}, {}}, {}}, instant(6));
  world.apply(Reset{}, instant(7));
  CHECK(world.image() == begun.image());

  world.apply(Delete{WorldNumber(1)}, instant(0));
  CHECK(world.holders().size() == 1);
  world.apply(Lease{{WorldNumber(2)}, "admin", Kind::kBreak}, instant(0));
  CHECK(world.holders().empty());
}

}  // namespace leases_test
