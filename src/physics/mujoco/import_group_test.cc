#include "physics/mujoco/import_group.h"
#include "core/approx.h"

#include <algorithm>

#include "physics/mujoco/testing.h"

namespace import_group_test {

using namespace convoy;
using namespace convoy::mujoco;

namespace {

LooseBody box(const std::string& name, double x, double z) {
  LooseBody out;
  out.name = name, out.size = {0.2, 0.3, 0.1}, out.mass = 2, out.X_WB.p = {x, 0, z};
  return out;
}

Result<ImportedModel> group_of(std::vector<LooseBody> bodies, std::map<std::string, std::string> files = {}) {
  REQUIRE(start(CONVOY_MUJOCO_PLUGINS));
  return import_group({"things", "", std::chrono::milliseconds(2), std::move(bodies)},
                      {of(std::move(files)), {}, {}, {}, {}});
}

double joint(const Stage& stage, const std::string& name) {
  const auto& joints = stage.model().joints;
  const auto found = std::find(joints.begin(), joints.end(), name);
  REQUIRE(found != joints.end());
  return stage.tail[static_cast<std::size_t>(found - joints.begin())];
}

constexpr const char* kGate = R"(<mujoco>
  <worldbody>
    <body name="post" pos="0 0 0.5"><geom type="box" size="0.05 0.05 0.5"/></body>
    <body name="wing" pos="0 0.1 0.5">
      <joint name="hinge" axis="0 0 1" damping="0.1"/><geom type="box" size="0.4 0.02 0.4" pos="0.45 0 0"/>
    </body>
    <body name="lamp" pos="0 1 0.1"><freejoint/><geom type="sphere" size="0.1"/></body>
  </worldbody>
  <keyframe><key name="home" qpos="0.5 9 9 9 1 0 0 0"/></keyframe>
</mujoco>)";

}  // namespace

TEST_CASE("loose objects are one model, solved together, of their own shapes and masses") {
  LooseBody ball;
  ball.name = "ball", ball.shape = LooseBody::Shape::kSphere, ball.size = {0.1}, ball.mass = 0.5,
  ball.X_WB.p = {2, 0, 0.4};
  LooseBody can;
  can.name = "can", can.shape = LooseBody::Shape::kCylinder, can.size = {0.1, 0.4}, can.mass = 1,
  can.X_WB.p = {-2, 0, 0.5};
  auto made = group_of({box("low", 0, 0.05), box("high", 0.05, 0.2), ball, can});
  REQUIRE(made);
  CHECK(made->model.name == "things");
  CHECK(made->model.joints.size() == 4 * 7);
  CHECK(made->model.mass == approx(5.5));
  CHECK(made->model.footprint.empty());
  CHECK(made->report.lost.empty());

  Stage dut(std::move(*made));
  dut.run(2);
  CHECK(dut.fault.empty());
  CHECK(joint(dut, "low:z") == approx(0.05).epsilon(0.02));
  CHECK(joint(dut, "high:z") == approx(0.15).epsilon(0.02));
  CHECK(joint(dut, "ball:z") == approx(0.1).epsilon(0.02));
  CHECK(joint(dut, "can:z") == approx(0.2).epsilon(0.02));
  CHECK(dut.state.pose == Pose{});
}

TEST_CASE("an object of a file is all that is in it, where it is put, its names behind the object's") {
  LooseBody gate;
  gate.name = "gate", gate.shape = LooseBody::Shape::kFile, gate.file = "/w/gate.xml";
  gate.X_WB = {{3, 0, 0}, from_yaw(3.14159265358979)};
  LooseBody other = gate;
  other.name = "other", other.X_WB.p.x = -3;
  auto made = group_of({gate, other, box("low", 0, 0.05)}, {{"/w/gate.xml", kGate}});
  if (!made) FAIL(made.error().message());
  CHECK(made->report.lost == std::vector<std::string>{"/w/gate.xml:9: a keyframe of an object is left out"});

  Stage dut(std::move(*made));
  CHECK(joint(dut, "gate/hinge") == 0);
  CHECK(joint(dut, "gate/lamp:x") == approx(3));
  CHECK(joint(dut, "gate/lamp:y") == approx(-1));
  CHECK(joint(dut, "other/lamp:x") == approx(-3));
  dut.run(1);
  CHECK(joint(dut, "other/lamp:z") == approx(0.1).epsilon(0.02));
}

TEST_CASE("a file that is missing or wrong is named") {
  LooseBody gate;
  gate.name = "gate", gate.shape = LooseBody::Shape::kFile, gate.file = "/w/gate.xml";
  const auto missing = group_of({gate});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message().find("/w/gate.xml") != std::string::npos);
  const auto wrong =
      group_of({gate}, {{"/w/gate.xml", "<mujoco>\n<worldbody>\n<geom type='spere'/></worldbody></mujoco>"}});
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message().find("spere") != std::string::npos);
}

}  // namespace import_group_test
