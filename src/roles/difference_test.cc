#include "roles/difference.h"

#include <doctest/doctest.h>

#include "roles/recorded_run.h"

namespace convoy::difference_test {
namespace {

using namespace testing;

std::string between(const Bytes& a, const Bytes& b) {
  const auto first = Recording::open(a), second = Recording::open(b);
  REQUIRE(first.has_value());
  REQUIRE(second.has_value());
  const auto found = first_difference(*first, *second);
  REQUIRE(found.has_value());
  if (!*found) return "none";
  const RecordedDifference& d = **found;
  return std::to_string(d.place.tick) + " " + d.entity + " " + d.what.field + " " + d.what.a + " " + d.what.b;
}

Bytes with_edit(Tick at, Edit edit) {
  Steps steps;
  steps.steps = {{at, [edit = std::move(edit)](Conductor& c) { submit(c, edit); }}};
  return run(room(), {.hosts = 1, .meddle = steps}).file;
}

TEST_CASE("recordings of one run on one host and on three differ in nothing") {
  CHECK(between(run(room(), {.hosts = 1}).file, run(room(), {.hosts = 3}).file) == "none");
}

TEST_CASE("the first boundary, entity and field in which two recordings differ are named") {
  const Bytes plain = run(room(), {.hosts = 1}).file;
  // Each is submitted in that tick, changes the boundary that follows, and shows in what is reached then.
  CHECK(between(plain, with_edit(20, SetState{WorldNumber(2), {{2.5, -2.5, 0}, from_yaw(1)}, {}}))
            .starts_with("22 robot1 "));
  CHECK(between(with_edit(30, Delete{WorldNumber(3)}), plain) == "32 robot2 existence does not exist exists");
  CHECK(between(plain, with_edit(40, Spawn{extra("late", 3, 3), kNobody})) ==
        "42 number 9 existence does not exist exists");
}

TEST_CASE("runs of two seeds differ first at who draws") {
  Setup other = room();
  other.seed = 8;
  const std::string text = between(run(room(), {.hosts = 1}).file, run(other, {.hosts = 1}).file);
  CHECK(text.find(" robot0 ") != text.npos);
}

}  // namespace
}  // namespace convoy::difference_test
