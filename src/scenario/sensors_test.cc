// Which sensors robots carry: those that they list, and those of their models.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "scenario/scenario.h"
#include "sensing/camera.h"
#include "sensing/share.h"

namespace sensors_test {

using namespace convoy;
using namespace convoy::scenario;
using namespace std::chrono_literals;

namespace {

Loaded read(const std::string& text, const LoadOptions& options = {}) {
  return parse("convoy: 1\n" + text, "s.yaml", "", options);
}
const std::string kBurger = "robots:\n- {name: b, model: turtlebot3_burger, placement: {poses: [[0, 0]]}";

}  // namespace

TEST_CASE("robots of a file carry its cameras, where robots carry what their models do") {
  LoadOptions options;
  options.import_robot = [&](const RobotFile& file) -> Result<ImportedModel> {
    ImportedModel out;
    out.model = built_in_models()[0];
    out.model.name = file.name.empty() ? "named" : file.name, out.model.files = {{file.file, 7}};
    ModelCamera eye;
    eye.name = "left/eye", eye.width = 320, eye.height = 240, eye.fx = 300, eye.fy = 310, eye.cx = 150, eye.cy = 120;
    out.report.cameras = {eye, eye};
    out.report.cameras[1].width = 100'000;
    return out;
  };
  const std::string robot = "robots: [{name: b, model: b.xml, placement: {poses: [[0, 0]]}";
  const auto carried = read("sensors: {}\n" + robot + "}]", options);
  REQUIRE_MESSAGE(carried, carried.error().message());
  const std::vector<SensorSpec>& sensors = carried->setup.entities[0].sensors;
  REQUIRE(sensors.size() == 1);
  CHECK(sensors[0].name == "left_eye");
  CHECK(sensors[0].type == "camera");
  CameraModel model;
  REQUIRE(load(sensors[0].parameters, model));
  CHECK(model.width == 320);
  CHECK(model.focal == std::array<double, 2>{300, 310});
  CHECK(model.center == std::array<double, 2>{150, 120});
  CHECK(std::count(carried->warnings.begin(), carried->warnings.end(),
                   "the camera 'left/eye' of 'named': width and height are from 1 to 8192 pixels") == 1);
  // Who is spawned of the model carries it as well.
  REQUIRE(carried->setup.sensors.sets.size() == 1);
  CHECK(carried->setup.sensors.sets[0].sensors == sensors);

  CHECK(read(robot + "}]", options)->setup.entities[0].sensors.empty());
  CHECK(read("sensors: {}\n" + robot + ", sensors: []}]", options)->setup.entities[0].sensors.empty());
  const auto more = read(robot + ", sensors: {set: default, list: [pose]}}]", options);
  REQUIRE_MESSAGE(more, more.error().message());
  CHECK(more->setup.entities[0].sensors.size() == 2);
}

TEST_CASE("robots carry the sensors that they or their models list, mounted as the model's own") {
  const auto sensors = [](const std::string& document) {
    const auto s = read(document);
    REQUIRE_MESSAGE(s, s.error().message());
    return s->setup.entities[0].sensors;
  };
  CHECK(sensors(kBurger + "}").empty());
  const auto own = sensors("sensors: {}\n" + kBurger + "}");
  REQUIRE(own.size() == 3);
  CHECK(own[0].name == "scan");
  CHECK(own[0].X_LS.p.z == 0.182);
  CHECK(sensors("sensors: {}\n" + kBurger + ", sensors: none}").empty());
  CHECK(sensors(kBurger + ", sensors: default}") == own);

  const auto listed = sensors(kBurger + ", sensors: [rplidar_a2m8, {type: scan, at: [1, 0, 0], beams: 4}, fix]}");
  REQUIRE(listed.size() == 3);
  CHECK(listed[0].X_LS == own[0].X_LS);
  CHECK(listed[0].parameters != own[0].parameters);
  CHECK(listed[1].name == "scan2");
  CHECK(listed[1].X_LS.p == Vec3{1, 0, 0});
  CHECK(listed[2].X_LS == Pose{});

  const std::string model =
      "models: [{name: mine, like: turtlebot3_burger, sensors: {set: default, list: [pose]}}]\n"
      "robots: [{name: b, model: mine, sensors: default, placement: {poses: [[0, 0]]}}]\n";
  CHECK(sensors(model).size() == 4);
  CHECK(sensors("time: {tick: 500ms}\nsensors: {}\n" + kBurger + "}")[0].period == std::chrono::milliseconds(500));
}

TEST_CASE("a scenario says which sensors may sample elsewhere, by type and by sensor") {
  const std::string types =
      "sensors: {types: [{type: scan, distribution: client_only, load: 0.7}, {type: fix, distribution: "
      "main_or_client}]}\n";
  const auto s = read(types + kBurger +
                      ", sensors: [scan, fix, {type: scan, distribution: main_only}, {type: pose, distribution: "
                      "main_or_client, load: 0.33333}, radar]}");
  REQUIRE_MESSAGE(s, s.error().message());
  const auto share = [&](std::size_t i) { return share_of(s->setup.entities[0].sensors[i], s->setup.sensors); };
  CHECK(share(0).distribution == Distribution::kClientOnly);
  CHECK(share(0).load == 7000);
  CHECK(share(1).distribution == Distribution::kMainOrClient);
  CHECK(share(1).load == 500);  // its type's
  CHECK(share(2).distribution == Distribution::kMainOnly);
  CHECK(share(3).distribution == Distribution::kMainOrClient);
  CHECK(share(3).load == 3333);
  CHECK(share(4).distribution == Distribution::kMainOnly);  // nobody has said so
  CHECK(share(4).load == 2000);

  const auto error = [](const std::string& text) {
    const auto wrong = read(text);
    REQUIRE_FALSE(wrong);
    return wrong.error().message();
  };
  CHECK(error(kBurger + ", sensors: [{type: scan, load: 1.5}]}").find("sensors.list[0].load") != std::string::npos);
  CHECK(error(kBurger + ", sensors: [{type: scan, distribution: somewhere}]}")
            .find("main_only, main_or_client, client_only") != std::string::npos);
  CHECK(error(kBurger + ", sensors: [{type: imu, distribution: client_only}]}")
            .find("a sensor of type 'imu' samples where its robot runs, and nowhere else") != std::string::npos);
  CHECK(error("sensors: {types: [{type: scam}]}\n" + kBurger + "}").find("did you mean 'scan'?") != std::string::npos);
  CHECK(error("sensors: {types: [{type: scan}, {type: scan}]}\n" + kBurger + "}").find("stands there twice") !=
        std::string::npos);
}

}  // namespace sensors_test
