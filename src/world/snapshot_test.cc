#include "world/snapshot.h"

#include <doctest/doctest.h>

namespace snapshot_test {

using namespace convoy;

TEST_CASE("a snapshot keeps states and tails together when an entity in the middle goes") {
  Snapshot s;
  for (std::uint32_t n : {2, 5, 9}) {
    State state;
    state.pose.p.x = n;
    const Slot slot = s.append(WorldNumber(n), state, n == 5 ? 0 : 2);
    for (double& v : s.tail(slot)) v = n * 10.0;
  }

  s.erase(s.slot_of(WorldNumber(2)));

  CHECK(s.size() == 2);
  CHECK(s.slot_of(WorldNumber(2)) == kNoSlot);
  CHECK(s.state(s.slot_of(WorldNumber(9))).pose.p.x == 9);
  CHECK(s.tail(s.slot_of(WorldNumber(5))).empty());
  CHECK(s.tail(s.slot_of(WorldNumber(9))).size() == 2);
  CHECK(s.tail(s.slot_of(WorldNumber(9)))[1] == 90);
}

}  // namespace snapshot_test
