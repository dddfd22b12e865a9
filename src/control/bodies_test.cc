#include "control/bodies.h"

#include <doctest/doctest.h>

#include "control/stage.h"
#include "core/random.h"

namespace bodies_test {

using namespace convoy;
using namespace convoy::control;

namespace {

using Row = std::vector<double>;

Row row(std::span<const double> values) { return {values.begin(), values.end()}; }

struct Scene : Stage {
  Scene() { control.follow(*fleet, now); }
  const RobotEntry& robot(const char* name) { return *control.roster().find(name); }
  Row qpos(const char* name) { return row(control.bodies().view(*fleet, robot(name)).qpos); }
  Row qvel(const char* name) { return row(control.bodies().view(*fleet, robot(name)).qvel); }
  void command(const char* name, double left, double right) {
    const std::vector<Control> controls{{0, left}, {1, right}};
    control.commands().set_controls(robot(name).number, controls);
  }
  Bytes save(const char* name) { return control.bodies().save(*fleet, robot(name), position.tick); }
  std::optional<PutBody> load(const char* name, ByteView bytes) {
    return control.bodies().load(*fleet, robot(name), bytes);
  }
  Bodies::Move move(const char* name, Put put) {
    put.robot = robot(name).number;
    return control.bodies().move(*fleet, robot(name), put, position.tick);
  }
};

}  // namespace

TEST_CASE("a robot without an engine counts its base as a free joint, then its own joints") {
  Scene stage;
  CHECK(stage.qpos("burger") == Row{6, 0, 0, 1, 0, 0, 0, 0, 0});
  CHECK(stage.qvel("burger") == Row(8, 0));
  CHECK(stage.qpos("s0") == Row{0, 0});
}

TEST_CASE("what was saved puts the robot back, and no other one") {
  Scene dut;
  dut.command("s0", 0.5, 2);
  dut.tick();
  const Bytes saved = dut.save("s0");
  dut.command("s0", 9, 9);
  dut.tick();
  CHECK(dut.qpos("s0") == Row{9, 9});

  auto body = dut.load("s0", saved);
  REQUIRE(body);
  dut.edit(*body);
  CHECK(dut.qpos("s0") == Row{0.5, 2});
  CHECK(dut.save("s0") == saved);
  CHECK_FALSE(dut.load("burger", saved));
  CHECK(dut.load("s1", saved));  // of the same model
}

TEST_CASE("bytes that are cut short or have flipped bits are no state, or one that the world takes") {
  Scene dut;
  const Bytes saved = dut.save("s0");
  for (std::size_t n = 0; n < saved.size(); ++n) CHECK_FALSE(dut.load("s0", ByteView(saved).first(n)));
  for (std::size_t bit = 0; bit < saved.size() * 8; ++bit) {
    Bytes bytes = saved;
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ 1u << bit % 8);
    if (const auto body = dut.load("s0", bytes)) CHECK(dut.fleet->world().check(*body));
  }
}

TEST_CASE("a robot is moved into a keyframe, over that where it is wanted, and else stays") {
  Scene dut;
  const auto moved = [&](const Put& put) {
    const Bodies::Move move = dut.move("s0", put);
    REQUIRE(move.fits);
    if (move.edit) dut.edit(*move.edit);
    return dut.qpos("s0");
  };
  CHECK(moved({}) == Row{0, 0});
  CHECK(moved({kNoEntity, {}, {1, 2}, {}}) == Row{1, 2});
  CHECK(moved({kNoEntity, 0, {}, {}}) == Row{3, 4});
  CHECK(moved({kNoEntity, 0, {8}, {}}) == Row{8, 4});
  CHECK(moved({kNoEntity, {}, {}, {0.5, 0.25}}) == Row{8, 4});
  CHECK(dut.qvel("s0") == Row{0.5, 0.25});
}

TEST_CASE("a robot without an engine is put by its base alone, or with its joints") {
  Scene dut;
  const Bodies::Move base = dut.move("burger", {kNoEntity, {}, {5, 6, 0, 1, 0, 0, 0}, {1, 0, 0, 0, 0, 0}});
  REQUIRE(base.edit);
  dut.edit(*base.edit);
  CHECK(dut.qpos("burger") == Row{5, 6, 0, 1, 0, 0, 0, 0, 0});
  CHECK(dut.qvel("burger")[0] == 1);
  const Bodies::Move all = dut.move("burger", {kNoEntity, {}, {5, 6, 0, 1, 0, 0, 0, 2, 3}, {}});
  REQUIRE(all.edit);
  dut.edit(*all.edit);
  CHECK(dut.qpos("burger") == Row{5, 6, 0, 1, 0, 0, 0, 2, 3});
  CHECK_FALSE(dut.move("burger", {kNoEntity, {}, {1e9, 0, 0, 1, 0, 0, 0}, {}}).fits);
}

TEST_CASE("the panel of a robot without instruments reads what its state shows") {
  Scene dut;
  const Bodies::Move put = dut.move("burger", {kNoEntity, {}, {5, 6, 0, 1, 0, 0, 0, 2, 3}, {1, 0, 0, 0, 0, 0}});
  REQUIRE(put.edit);
  dut.edit(*put.edit);
  PanelReadings out;
  read_panel(*dut.fleet, dut.robot("burger"), dut.fleet->world().snapshot(), out);
  REQUIRE(out.joints.size() == 2);
  CHECK(out.joints[0].position == 2);
  CHECK(out.joints[1].position == 3);
  REQUIRE(out.bases.size() == 1);
  CHECK(out.bases[0].X_WB.p == Vec3{5, 6, 0});
  CHECK(out.bases[0].v_WB_W == Vec3{1, 0, 0});
}

}  // namespace bodies_test
