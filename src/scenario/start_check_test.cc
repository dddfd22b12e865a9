#include "scenario/start_check.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/random.h"
#include "scenario/overlaps.h"
#include "scenario/reach.h"
#include "scenario/scenario.h"
#include "world/state.h"

namespace start_check_test {

using namespace convoy;
using namespace convoy::scenario;

namespace {

using Lines = std::vector<std::string>;

// The warnings of a scenario that loads, without the file's name.
Lines warnings_of(const std::string& text, const LoadOptions& options = {}) {
  const auto s = parse("convoy: 1\n" + text, "s.yaml", "", options);
  REQUIRE_MESSAGE(s, s.error().message());
  Lines out;
  for (const std::string& w : s->warnings) out.push_back(w.starts_with("s.yaml:") ? w.substr(7) : w);
  return out;
}

// A hall of 10 m by 6 m; a wall through it at x = 2 leaves a room of 2.95 m by 6 m at its right.
const std::string kHall =
    "world: {ground: {size: [10, 6], walls: 0.1}, boxes: [{x: 2, y: 0, length: 0.1, width: 6}]}\n";

// As the imported robots of MuJoCo: with files, and wheels or none.
LoadOptions with_robots() {
  LoadOptions options;
  options.import_robot = [](const RobotFile& file) -> Result<ImportedModel> {
    ImportedModel out;
    out.model = built_in_models()[0];
    out.model.name = file.file.substr(0, file.file.find('.'));
    out.model.files = {{file.file, 7}};
    out.model.drive = file.file == "rover.xml" ? Drive::kDifferential : Drive::kNone;
    if (file.file == "rover.xml") out.model.left_wheels = {"l"}, out.model.right_wheels = {"r"};
    return out;
  };
  return options;
}

}  // namespace

TEST_CASE("a driver that moves nothing is warned of, once a group, with the reason") {
  CHECK(
      warnings_of("models: [{name: slug, like: turtlebot3_burger, max_speed: 0, max_turn_rate: 0}]\nrobots:\n"
                  "- {name: a, count: 5, model: box, driver: random_walk, placement: {grid: {spacing: [3, 3]}}}\n"
                  "- {name: b, model: turtlebot3_burger, control_source: zmq, driver: random_walk,\n"
                  "   placement: {poses: [[20, 0]]}}\n"
                  "- {name: c, model: slug, driver: {kind: random_walk}, placement: {poses: [[21, 0]]}}\n"
                  "- {name: d, model: turtlebot3_burger, driver: {kind: right_of_way, speed: 0},\n"
                  "   placement: {poses: [[22, 0]]}}\n"
                  "- {name: e, model: box, placement: {poses: [[23, 0]]}}\n"
                  "- {name: f, model: turtlebot3_burger, control_source: nodes, driver: random_walk,\n"
                  "   placement: {poses: [[25, 0]]}}\n") ==
      Lines{
          "4: robots[0].driver: the driver moves nothing, the model 'box' has no drive: 'a_0', 'a_1', 'a_2' and 2 more",
          "5: robots[1].driver: the driver moves nothing, control_source 'zmq' leaves drivers out: 'b'",
          "7: robots[2].driver: the driver moves nothing, the model 'slug' has a max_speed of 0: 'c'",
          "8: robots[3].driver: the driver moves nothing, its speed is 0: 'd'"});
  CHECK(
      warnings_of("robots:\n- {name: r, model: rover.xml, driver: random_walk, placement: {poses: [[0, 0]]}}\n"
                  "- {name: w, model: walker.xml, driver: random_walk, placement: {poses: [[5, 0]]}}\n",
                  with_robots()) ==
      Lines{
          "4: robots[1].driver: the driver moves nothing, 'walker' has no wheels that a twist turns; a model can name "
          "its left_wheels and right_wheels: 'w'"});
}

TEST_CASE("robots in walls and outside the map are counted, by their footprints, and a few named") {
  CHECK(warnings_of(kHall + "robots:\n- {name: b, model: turtlebot3_burger, placement: {poses: [[-4.95, 0]]}}\n"
                            "- {name: c, model: turtlebot3_burger, placement: {poses: [[-4.7, 0]]}}\n"
                            "- {name: d, model: turtlebot3_burger, placement: {poses: [[2, 0]]}}\n") ==
        Lines{"4: robots[0].placement: 'b' stands in a wall or outside the map",
              "6: robots[2].placement: 'd' stands in a wall or outside the map"});
  const Lines found = warnings_of(kHall +
                                  "robots:\n- {name: a, count: 9, model: box, placement: {grid: {origin: [-6, 0], "
                                  "columns: 9, spacing: [1, 1]}}}\n");
  REQUIRE(found.size() == 1);
  CHECK(found[0] == "4: robots[0].placement: 3 robots stand in a wall or outside the map: 'a_0', 'a_1', 'a_8'");
}

TEST_CASE("all pairs of robots that stand in each other are counted, and a few named") {
  const std::string crowd =
      "robots:\n- {name: a, count: 10, model: turtlebot3_burger, placement: {grid: {columns: 10, "
      "spacing: [0.1, 1]}}}\n";
  CHECK(warnings_of(crowd) ==
        Lines{"3: robots[0].placement: 9 pairs of robots stand in each other, and do not get out: "
              "'a_1' in 'a_0', 'a_2' in 'a_1', 'a_3' in 'a_2' and 6 more"});
  CHECK(warnings_of(crowd + "- {name: b, model: turtlebot3_burger, placement: {poses: [[1, 0]]}}\n").back() ==
        "4: robots[1].placement: robots stand in each other, and do not get out: 'b' in 'a_9'");
  CHECK(warnings_of("world: {contact: static}\n" + crowd).empty());
  // Far enough by their footprints, though their circles meet.
  CHECK(warnings_of("robots:\n- {name: a, model: box, placement: {poses: [[0, 0]]}}\n"
                    "- {name: b, model: box, placement: {poses: [[1.0, 0]]}}\n")
            .empty());
}

TEST_CASE("overlaps found by grids are those of every pair, for sizes that differ by a thousand") {
  std::vector<Model> models;
  for (double side : {0.005, 0.1, 0.4, 7.0}) {
    Model& m = models.emplace_back();
    m.footprint = {{-side, -side / 2}, {side, -side / 2}, {side, side / 2}, {-side, side / 2}};
  }
  Random random{stream_key(1, 0, "overlaps")};
  Overlaps dut;
  std::vector<std::pair<Pose, const Model*>> all;
  std::size_t pairs = 0;
  for (int i = 0; i < 400; ++i) {
    const Model& model = models[i % 50 == 7 ? 3 : random.below(3)];
    const Pose pose{{random.uniform(-20, 20), random.uniform(-20, 20), 0}, from_yaw(random.uniform(-3, 3))};
    std::vector<std::size_t> wanted, found;
    for (std::size_t k = 0; k < all.size(); ++k)
      if (widest_gap(planar(all[k].first), all[k].second->footprint, planar(pose), model.footprint).width < -1e-6)
        wanted.push_back(k);
    dut.add(pose, model, [&](std::size_t other) { found.push_back(other); });
    CHECK(found == wanted);
    pairs += wanted.size();
    all.emplace_back(pose, &model);
  }
  CHECK(pairs > 100);
}

TEST_CASE("robots that start where no way leads to most of the map are warned of") {
  const std::string robots =
      "robots:\n- {name: a, count: 3, model: turtlebot3_burger, placement: {poses: [[-2, 0], [3.5, "
      "0], [3.5, 1]]}}\n";
  CHECK(warnings_of(kHall + robots) ==
        Lines{"4: robots[0].placement: 2 of 3 robots start where no way leads to most of the map (17.7 m^2 of 59.4): "
              "'a_1', 'a_2'"});
  // What does not move has nowhere to go; and through a door there is a way.
  CHECK(warnings_of(kHall + "robots:\n- {name: a, model: box, placement: {poses: [[3.5, 0]]}}\n").empty());
  CHECK(warnings_of("world: {ground: {size: [10, 6], walls: 0.1}, boxes: [{x: 2, y: 0.5, length: 0.1, width: 5}]}\n" +
                    robots)
            .empty());
  const Lines random = warnings_of(kHall + "robots:\n- {name: a, count: 20, model: turtlebot3_burger}\n");
  REQUIRE(random.size() == 1);
  CHECK(random[0].find("placement.random.reachable_from keeps them together") != std::string::npos);
}

TEST_CASE("waypoints in walls and outside the map, and those to which there is no way, are warned of") {
  CHECK(warnings_of(kHall +
                    "robots:\n- {name: a, count: 2, model: turtlebot3_burger, placement: {poses: [[-2, 0], [-3, 0]]},\n"
                    "   driver: {kind: waypoints, waypoints: [[0, 0], [2, 0], [9, 9], [3.5, 0]]}}\n") ==
        Lines{"5: robots[0].driver.waypoints: 2 waypoints of 'a_0' and 1 more in a wall or outside the map: [2, 0], "
              "[9, 9]",
              "5: robots[0].driver.waypoints: a waypoint to which no way leads from the start of 'a_0' and 1 more: "
              "[3.5, 0]"});
}

TEST_CASE("random places are kept to where there is a way from a given place") {
  const std::string group = "robots:\n- {name: a, count: 20, model: turtlebot3_burger, placement: {random: {";
  const auto left = parse("convoy: 1\n" + kHall + group + "reachable_from: [-3, 0]}}}\n", "s.yaml", "");
  REQUIRE_MESSAGE(left, left.error().message());
  for (const EntitySpec& e : left->setup.entities) CHECK(e.pose.p.x < 1.95);
  CHECK(left->warnings.empty());
  const auto right = parse("convoy: 1\n" + kHall + group + "reachable_from: [4, 0]}}}\n", "s.yaml", "");
  REQUIRE(right);
  for (const EntitySpec& e : right->setup.entities) CHECK(e.pose.p.x > 2.05);
  const auto wall = parse("convoy: 1\n" + kHall + group + "reachable_from: [2, 0]}}}\n", "s.yaml", "");
  REQUIRE_FALSE(wall);
  CHECK(wall.error().message().starts_with(
      "s.yaml:4: robots[0].placement: reachable_from [2, 0] is outside the map or nearer to a wall than 0."));
  CHECK_FALSE(
      parse("convoy: 1\n" + kHall + group + "region: [2.2, -2, 4, 2], reachable_from: [-3, 0]}}}\n", "s.yaml", ""));
}

TEST_CASE("a tick of seconds is warned of, with what may have been meant") {
  CHECK(warnings_of("time: {tick: 10}") ==
        Lines{"2: time.tick: robots see each other every 10s only; did you mean 10ms?"});
  CHECK(warnings_of("time: {tick: 1s}").empty());
}

TEST_CASE("of many groups in trouble the first are named and the others counted") {
  std::string text = "robots:\n";
  for (int i = 0; i < 15; ++i)
    text += "- {name: r" + std::to_string(10 + i) + ", model: box, driver: random_walk, placement: {poses: [[" +
            std::to_string(5 * i) + ", 0]]}}\n";
  const Lines found = warnings_of(text);
  REQUIRE(found.size() == kMaxGroupsWarned + 1);
  CHECK(found.back() == "drivers that move nothing in 5 more entries of the scenario");
}

}  // namespace start_check_test
