#include "record/scene_writer.h"

#include <doctest/doctest.h>

#include <cmath>

#include "record/foxglove/testing.h"
#include "record/mcap_reader.h"
#include "world/edits/edits.h"
#include "world/state.h"

namespace scene_writer_test {

using namespace convoy;
using testing::WireMessage;

namespace {

Setup hall() {
  Setup setup;
  setup.models = built_in_models();
  setup.map.width = 40, setup.map.height = 20, setup.map.resolution = 0.25, setup.map.origin = {-5, -2.5, 0};
  setup.map.cells.assign(800, 0);
  for (std::size_t i = 0; i < 40; ++i) setup.map.cells[i] = 1;
  for (const char* name : {"one", "two"}) {
    EntitySpec e;
    e.name = name, e.model = "turtlebot3_burger", e.pose.p = {1, 1, 0};
    setup.entities.push_back(e);
  }
  setup.entities[1].pose.q = from_yaw(1);
  SensorSpec sensor;
  sensor.name = "eye", sensor.type = "scan", sensor.link = "base_link", sensor.X_LS.p = {0.1, 0, 0.2};
  setup.entities[0].sensors.push_back(sensor);
  return setup;
}

struct Rig {
  explicit Rig(const ViewDetail& detail = {}, bool sensors = false) : dut(file, setup, detail, kOften) {
    if (sensors) dut.set_sensors([](const std::string&, const SensorSpec&) { return true; });
  }
  void at(int ms) {
    dut.follow(instant(ms * 1'000'000), world);
    dut.place(instant(ms * 1'000'000), world);
  }
  void edit(const Edit& edit) {
    REQUIRE(world.check(edit).has_value());
    world.apply(edit, instant(0));
    world.settle();
  }
  struct Written {
    std::uint64_t time_ns;
    Bytes bytes;
  };
  std::vector<Written> written(const std::string& topic) {
    REQUIRE(file.close().has_value());
    std::vector<Written> out;
    const auto note = [&](const MessageView& m) {
      if (m.channel->topic == topic) out.push_back({m.log_time_ns, {m.data.begin(), m.data.end()}});
      return Status{};
    };
    REQUIRE(scan_mcap(sink.bytes, {.message = note}).has_value());
    return out;
  }

  static constexpr Duration kOften = std::chrono::milliseconds(100);
  MemorySink sink;
  Setup setup = hall();
  World world = *World::make(setup);
  RecordingWriter file{sink, setup, {}, ""};
  SceneWriter dut;
};

std::vector<std::string> texts(WireMessage update, std::uint64_t field, std::uint64_t of) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < update.count(field); ++i) out.push_back(update.message(field, i).one(of).text());
  return out;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("the map and the scene are written once, and what comes and goes when it does") {
  Rig rig;
  rig.at(0), rig.at(10);
  EntitySpec third = rig.setup.entities[1];
  third.name = "three";
  rig.edit(Spawn{third, kNobody});
  rig.edit(Delete{WorldNumber(1)});
  rig.at(20), rig.at(30);

  CHECK(rig.written("/map").size() == 1);
  const auto scene = rig.written("/scene");
  REQUIRE(scene.size() == 2);
  CHECK(scene[0].time_ns == 0);
  CHECK(texts(WireMessage(scene[0].bytes), 2, 3) == Names{"world", "one/base_link", "one/wheel_left_link",
                                                          "one/wheel_right_link", "two/base_link",
                                                          "two/wheel_left_link", "two/wheel_right_link"});
  CHECK(scene[1].time_ns == 20'000'000);
  CHECK(texts(WireMessage(scene[1].bytes), 2, 3) ==
        Names{"three/base_link", "three/wheel_left_link", "three/wheel_right_link"});
  CHECK(texts(WireMessage(scene[1].bytes), 1, 3) ==
        Names{"one/base_link", "one/wheel_left_link", "one/wheel_right_link"});
}

TEST_CASE("a name whose bearer is another now has the shapes of the new one alone") {
  Rig rig;
  rig.at(0);
  EntitySpec other = rig.setup.entities[0];
  other.model = "turtlebot3_waffle", other.sensors.clear();
  rig.edit(Delete{WorldNumber(1)});
  rig.edit(Spawn{other, kNobody});
  rig.at(10);

  const auto scene = rig.written("/scene");
  REQUIRE(scene.size() == 2);
  WireMessage update(scene[1].bytes);
  CHECK(update.count(1) == 3);
  CHECK(update.count(2) == 3);
}

TEST_CASE("frames hang on one another, and come at their rate, whatever the ticks are") {
  Rig rig({}, true);
  for (int ms = 0; ms <= 250; ms += 30) rig.at(ms);

  const auto frames = rig.written("/tf");
  REQUIRE(frames.size() == 3);
  CHECK(frames[1].time_ns == 120'000'000);
  CHECK(frames[2].time_ns == 210'000'000);
  WireMessage first(frames[0].bytes);
  CHECK(texts(first, 1, 3) == Names{"one", "one/base_link", "one/wheel_left_link", "one/wheel_right_link",
                                    "one/eye_link", "two", "two/base_link", "two/wheel_left_link",
                                    "two/wheel_right_link"});
  CHECK(texts(first, 1, 2) == Names{"world", "one", "one", "one", "one/base_link", "world", "two", "two", "two"});
  // Wherever the robot is, its wheel is in the same place in it.
  const Vec3 in_one{first.message(1, 2).message(4).one(1).real(), first.message(1, 2).message(4).one(2).real(), 0};
  const Vec3 in_two{first.message(1, 7).message(4).one(1).real(), first.message(1, 7).message(4).one(2).real(), 0};
  CHECK(in_one == in_two);
  CHECK(std::fabs(in_one.y - 0.08) < 1e-6);
  CHECK(first.message(1, 4).message(4).one(1).real() == 0.1);
}

TEST_CASE("a recording without a scene has the frames of entities, and no others") {
  Rig rig({.scene = ViewDetail::Scene::kNone, .frames = std::chrono::milliseconds(50)});
  for (int ms = 0; ms <= 100; ms += 10) rig.at(ms);

  CHECK(rig.written("/map").empty());
  CHECK(rig.written("/scene").empty());
  const auto frames = rig.written("/tf");
  REQUIRE(frames.size() == 3);
  CHECK(texts(WireMessage(frames[0].bytes), 1, 3) == Names{"one", "two"});
}

TEST_CASE("a rigid robot's links are fixed to its own frame, wherever it stands") {
  Rig rig({.scene = ViewDetail::Scene::kRigid, .frames = {}});
  rig.at(0);

  CHECK(texts(WireMessage(rig.written("/tf").at(0).bytes), 1, 3) == Names{"one", "two"});
  WireMessage update(rig.written("/scene").at(0).bytes);
  CHECK(texts(update, 2, 3).size() == 7);
  CHECK(texts(update, 2, 2) == Names{"world", "one", "one", "one", "two", "two", "two"});
  for (const std::size_t wheel : {2u, 5u}) {
    WireMessage place = update.message(2, wheel).message(10).message(1).message(1);
    CHECK(std::fabs(place.one(1).real()) < 1e-9);
    CHECK(std::fabs(place.one(2).real() - 0.08) < 1e-6);
  }
}

TEST_CASE("the same world again after a reset is not written again") {
  Rig rig;
  rig.at(0), rig.at(70);
  rig.edit(Reset{});
  rig.file.begin_run(100'000'000);
  rig.at(0);

  CHECK(rig.written("/scene").size() == 1);
  const auto frames = rig.written("/tf");
  REQUIRE(frames.size() == 2);
  CHECK(frames[1].time_ns == 100'000'000);
}

}  // namespace scene_writer_test
