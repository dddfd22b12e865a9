#include "control/stepping.h"

#include <doctest/doctest.h>

namespace stepping_test {

using namespace convoy;
using namespace convoy::control;

using Ids = std::vector<SessionId>;

TEST_CASE("who begins to hold the world rests at the boundary that the server reports") {
  Stepping dut;
  dut.at_boundary({0, 3, true});
  CHECK_FALSE(dut.horizon());

  CHECK_FALSE(dut.enter("a"));
  CHECK(dut.entering());
  CHECK(dut.horizon() == 3);
  CHECK_FALSE(dut.rests("a"));
  CHECK(dut.held_at(9, 3).empty());  // of another run
  CHECK(dut.entering());
  CHECK(dut.held_at(0, 5) == Ids{"a"});
  CHECK_FALSE(dut.entering());
  CHECK(dut.horizon() == 5);
  CHECK_FALSE(dut.rests("a"));  // the world has yet to come there
  dut.reached(5);
  CHECK(dut.rests("a"));
}

TEST_CASE("who comes second rests where the first one holds the world, and the least boundary counts") {
  Stepping dut;
  dut.at_boundary({0, 4, true});
  (void)dut.enter("a");
  (void)dut.held_at(0, 4);
  CHECK(dut.allow("a", 6) == 10);
  dut.reached(7);

  CHECK(dut.enter("b") == 10);
  CHECK_FALSE(dut.entering());
  dut.reached(10);
  CHECK(dut.allow("b", 2) == 12);
  CHECK(dut.horizon() == 10);
  dut.leave("a");
  CHECK(dut.horizon() == 12);
  CHECK_FALSE(dut.steps("a"));
  dut.leave("b");
  CHECK_FALSE(dut.horizon());
}

TEST_CASE("what a step had allowed and was not used is taken back") {
  Stepping dut;
  dut.at_boundary({0, 0, true});
  (void)dut.enter("a");
  (void)dut.held_at(0, 0);
  dut.allow("a", 9);
  dut.reached(4);
  dut.give_up("a");
  CHECK(dut.horizon() == 4);
  CHECK(dut.rests("a"));
  dut.give_up("nobody");
  CHECK_FALSE(dut.steps("nobody"));
}

TEST_CASE("in a new run who steps rests at its first boundary") {
  Stepping dut;
  dut.at_boundary({0, 0, true});
  (void)dut.enter("a");
  (void)dut.held_at(0, 0);
  dut.allow("a", 9);
  CHECK_FALSE(dut.at_boundary({0, 2, true}));
  CHECK(dut.horizon() == 9);
  CHECK(dut.at_boundary({1, 0, true}));
  CHECK(dut.horizon() == 0);
  CHECK(dut.rests("a"));
}

}  // namespace stepping_test
