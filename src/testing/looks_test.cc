// Calls of those who look at a run: drawings, and how hosts fare.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "testing/requests.h"
#include "testing/rig.h"

namespace looks_test {

using namespace convoy;
using namespace convoy::testing;

namespace {

Setup room() {
  Setup setup = empty_arena(10, 1);
  setup.entities = {robot("alpha", "turtlebot3_burger", 0, 0, 0, DriverKind::kNone),
                    robot("beta", "turtlebot3_waffle", 2, 0, 0, DriverKind::kRandomWalk),
                    robot("crate", "box", -2, 0, 0, DriverKind::kNone)};
  return setup;
}

}  // namespace

TEST_CASE("what is drawn is told to who asks, and changes nothing of the run") {
  const auto digest_of_run = [](bool drawn) {
    Rig rig(room(), {.paused = true});
    rig.call(step(3));
    if (drawn) {
      Request draw;
      proto::Drawing& one = *draw.mutable_draw()->add_drawings();
      one.set_name("path"), one.set_kind(1), one.set_frame("alpha"), one.set_text("this way"), one.set_lasts(0.25);
      for (const double value : {0.0, 0.0, 0.5, 1.0, 0.0, 0.5}) one.add_points(value);
      CHECK(rig.call(draw).tick() == 3);
      const auto told = nlohmann::json::parse(rig.call(just([](Request& r) { r.mutable_drawings(); })).json());
      CHECK(told["drawings"] ==
            nlohmann::json::parse(
                R"([{"name": "path", "frame": "alpha", "kind": "strip", "points": [[0, 0, 0.5], [1, 0, 0.5]],
                "text": "this way", "color": "#ffb224", "size": 0, "until": 0.31}])"));
      Request known;
      known.mutable_drawings()->set_known(told["revision"]);
      CHECK(rig.call(known).json() == R"({"revision":)" + told["revision"].dump() + "}");

      Request wrong = draw;
      wrong.mutable_draw()->mutable_drawings(0)->set_frame("zzzzzzzz");
      CHECK(rig.error_of(wrong) == "unknown frame 'zzzzzzzz'");
      wrong = draw, wrong.mutable_draw()->mutable_drawings(0)->add_points(1);
      CHECK(rig.error_of(wrong) == "the points of a drawing are x, y and z of each");
      wrong = draw, wrong.mutable_draw()->mutable_drawings(0)->set_kind(5);
      CHECK(rig.error_of(wrong) == "this server does not know that kind of drawing");
      wrong = draw, wrong.mutable_draw()->mutable_drawings(0)->set_lasts(-1);
      CHECK(rig.error_of(wrong) == "a drawing lasts from 0 to 1e9 s");
      CHECK(rig.call(known).json() == R"({"revision":)" + told["revision"].dump() + "}");
    }
    rig.call(step(15));
    if (drawn) {
      const auto told = nlohmann::json::parse(rig.call(just([](Request& r) { r.mutable_drawings(); })).json());
      CHECK(told["drawings"].empty());
    }
    CHECK(rig.memory.journal().empty());
    return rig.conductor().digest_text();
  };
  CHECK(digest_of_run(true) == digest_of_run(false));
}

TEST_CASE("hosts tell how they fare") {
  Rig rig(room(), {.paused = true});
  rig.call(step(3));

  const auto told = nlohmann::json::parse(rig.call(just([](Request& r) { r.mutable_hosts(); })).json());
  REQUIRE(told.size() >= 1);
  std::uint64_t agents = 0;
  for (const auto& host : told) {
    CHECK(host["answers"] == true);
    CHECK(host["ticks"] == 3);
    CHECK(host["entities"] == host["agents"]);
    agents += host["agents"].get<std::uint64_t>();
  }
  CHECK(agents == 3);
}

}  // namespace looks_test
