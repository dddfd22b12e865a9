#include "lockstep/controllers.h"

#include <doctest/doctest.h>

namespace controllers_test {

using namespace convoy;
using namespace std::chrono_literals;
using Names = std::vector<std::string>;

namespace {

std::string text_of(const std::vector<Absent>& absences) {
  std::string text;
  for (const Absent& a : absences) text += (a.gone ? "-" : "!") + a.name + " ";
  return text;
}

}  // namespace

TEST_CASE("only who is named and has seen the tick begin owes its end") {
  Controllers dut({"a", "b"}, 1s);
  CHECK(dut.missing() == Names{"a", "b"});
  CHECK(dut.until() == Moment{});
  dut.join(Owner(7), "a"), dut.join(Owner(8), "somebody"), dut.join(Owner(9), "b");
  CHECK(dut.missing().empty());

  dut.opened(Moment{} + 5s, {Owner(7), Owner(8)});  // b has not come in yet

  CHECK(dut.owing() == Names{"a"});
  CHECK(dut.until() == Moment{} + 6s);
  dut.done(Owner(8)), dut.done(Owner(9));
  CHECK(dut.owing() == Names{"a"});
  dut.done(Owner(7));
  CHECK(dut.owing().empty());
  CHECK(dut.until() == Moment{});
}

TEST_CASE("a missed deadline is reported once for each tick, and leaving once") {
  Controllers dut({"a", "b"}, 1s);
  dut.join(Owner(1), "a"), dut.join(Owner(2), "b");
  dut.opened(Moment{}, {Owner(1), Owner(2)});
  dut.done(Owner(2));
  dut.give_up();
  CHECK(text_of(dut.take_absent()) == "!a ");
  CHECK(dut.take_absent().empty());

  dut.opened(Moment{}, {Owner(1), Owner(2)});
  dut.leave(Owner(1));

  CHECK(dut.owing() == Names{"b"});
  CHECK(dut.missing() == Names{"a"});
  dut.give_up();
  CHECK(text_of(dut.take_absent()) == "-a !b ");
  CHECK(dut.missed() == std::map<std::string, std::uint64_t>{{"a", 1}, {"b", 1}});
  dut.join(Owner(3), "a");  // again, as another member
  dut.opened(Moment{}, {Owner(2), Owner(3)});
  CHECK(dut.owing() == Names{"a", "b"});
}

TEST_CASE("a reset forgives, and paused time counts against no controller") {
  Controllers dut({"a"}, 1s);
  dut.join(Owner(1), "a");
  dut.opened(Moment{}, {Owner(1)});
  dut.begin_again(Moment{} + 10s);
  CHECK(dut.until() == Moment{} + 11s);

  dut.forgive();

  CHECK(dut.until() == Moment{});
  dut.give_up();
  CHECK(dut.missed().empty());
}

}  // namespace controllers_test
