// What is written is read again, of either layout; cut, and from strangers.
#include "adapters/zmq/readings.h"

#include <doctest/doctest.h>

#include <cmath>

namespace readings_test {

using namespace convoy;
using namespace convoy::zmq;

TEST_CASE("topics are a robot, a kind and the rest, with a space behind them or without") {
  const StreamTopic joint = read_stream_topic("Go/joint/front/left ");
  CHECK(joint.robot == "Go");
  CHECK(joint.kind == "joint");
  CHECK(joint.part == "front/left");
  CHECK(read_stream_topic("Go/twist").kind == "twist");
  CHECK(read_stream_topic("Go/twist").part.empty());
  CHECK(read_stream_topic("Go").kind.empty());
  CHECK(read_stream_topic("").robot.empty());
}

TEST_CASE("joints and sensors are read as they were written, and nothing else is") {
  Bytes bytes;
  put_joint(bytes, 3, {0.5, -1.0, 2.0});
  const auto joint = read_joint(bytes);
  REQUIRE(joint);
  CHECK(joint->position == 0.5);
  CHECK(joint->velocity == -1.0);
  CHECK(joint->acceleration == 2.0);
  for (std::size_t size = 0; size < bytes.size(); ++size) CHECK(!read_joint(ByteView(bytes).first(size)));

  const std::vector<double> values{0.25, -4.0, 9.5};
  for (const WireProfile profile : {WireProfile::kSeed, WireProfile::kUrlab01}) {
    put_sensor(bytes, profile, 7, values);
    CHECK(read_sensor(bytes) == values);
    bytes.pop_back();
    CHECK(!read_sensor(bytes));
  }
  put_sensor(bytes, WireProfile::kSeed, 7, {});
  CHECK(read_sensor(bytes) == std::vector<double>{});
  CHECK(!read_sensor({}));
}

TEST_CASE("a base is read from either layout, its velocity about its own axes") {
  const double half = std::sqrt(0.5);
  const PanelReadings::Base base{{{1, 2, 3}, {half, 0, 0, half}}, {0, 2, 0}, {0, 0, 0.5}};
  Bytes bytes;
  put_base(bytes, WireProfile::kSeed, base);
  const auto seed = read_base(bytes);
  REQUIRE(seed);
  CHECK(seed->X_WB == base.X_WB);
  CHECK(!seed->V_WB_B);

  put_base(bytes, WireProfile::kUrlab01, base);
  const auto urlab = read_base(bytes);
  REQUIRE(urlab);
  CHECK(urlab->X_WB.p == base.X_WB.p);
  CHECK(std::abs(urlab->X_WB.q.z - half) < 1e-7);
  REQUIRE(urlab->V_WB_B);
  CHECK(std::abs(urlab->V_WB_B->v.x - 2) < 1e-6);  // along y of the world is ahead after a quarter turn
  CHECK(std::abs(urlab->V_WB_B->v.y) < 1e-6);
  CHECK(urlab->V_WB_B->w.z == 0.5);
  for (std::size_t size = 0; size < bytes.size(); ++size) CHECK(!read_base(ByteView(bytes).first(size)));
}

TEST_CASE("info names actuators without their robot, and controls are read as they were written") {
  Panel panel;
  panel.actuators = {{"hip"}, {"knee"}};
  const std::vector<CameraPlace> cameras{{"eye", "Go/camera/eye ", "tcp://127.0.0.1:5558", 4, 2, Shown::kDepth, true}};
  const auto info = read_info(info_text("Go", panel, cameras));
  REQUIRE(info);
  CHECK(info->robot == "Go");
  CHECK(info->actuators == std::vector<std::pair<std::string, std::int32_t>>{{"hip", 0}, {"knee", 1}});
  CHECK(info->shows == std::map<std::string, std::string>{{"eye", "depth_cm"}});
  for (const char* text :
       {"", "{", "[]", "3", R"({"robot": 1, "names": [], "ids": []})", R"({"robot": "a"})",
        R"({"robot": "a", "names": ["b"], "ids": []})", R"({"robot": "a", "names": [1], "ids": [1]})",
        R"({"robot": "a", "names": ["b"], "ids": ["c"]})"})
    CHECK(!read_info(text));

  Bytes bytes;
  put_controls(bytes, std::vector<ControlPair>{{7, 0.25f}, {9, -0.5f}});
  std::vector<ControlPair> out;
  REQUIRE(read_controls(bytes, out));
  REQUIRE(out.size() == 2);
  CHECK(out[1].actuator == 9);
  CHECK(out[1].value == -0.5f);
}

}  // namespace readings_test
