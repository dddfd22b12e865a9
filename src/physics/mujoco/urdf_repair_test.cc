// URDFs as people write them: what an import adds and mends so that they stand, and drive.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/approx.h"
#include "physics/mujoco/mesh_files.h"
#include "physics/mujoco/testing.h"

namespace urdf_repair_test {

using namespace convoy;
using namespace convoy::mujoco;

namespace {

Result<ImportedModel> import_of(const std::string& urdf, ImportOptions options = {},
                                std::map<std::string, std::string> more = {}) {
  REQUIRE(start(CONVOY_MUJOCO_PLUGINS));
  more["/ws/r.urdf"] = urdf;
  options.read = of(std::move(more)), options.name = "dut";
  return import_model("/ws/r.urdf", options);
}

bool tells(const std::vector<std::string>& lines, const std::string& part) {
  return std::any_of(lines.begin(), lines.end(), [&](const auto& l) { return l.find(part) != std::string::npos; });
}

std::string inertial(double mass, double xx, double yy, double zz) {
  return fmt::format(
      "<inertial><mass value='{}'/><inertia ixx='{}' ixy='0' ixz='0' iyy='{}' iyz='0' izz='{}'/></inertial>", mass, xx,
      yy, zz);
}

std::string a_link(const std::string& name, const std::string& inside) {
  return "<link name='" + name + "'>" + inside + "</link>\n";
}

std::string collision(const std::string& shape, const std::string& xyz = "0 0 0") {
  return "<collision><origin xyz='" + xyz + "'/><geometry>" + shape + "</geometry></collision>";
}

std::string a_joint(const std::string& name, const std::string& type, const std::string& parent,
                    const std::string& child, const std::string& inside = "") {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent + "'/><child link='" + child + "'/>" +
         inside + "</joint>\n";
}

std::string robot(const std::string& inside) { return "<robot name='r'>\n" + inside + "</robot>"; }

// A box of 4 kg whose origin is in its middle.
std::string box_robot(const std::string& more = "") {
  return robot(a_link("base", collision("<box size='0.4 0.4 0.2'/>") + inertial(4, 0.05, 0.05, 0.1)) + more);
}

constexpr const char* kWheel = "<cylinder length='0.02' radius='0.05'/>";

// A cart with a wheel of a radius of 5 cm on each side, and a ball before them to lean on. `axle` is between its base
// and each wheel's joint; `type`, `limit` of those joints.
std::string cart(const std::string& tags, const std::string& type = "continuous", const std::string& limit = "",
                 const std::string& shape = kWheel, bool steered = false) {
  std::string out =
      a_link("base", collision("<box size='0.3 0.16 0.06'/>", "0 0 0.02") +
                         collision("<sphere radius='0.02'/>", "0.12 0 -0.03") + inertial(3, 0.01, 0.03, 0.03));
  for (const auto& [name, y] : {std::pair{"left", "0.1"}, {"right", "-0.1"}}) {
    const std::string at = std::string("<origin xyz='-0.05 ") + y + " 0' rpy='-1.5707963267948966 0 0'/>";
    const std::string n = name, knuckle = n + "_knuckle";
    if (steered)
      out += a_link(knuckle, inertial(0.1, 1e-4, 1e-4, 1e-4)) +
             a_joint(n + "_steer", "revolute", "base", knuckle,
                     std::string("<origin xyz='-0.05 ") + y +
                         " 0'/><axis xyz='0 0 1'/><limit lower='-0.5' upper='0.5' effort='5' velocity='1'/>");
    out += a_link(n + "_wheel", collision(shape) + inertial(0.2, 1e-4, 1e-4, 2e-4));
    out += a_joint(n, type, steered ? knuckle : "base", n + "_wheel",
                   (steered ? "<origin rpy='-1.5707963267948966 0 0'/>" : at) + "<axis xyz='0 0 1'/>" + limit);
  }
  return robot(out + tags);
}

double number_of(const mjModel* m, const char* name) {
  const int id = mj_name2id(m, mjOBJ_NUMERIC, name);
  return id < 0 ? -1 : m->numeric_data[m->numeric_adr[id]];
}

using Corner = std::array<float, 3>;

std::string stl_of(const std::vector<std::array<Corner, 3>>& triangles) {
  Bytes out(80, ' ');
  Writer w(out);
  w.u32(static_cast<std::uint32_t>(triangles.size()));
  for (const auto& t : triangles) {
    const float no_normal[3] = {0, 0, 0};
    w.raw(no_normal, sizeof no_normal);
    w.raw(t.data(), sizeof t);
    w.u16(0);
  }
  return {out.begin(), out.end()};
}

// A ball of that radius of 2 rows * columns triangles, m.
std::string ball(float radius, int rows, int columns) {
  const auto at = [&](int row, int column) -> Corner {
    const double a = 3.14159265358979 * row / rows, b = 2 * 3.14159265358979 * (column % columns) / columns;
    return {static_cast<float>(radius * std::sin(a) * std::cos(b)),
            static_cast<float>(radius * std::sin(a) * std::sin(b)), static_cast<float>(radius * std::cos(a))};
  };
  std::vector<std::array<Corner, 3>> out;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      out.push_back({at(r, c), at(r + 1, c), at(r + 1, c + 1)});
      out.push_back({at(r, c), at(r + 1, c + 1), at(r, c + 1)});
    }
  return stl_of(out);
}

}  // namespace

TEST_CASE("a URDF's floating robot begins 1 mm above the ground, wherever its origin is") {
  const auto made = import_of(box_robot());
  REQUIRE_MESSAGE(made, made.error().message());
  CHECK(made->report.lift == approx(0.101).epsilon(1e-9));
  CHECK(tells(made->report.made, "the base is raised by 0.101 m"));
  Stage dut(*made);
  const mjModel* m = dut.robot().compiled().model;
  CHECK(seen(dut.robot()).qpos[2] == approx(0.101).epsilon(1e-9));
  REQUIRE(m->nq == 7);
  REQUIRE(dut.run(1));
  CHECK(seen(dut.robot()).qpos[2] == approx(0.1).epsilon(2e-3));  // it fell that millimetre, and no more
  // An MJCF is never moved.
  const ImportedModel mjcf =
      written("<mujoco><worldbody><body><freejoint/><geom type='box' size='.2 .2 .1'/></body></worldbody></mujoco>");
  CHECK(mjcf.report.lift == 0);
  CHECK(seen(Stage(mjcf).robot()).qpos[2] == 0);
}

TEST_CASE("a URDF's joints begin within their limits, and are held there") {
  const std::string leg = "<axis xyz='0 1 0'/><limit lower='-2.7' upper='-0.8' effort='30' velocity='10'/>";
  const auto made =
      import_of(box_robot(a_link("shank", inertial(0.2, 1e-3, 1e-3, 1e-3)) +
                          a_joint("knee", "revolute", "base", "shank", "<origin xyz='0.3 0 0.2'/>" + leg)));
  REQUIRE_MESSAGE(made, made.error().message());
  CHECK(tells(made->report.made, "1 joints begin at a limit"));
  CHECK(made->model.start == std::vector<double>{-0.8});
  Stage dut(*made);
  REQUIRE(dut.run(1));
  CHECK(dut.tail[0] == approx(-0.8).epsilon(0.02));
}

TEST_CASE("servos are no stiffer than the physics steps can follow") {
  const std::string stiff = "<axis xyz='0 1 0'/><limit lower='-2' upper='2' effort='1000' velocity='10'/>";
  const auto made =
      import_of(box_robot(a_link("finger", inertial(0.03, 1e-6, 1e-6, 1e-6)) +
                          a_joint("turn", "revolute", "base", "finger", "<origin xyz='0 0 0.3'/>" + stiff)));
  REQUIRE_MESSAGE(made, made.error().message());
  Stage dut(*made);
  REQUIRE_MESSAGE(dut.run(2, {}, {{0, 1.0}}), dut.fault);
  CHECK(dut.tail[0] == approx(1).epsilon(0.02));
}

TEST_CASE("inertias that no body has are mended and listed, or refused") {
  const std::string urdf = box_robot(
      a_link("long", inertial(1, 0.1, 0.001, 0.002)) +
      a_joint("a", "continuous", "base", "long", "<axis xyz='1 0 0'/>") + a_link("zero", inertial(1, 0, 0, 0)) +
      a_joint("b", "continuous", "base", "zero", "<axis xyz='1 0 0'/>") + a_link("frame", "") +
      a_joint("c", "continuous", "base", "frame", "<axis xyz='1 0 0'/>") +
      a_link("empty", "<inertial><mass value='0'/></inertial>" + collision("<box size='1 1 1'/>", "0 0 5")) +
      a_joint("d", "fixed", "base", "empty"));
  const auto made = import_of(urdf);
  REQUIRE_MESSAGE(made, made.error().message());
  const auto& lost = made->report.lost;
  CHECK(tells(lost, "inertia of 'long': one principal moment of inertia is larger than the other two together"));
  CHECK(tells(lost, "inertia of 'zero': a principal moment of inertia is 0 or less"));
  CHECK(tells(lost, "inertia of 'frame': nothing gives a mass or has a shape"));
  Stage dut(*made);
  const mjModel* m = dut.robot().compiled().model;
  const auto body = [&](const char* name) { return mj_name2id(m, mjOBJ_BODY, name); };
  const mjtNum* moments = m->body_inertia + 3 * body("long");
  mjtNum all[3] = {moments[0], moments[1], moments[2]};
  mju_insertionSort(all, 3);
  CHECK(all[2] == approx(0.1).epsilon(1e-3));  // the largest stays
  CHECK(all[0] + all[1] >= all[2]);
  CHECK(all[1] - all[0] == approx(0.001).epsilon(0.01));  // both were raised alike
  CHECK(m->body_mass[body("zero")] == 1);
  CHECK(m->body_mass[body("frame")] == approx(1e-3));  // a ten-thousandth of 6 kg, and a gram at least
  CHECK(m->body_mass[body("empty")] < 1e-6);           // it says that it has none: not a tonne of water
  CHECK(dut.run(0.5));

  ImportOptions refuse;
  refuse.inertia = InertiaRule::kRefuse;
  const auto refused = import_of(urdf, refuse);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().where == "/ws/r.urdf:3");  // of the first
  CHECK(refused.error().text.find("inertia of 'long'") != std::string::npos);
  CHECK(refused.error().text.ends_with("`inertia: repair` would do so"));
  CHECK(import_of(box_robot(), refuse));
}

TEST_CASE("a base without a mass gets that of its shapes in water, or a little") {
  const auto shaped = import_of(
      robot(a_link("base", "<inertial><mass value='0'/></inertial>" + collision("<box size='0.1 0.1 0.1'/>"))));
  REQUIRE_MESSAGE(shaped, shaped.error().message());
  CHECK(shaped->model.mass == approx(1));
  CHECK(tells(shaped->report.lost, "that of water in the collision shapes"));
  const auto bare = import_of(robot(a_link("base", "")));
  REQUIRE_MESSAGE(bare, bare.error().message());
  CHECK(bare->model.mass == approx(1e-3));
}

TEST_CASE("a mesh above MuJoCo's limit is reduced, and keeps its shape") {
  const std::string large = ball(0.1f, 400, 300);
  REQUIRE(triangles_of({large.begin(), large.end()}) == 240'000);
  const auto made =
      import_of(robot(a_link("base", collision("<mesh filename='ball.stl'/>") + inertial(1, 4e-3, 4e-3, 4e-3))), {},
                {{"/ws/ball.stl", large}});
  REQUIRE_MESSAGE(made, made.error().message());
  CHECK(tells(made->report.lost, "ball.stl: 240000 triangles, of which MuJoCo reads 200000: reduced"));
  CHECK(made->report.lift == approx(0.101).epsilon(0.01));
  const Bytes bytes(large.begin(), large.end());
  CHECK(triangles_of(reduced(bytes, 1000)) <= 1000);
  CHECK(triangles_of(reduced(bytes, 1000)) > 200);
  CHECK(reduced(bytes, 240'000) == bytes);
}

TEST_CASE("a flat mesh is taken for a shell") {
  const std::string flat = stl_of({{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}}, {{{0, 0, 0}, {1, 1, 0}, {0, 1, 0}}}});
  const auto made =
      import_of(robot(a_link("base", "<visual><geometry><mesh filename='flat.stl'/></geometry></visual>" +
                                         collision("<box size='1 1 0.1'/>") + inertial(1, 0.1, 0.1, 0.1))),
                {}, {{"/ws/flat.stl", flat}});
  REQUIRE_MESSAGE(made, made.error().message());
  CHECK(tells(made->report.lost, "1 meshes have no volume"));
}

TEST_CASE("what other readers take is mended: commas, numbers too many, shapes of no size, twice the same") {
  const auto made = import_of(
      robot(a_link("base",
                   "<collision><origin xyz='0, 0, 0.5'/><geometry><box size='1 1 1'/></geometry></collision>"
                   "<visual><origin xyz='0 0 0 1'/><geometry><box size='1 1 1'/></geometry></visual>"
                   "<visual><geometry><sphere radius='0.0'/></geometry></visual>"
                   "<visual><geometry><plane normal='0 0 1'/></geometry></visual>" +
                       inertial(1, 0.1, 0.1, 0.1)) +
            a_link("arm", inertial(1, 0.1, 0.1, 0.1)) +
            a_joint("turn", "revolute", "base", "arm",
                    "<axis xyz='0 1 0'/><axis xyz='1 0 0'/><limit lower='-1' upper='1' effort='1' velocity='1'/>"
                    "<mimic joint='nobody'/>")));
  REQUIRE_MESSAGE(made, made.error().message());
  const auto& lost = made->report.lost;
  CHECK(tells(lost, "rows of three numbers had commas or more numbers: 'line 2', 'line 2'"));
  CHECK(tells(lost, "a <visual> without a shape, or with one of no size, was left out: 'line 2', 'line 2'"));
  CHECK(tells(lost, "a second <axis> was left out: 'line 4'"));
  CHECK(tells(lost, "'turn' mimics 'nobody', which is no joint of it"));
  CHECK(made->report.lift == approx(0.001));  // the box stands on 0
  Stage dut(*made);
  const mjModel* m = dut.robot().compiled().model;
  CHECK(m->jnt_axis[3 * mj_name2id(m, mjOBJ_JOINT, "turn") + 1] == 1);
}

TEST_CASE("wheels are recognised from tags or shapes, and turn when the robot is to drive") {
  const std::string plugin =
      "<gazebo><plugin filename='libgazebo_ros_diff_drive.so' name='d'><left_joint>left</left_joint>"
      "<right_joint>right</right_joint><wheel_separation>0.22</wheel_separation><wheel_diameter>0.1</wheel_diameter>"
      "</plugin></gazebo>";
  const std::string control =
      "<ros2_control name='c'><joint name='left'><command_interface name='velocity'/></joint><joint name='right'>"
      "<command_interface name='velocity'/></joint></ros2_control>";
  const std::string transmission =
      "<transmission name='t'><joint name='left'><hardwareInterface>hardware_interface/VelocityJointInterface"
      "</hardwareInterface></joint></transmission><transmission name='u'><joint name='right'><hardwareInterface>"
      "VelocityJointInterface</hardwareInterface></joint></transmission>";
  const std::string limited = "<limit lower='-1e9' upper='1e9' effort='5' velocity='20'/>";
  struct Case {
    const char* source;
    std::string urdf;
  };
  const Case cases[] = {{"the diff-drive plugin of <gazebo>", cart(plugin)},
                        {"the velocity interfaces of its controllers", cart(control)},
                        {"the velocity interfaces of its controllers", cart(transmission, "revolute", limited)},
                        {"their shapes", cart("")}};
  for (const Case& c : cases) {
    CAPTURE(c.source);
    const auto made = import_of(c.urdf);
    REQUIRE_MESSAGE(made, made.error().message());
    CHECK(tells(made->report.made, std::string("wheels: left 'left', right 'right'; recognised by ") + c.source));
    CHECK(tells(made->report.made, "casters: 1 spheres"));
    CHECK(made->model.left_wheels == std::vector<std::string>{"left"});
    CHECK(made->model.wheel_radius == approx(0.05).epsilon(1e-3));
    Stage dut(*made);
    REQUIRE(dut.run(0.2));
    REQUIRE(dut.run(3, {{0.2, 0, 0}, {}}));
    CHECK(dut.state.pose.p.x == approx(0.6).epsilon(0.1));
    const double before = yaw_of(dut.state.pose.q);
    REQUIRE(dut.run(2, {{0, 0, 0}, {0, 0, 0.5}}));
    CHECK(yaw_of(dut.state.pose.q) - before == approx(1).epsilon(0.2));
  }
  CHECK(number_of(Stage(*import_of(cart(plugin))).robot().compiled().model, "convoy_half_separation") == 0.11);
  // The joint's limit of 20 rad/s is the robot's of 1 m/s.
  CHECK(import_of(cart(transmission, "revolute", limited))->model.max_speed == approx(1).epsilon(1e-3));
}

TEST_CASE("what only looks a little like wheels is none") {
  const auto drive_of = [](const std::string& urdf) {
    const auto made = import_of(urdf);
    REQUIRE_MESSAGE(made, made.error().message());
    return made->model.drive;
  };
  CHECK(drive_of(cart("")) == Drive::kDifferential);
  CHECK(drive_of(cart("", "continuous", "", "<box size='0.1 0.1 0.02'/>")) == Drive::kNone);  // not round
  CHECK(drive_of(cart("", "revolute", "<limit lower='-1' upper='1' effort='1' velocity='1'/>")) == Drive::kNone);
  CHECK(drive_of(cart("", "continuous", "", kWheel, true)) == Drive::kNone);  // on a knuckle that steers
  CHECK(drive_of(cart("", "continuous", "", "<cylinder length='0.02' radius='0.015'/>")) ==
        Drive::kNone);  // in the air
  // Joints that the caller names rule.
  ImportOptions named;
  named.left_wheels = {"right"}, named.right_wheels = {"left"};
  CHECK(import_of(cart(""), named)->model.left_wheels == std::vector<std::string>{"right"});
}

TEST_CASE("<mu1> of <gazebo> rules a link's friction") {
  const auto made = import_of(box_robot("<gazebo reference='base'><mu1>0.3</mu1></gazebo>"));
  REQUIRE_MESSAGE(made, made.error().message());
  Stage dut(*made);
  const mjModel* m = dut.robot().compiled().model;
  int found = 0;
  for (int g = 0; g < m->ngeom; ++g)
    if (m->geom_type[g] == mjGEOM_BOX) {
      ++found;
      CHECK(m->geom_friction[3 * g] == 0.3);
      CHECK(m->geom_priority[g] == 1);
    }
  CHECK(found == 1);
}

}  // namespace urdf_repair_test
