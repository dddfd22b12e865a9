#include "physics/mujoco/sdf.h"
#include "core/approx.h"

#include <algorithm>

#include "physics/mujoco/import_world.h"
#include "physics/mujoco/testing.h"
#include "world/world_model.h"

namespace sdf_test {

using namespace convoy;
using namespace convoy::mujoco;

namespace {

constexpr const char* kBox = "<geometry><box><size>0.2 0.2 0.2</size></box></geometry>";
constexpr const char* kInertial =
    "<inertial><mass>2</mass><inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial>";

std::string sdf(const std::string& inside, const char* version = "1.7") {
  return std::string("<sdf version='") + version + "'>\n" + inside + "</sdf>";
}
std::string model(const std::string& inside, const std::string& name = "m") {
  return "<model name='" + name + "'>" + inside + "</model>";
}
std::string a_link(const std::string& name, const std::string& pose = "", const std::string& more = "") {
  return "<link name='" + name + "'>" + pose + kInertial + more + "</link>";
}
std::string joint(const std::string& name, const std::string& type, const std::string& parent, const std::string& child,
                  const std::string& more = "") {
  return "<joint name='" + name + "' type='" + type + "'><parent>" + parent + "</parent><child>" + child + "</child>" +
         more + "</joint>";
}
std::string axis(const std::string& xyz, const std::string& more = "") {
  return "<axis><xyz>" + xyz + "</xyz>" + more + "</axis>";
}
constexpr const char* kNoMotor = "<limit><effort>0</effort></limit>";

Result<ImportedModel> robot_of(const std::string& text, std::map<std::string, std::string> more = {}) {
  REQUIRE(start(CONVOY_MUJOCO_PLUGINS));
  more["/ws/models/r/model.sdf"] = text;
  return import_model("/ws/models/r/model.sdf", {of(std::move(more)), {"/roots"}, "dut", {}, {}});
}
ImportedModel robot(const std::string& text, std::map<std::string, std::string> more = {}) {
  auto made = robot_of(text, std::move(more));
  if (!made) FAIL(made.error().message());
  return std::move(*made);
}
std::string error_of(const std::string& text, std::map<std::string, std::string> more = {}) {
  const auto made = robot_of(text, std::move(more));
  return made ? "none" : made.error().message();
}
Result<ImportedWorld> world_of(const std::string& text, std::map<std::string, std::string> more = {}) {
  REQUIRE(start(CONVOY_MUJOCO_PLUGINS));
  more["/ws/worlds/hall.sdf"] = text;
  return import_world("/ws/worlds/hall.sdf", {of(std::move(more)), {"/roots"}, {}, {}, {}});
}
ImportedWorld world(const std::string& text, std::map<std::string, std::string> more = {}) {
  auto made = world_of(text, std::move(more));
  if (!made) FAIL(made.error().message());
  return std::move(*made);
}

bool has(const std::vector<std::string>& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string document_of(const ImportedModel& made) { return {made.files[0].begin(), made.files[0].end()}; }

// The document as MuJoCo alone has it, at its start.
struct Started : Plain {
  explicit Started(const ImportedModel& made) : Plain(document_of(made)) { mj_forward(m, d); }
  int body(const char* name) const {
    const int b = mj_name2id(m, mjOBJ_BODY, name);
    REQUIRE_MESSAGE(b >= 0, name);
    return b;
  }
  int joint(const char* name) const {
    const int j = mj_name2id(m, mjOBJ_JOINT, name);
    REQUIRE_MESSAGE(j >= 0, name);
    return j;
  }
  void check(const double* got, const Vec3& wanted) const {
    CHECK(got[0] == about(wanted.x, 1e-9));
    CHECK(got[1] == about(wanted.y, 1e-9));
    CHECK(got[2] == about(wanted.z, 1e-9));
  }
  void check_at(const char* name, const Vec3& p) const { check(d->xpos + 3 * body(name), p); }
  void check_axis(const char* name, const Vec3& axis) const { check(d->xaxis + 3 * joint(name), axis); }
};

constexpr const char* kTetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

}  // namespace

TEST_CASE("poses stand in links, joints, frames and the model, as the numbers say") {
  // The model is at x 10, turned by 90 degrees about z: its x is the world's y.
  const Started dut(robot(sdf(model(
      "<pose degrees='true'>10 0 0 0 0 90</pose>"
      "<frame name='mark' attached_to='base'><pose>0 0 1 0 0 0</pose></frame>" +
      a_link("base", "<pose>1 2 3 0 0 0</pose>") + a_link("of_link", "<pose relative_to='base'>1 0 0 0 0 0</pose>") +
      a_link("of_frame", "<pose relative_to='mark'>0 0.5 0 0 0 0</pose>") +
      a_link("of_joint", "<pose relative_to='j'>0 0 0.25 0 0 0</pose>") +
      a_link("of_model", "<pose relative_to='__model__' rotation_format='quat_xyzw'>0 0 7 0 0 0 1</pose>") +
      joint("j", "continuous", "base", "of_link", "<pose>0 0 -1 1.5707963267948966 0 0</pose>" + axis("0 0 1"))))));

  dut.check_at("base", {8, 1, 3});
  dut.check_at("of_link", {8, 2, 3});
  dut.check_at("of_frame", {7.5, 1, 4});
  // The joint is 1 m below the link, turned about the link's x: its z points along the link's -y, the world's +x.
  dut.check_at("of_joint", {8.25, 2, 2});
  dut.check_at("of_model", {10, 0, 7});
  dut.check(dut.d->xanchor + 3 * dut.joint("j"), {8, 2, 2});
  dut.check_axis("j", {1, 0, 0});
}

TEST_CASE("an axis is expressed in its joint, in the frame it names, or in the model as old files have it") {
  const auto made = [](const std::string& axes, const char* version) {
    const std::string turned = "<pose>0 0 0 0 0 1.5707963267948966</pose>";
    return robot(
        sdf(model(a_link("base") + a_link("l", turned) + joint("j", "continuous", "base", "l", axes)), version));
  };
  Started(made(axis("1 0 0"), "1.6")).check_axis("j", {0, 1, 0});
  Started(made("<axis><xyz expressed_in='__model__'>1 0 0</xyz></axis>", "1.7")).check_axis("j", {1, 0, 0});
  Started(made("<axis><xyz expressed_in='base'>1 0 0</xyz></axis>", "1.7")).check_axis("j", {1, 0, 0});
  Started(made(axis("1 0 0", "<use_parent_model_frame>1</use_parent_model_frame>"), "1.6")).check_axis("j", {1, 0, 0});
  Started(made(axis("1 0 0"), "1.4")).check_axis("j", {1, 0, 0});
}

TEST_CASE("a model's pose may be said for one of its frames; nested models have their names in front") {
  const Started dut(robot(
      sdf(model(a_link("base") + "<model name='arm' placement_frame='tip'><pose relative_to='base'>0 0 5 0 0 0</pose>" +
                a_link("root") + a_link("tip", "<pose>0 0 2 0 0 0</pose>") + joint("j", "fixed", "root", "tip") +
                "</model>" + joint("mount", "revolute", "base", "arm::root", axis("0 1 0"))))));
  dut.check_at("base", {0, 0, 0});
  dut.check_at("arm::root", {0, 0, 3});
  dut.check_at("arm::tip", {0, 0, 5});
  CHECK(dut.joint("mount") >= 0);
}

TEST_CASE("a pendulum swings with the period of its length") {
  // A point of 2 kg, 1 m below its hinge: half a period from 0.1 rad, and it is at -0.1 rad.
  const auto made =
      robot(sdf(model("<link name='bob'><pose>0 0 1 0.1 0 0</pose><inertial><pose>0 0 -1 0 0 0</pose><mass>2</mass>"
                      "<inertia><ixx>1e-9</ixx><iyy>1e-9</iyy><izz>1e-9</izz></inertia></inertial></link>" +
                      joint("pivot", "continuous", "world", "bob", axis("1 0 0", kNoMotor)))));
  CHECK(made.model.actuators.empty());
  CHECK(made.model.joints == std::vector<std::string>{"pivot"});
  Stage dut(made);
  REQUIRE(dut.run(1.0));  // T/2 = pi sqrt(1 / 9.81) = 1.003 s
  CHECK(dut.tail[0] == approx(-0.2).epsilon(0.02));
}

TEST_CASE("a static model stays where it is; others fall, each link without a joint by itself") {
  const std::string solid = std::string("<collision name='c'>") + kBox + "</collision>";
  const auto fixed = robot(sdf(model("<static>true</static>" + a_link("l", "<pose>0 0 2 0 0 0</pose>", solid))));
  Stage still(fixed);
  REQUIRE(still.run(0.5));
  CHECK(still.state.pose == Pose{});
  CHECK(fixed.model.joints.empty());

  const auto loose = robot(
      sdf(model(a_link("a", "<pose>0 0 2 0 0 0</pose>", solid) + a_link("b", "<pose>1 0 1 0 0 0</pose>", solid))));
  CHECK(has(loose.model.joints, "b:z"));
  Stage falling(loose);
  REQUIRE(falling.run(2));
  const auto z = std::find(loose.model.joints.begin(), loose.model.joints.end(), "b:z") - loose.model.joints.begin();
  CHECK(falling.tail[static_cast<std::size_t>(z)] == approx(0.1).epsilon(0.02));
  CHECK(falling.state.pose.p.z == approx(0.1 - 2).epsilon(0.02));
}

TEST_CASE("joints become servos within their limits, followers follow, and dynamics are kept") {
  const auto made = robot(sdf(
      model(a_link("base") + a_link("w") + a_link("l") + a_link("s") + a_link("f") + a_link("u") +
            joint("fix", "fixed", "world", "base") + joint("wheel", "continuous", "base", "w", axis("0 1 0")) +
            joint("lift", "prismatic", "base", "l",
                  axis("0 0 1",
                       "<limit><lower>-0.1</lower><upper>0.5</upper><effort>40</effort><velocity>1</velocity></limit>"
                       "<dynamics><damping>3</damping><friction>0.5</friction><spring_stiffness>7</spring_stiffness>"
                       "<spring_reference>0.2</spring_reference></dynamics>")) +
            joint("stop", "revolute", "base", "s", axis("0 0 1", "<limit><lower>0</lower><upper>0</upper></limit>")) +
            joint("finger", "prismatic", "l", "f",
                  axis("1 0 0",
                       "<mimic joint='lift'><multiplier>-2</multiplier><offset>0.1</offset>"
                       "<reference>0.5</reference></mimic>")) +
            joint("knuckle", "universal", "base", "u", axis("1 0 0") + "<axis2><xyz>0 1 0</xyz></axis2>"))));
  CHECK(made.model.joints == std::vector<std::string>{"wheel", "lift", "finger", "knuckle", "knuckle_2"});
  CHECK(made.model.actuators == std::vector<std::string>{"wheel", "lift", "knuckle", "knuckle_2"});
  CHECK(has(made.report.made, "the joint 'stop' holds its link: both its limits are 0"));
  CHECK(has(made.report.lost, "a joint's velocity limit is not kept"));
  const Started dut(made);
  const int lift = dut.joint("lift"), dof = dut.m->jnt_dofadr[lift];
  CHECK(dut.m->jnt_range[2 * lift] == -0.1);
  CHECK(dut.m->jnt_range[2 * lift + 1] == 0.5);
  CHECK(dut.m->dof_damping[dof] == 3);
  CHECK(dut.m->dof_frictionloss[dof] == 0.5);
  CHECK(dut.m->jnt_stiffness[lift] == 7);
  CHECK(dut.m->qpos_spring[dut.m->jnt_qposadr[lift]] == 0.2);
  CHECK(dut.m->actuator_forcerange[2 * 1 + 1] == 40);
  REQUIRE(dut.m->neq == 1);
  CHECK(dut.m->eq_data[0] == approx(1.1));  // 0.1 - -2 * 0.5
  CHECK(dut.m->eq_data[1] == -2);
}

TEST_CASE("a link with two parents closes a loop") {
  const auto made = robot(sdf(
      model(a_link("a") + a_link("b") + a_link("c", "<pose>0 0 1 0 0 0</pose>") + joint("f", "fixed", "world", "a") +
            joint("ab", "continuous", "a", "b", axis("1 0 0")) + joint("ac", "continuous", "a", "c", axis("1 0 0")) +
            joint("bc", "revolute", "b", "c", "<pose>0 0.5 0 0 0 0</pose>" + axis("1 0 0")))));
  CHECK(has(made.report.lost,
            "a joint that closes a loop is a point that holds two links together: no axis, limits or motor"));
  const Started dut(made);
  REQUIRE(dut.m->neq == 1);
  CHECK(dut.m->eq_type[0] == mjEQ_CONNECT);
  dut.check(dut.m->eq_data, {0, 0.5, 0});      // in c
  dut.check(dut.m->eq_data + 3, {0, 0.5, 1});  // in b
  // A ring without a beginning is cut at its first link.
  const auto ring =
      robot(sdf(model(a_link("a") + a_link("b") + joint("ab", "ball", "a", "b") + joint("ba", "ball", "b", "a"))));
  CHECK(Started(ring).m->neq == 1);
}

TEST_CASE("shapes, surfaces and colours are as in the file; visuals touch nothing") {
  const auto made =
      robot(sdf(model(a_link(
                "l", "",
                "<collision name='s'><geometry><sphere><radius>0.3</radius></sphere></geometry><surface><friction>"
                "<ode><mu>0.2</mu><mu2>0.2</mu2></ode></friction></surface></collision>"
                "<collision name='c'><pose>1 0 0 0 0 0</pose><geometry><cylinder><radius>0.1</radius><length>0.6"
                "</length></cylinder></geometry><surface><friction><ode><mu>100</mu><mu2>50</mu2></ode></friction>"
                "</surface></collision>"
                "<visual name='v'><geometry><ellipsoid><radii>1 2 3</radii></ellipsoid></geometry>"
                "<material><diffuse>1 0.5 0 1</diffuse></material><transparency>0.5</transparency></visual>"
                "<visual name='m'><geometry><mesh><uri>model://other/meshes/t.obj</uri><scale>2 2 2</scale></mesh>"
                "</geometry></visual>"))),
            {{"/ws/models/r/../other/meshes/t.obj", kTetrahedron}});
  CHECK(made.files.size() >= 2);
  REQUIRE(made.report.lost.empty());
  Stage stage(made);
  const mjModel* m = stage.robot().compiled().model;
  REQUIRE(m->ngeom == 5);  // and a ground
  CHECK(m->nmesh == 1);
  const auto geom_of = [&](int type) {
    int g = 0;
    while (m->geom_type[g] != type) REQUIRE(++g < m->ngeom);
    return g;
  };
  const int sphere = geom_of(mjGEOM_SPHERE), cylinder = geom_of(mjGEOM_CYLINDER), eye = geom_of(mjGEOM_ELLIPSOID);
  CHECK(m->geom_friction[3 * sphere] == 0.2);
  CHECK(m->geom_priority[sphere] == 1);  // slippery rules, as in Gazebo
  CHECK(m->geom_friction[3 * cylinder] == 1);
  CHECK(m->geom_size[3 * cylinder + 1] == 0.3);
  CHECK(m->geom_pos[3 * cylinder] == 1);
  CHECK(m->geom_contype[eye] == 0);
  CHECK(m->geom_size[3 * eye + 2] == 3);
  CHECK(m->geom_rgba[4 * eye + 1] == 0.5f);
  CHECK(m->geom_rgba[4 * eye + 3] == 0.5f);
  CHECK(m->body_mass[1] == 2);
}

TEST_CASE("an inertia is turned into the link's axes, has SDF's defaults, and is repaired where no body has it") {
  const auto body_of = [](const std::string& inertial) {
    return robot(sdf(model("<link name='l'>" + inertial + "</link>")));
  };
  const auto turned = body_of(
      "<inertial><pose>0 0 1 0 0 1.5707963267948966</pose><mass>3</mass><inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz>"
      "</inertia></inertial>");
  CHECK(contains(document_of(turned), "mass=\"3\" pos=\"0 0 1\" fullinertia=\"2"));
  const Started nothing(body_of(""));
  CHECK(nothing.m->body_mass[1] == 1);
  CHECK(nothing.m->body_inertia[3] == approx(1));
  const auto odd = body_of("<inertial><inertia><ixx>1</ixx><iyy>1</iyy><izz>4</izz></inertia></inertial>");
  CHECK(has(odd.report.lost, "an <inertia> is no body's: a moment exceeds the sum of the others; their mean is used"));
  CHECK(Started(odd).m->body_inertia[3] == approx(2));
  const auto point = body_of("<inertial><inertia><ixx>0</ixx><iyy>0</iyy><izz>0</izz></inertia></inertial>");
  CHECK(has(point.report.lost, "an <inertia> is that of a point or a line: that of a millimetre is added"));
  const auto both = body_of("<inertial><inertia><ixx>0</ixx><iyy>1</iyy><izz>9</izz></inertia></inertial>");
  CHECK(Started(both).m->body_inertia[3] == approx(10. / 3));
  const auto automatic = body_of(std::string("<inertial auto='true'><density>500</density></inertial>") +
                                 "<collision name='c'>" + kBox + "</collision>");
  CHECK(Started(automatic).m->body_mass[1] == approx(4));
}

TEST_CASE("links of one model touch each other only if it says so") {
  const auto made = [](const char* more) {
    const std::string solid = std::string("<collision name='c'>") + kBox + "</collision>";
    return Started(robot(sdf(model(more + a_link("a", "<pose>0 0 1 0 0 0</pose>", solid) +
                                   a_link("b", "<pose>0 0 1.1 0 0 0</pose>", solid)))))
        .d->ncon;
  };
  CHECK(made("") == 0);
  CHECK(made("<self_collide>true</self_collide>") > 0);
}

TEST_CASE("the wheels of Gazebo's differential drive follow a twist") {
  const auto wheel = [](const char* name, const char* y) {
    return std::string("<link name='") + name + "'><pose>0 " + y +
           " 0.1 -1.5707963 0 0</pose><inertial><mass>0.3</mass>"
           "<inertia><ixx>1e-3</ixx><iyy>1e-3</iyy><izz>1e-3</izz></inertia></inertial><collision name='c'><geometry>"
           "<cylinder><radius>0.1</radius><length>0.04</length></cylinder></geometry></collision></link>" +
           joint(std::string(name) + "_joint", "revolute", "base", name, axis("0 0 1"));
  };
  const auto made = robot(sdf(model(
      "<link name='base'><pose>0 0 0.1 0 0 0</pose><inertial><mass>3</mass><inertia><ixx>0.02</ixx><iyy>0.02</iyy>"
      "<izz>0.02</izz></inertia></inertial><collision name='ball'><pose>-0.15 0 -0.05 0 0 0</pose><geometry><sphere>"
      "<radius>0.05</radius></sphere></geometry><surface><friction><ode><mu>0</mu><mu2>0</mu2></ode></friction>"
      "</surface></collision></link>" +
      wheel("left", "0.2") + wheel("right", "-0.2") +
      "<plugin filename='gz-sim-diff-drive-system' name='d'><left_joint>left_joint</left_joint>"
      "<right_joint>right_joint</right_joint></plugin>")));
  CHECK(made.model.drive == Drive::kDifferential);
  CHECK(made.model.half_separation == approx(0.2));
  CHECK(has(made.report.lost, "<plugin> is not read"));
  Stage dut(made);
  REQUIRE(dut.run(3, {{0.3, 0, 0}, {}}));
  CHECK(dut.state.pose.p.x == approx(0.9).epsilon(0.15));
}

TEST_CASE("a world has all its models, what stands and what moves, under their models' names") {
  const ImportedWorld dut = world(
      sdf("<world name='hall'><gravity>0 0 -3</gravity><physics "
          "type='ode'><max_step_size>0.005</max_step_size></physics>"
          "<light name='l'/><light name='k'/><scene/>"
          "<include><uri>model://ground_plane</uri></include><include><uri>model://sun</uri></include>"
          "<include><uri>model://crate</uri><name>one</name><pose>2 0 0.2 0 0 0</pose></include>"
          "<include><uri>model://crate</uri><name>two</name><pose>3 0 0.2 0 0 0</pose><static>true</static></include>" +
          model("<static>1</static><link name='link'><pose>0 5 0.5 0 0 0</pose><collision "
                "name='c'><geometry><box><size>4 0.2 1"
                "</size></box></geometry></collision></link>",
                "wall") +
          "</world>"),
      {{"/ws/worlds/../models/crate/model.config",
        "<model><sdf version='1.4'>old.sdf</sdf><sdf version='1.6'>crate.sdf</sdf></model>"},
       {"/ws/worlds/../models/crate/crate.sdf",
        sdf(model(a_link("link", "", std::string("<collision name='c'>") + kBox + "</collision>"), "crate"))}});
  CHECK(has(dut.fixed.report.lost, "<light> is not read (3 times)"));
  CHECK(has(dut.fixed.report.lost, "<scene> is not read"));
  CHECK(has(dut.fixed.report.made, "'model://ground_plane' is in no folder: a level plane is made for it"));
  REQUIRE(dut.boxes.size() == 2);
  CHECK(dut.boxes[0].x == approx(3));
  CHECK(dut.boxes[1].y == approx(5));
  CHECK(dut.boxes[1].length == approx(4));
  REQUIRE(dut.objects);
  CHECK(dut.objects->model.joints.size() == 7);
  CHECK(dut.objects->model.joints[0] == "one::link:x");
  CHECK(dut.objects->model.start[0] == 2);
  const Started plain(dut.fixed);
  CHECK(plain.m->opt.timestep == 0.005);
  CHECK(plain.m->opt.gravity[2] == -3);
  CHECK(plain.m->nu == 0);
}

TEST_CASE("a world's joints are passive, and may hang on the world or on another model") {
  const ImportedWorld dut =
      world(sdf("<world name='w'>" + model("<static>true</static>" + a_link("post"), "gate") +
                model(a_link("leaf") + joint("hinge", "revolute", "world", "leaf", axis("0 0 1")), "door") +
                model(a_link("body", "<pose>0 0 3 0 0 0</pose>"), "lamp") +
                joint("hook", "ball", "gate::post", "lamp::body") + "</world>"));
  REQUIRE(dut.objects);
  CHECK(dut.objects->model.joints ==
        std::vector<std::string>{"door::hinge", "hook:qw", "hook:qx", "hook:qy", "hook:qz"});
  CHECK(dut.objects->model.actuators.empty());
}

TEST_CASE("what is not read is listed, a line for each kind") {
  const auto made = robot(
      sdf("<actor name='a'/>" +
          model("<plugin name='p'/><plugin name='q'/>" +
                a_link("l", "",
                       "<sensor name='s' type='imu'/><collision name='h'><geometry><heightmap/></geometry></collision>"
                       "<collision name='p'><geometry><plane><normal>0 0 1</normal></plane></geometry></collision>"
                       "<visual name='w'><geometry><mesh><uri>https://x.org/t.dae</uri></mesh></geometry></visual>") +
                a_link("k") + joint("j", "screw", "l", "k"))));
  for (const char* line : {"<actor> is not read", "<plugin> is not read (2 times)", "<sensor> is not read",
                           "the shape <heightmap> is not read", "a <plane> of a link that moves is not read",
                           "a mesh for the eye that lies on the web is not downloaded",
                           "a joint of type 'screw' is not read: it holds its link"}) {
    CAPTURE(line);
    CHECK(has(made.report.lost, line));
  }
}

TEST_CASE("a robot is one model") {
  const std::string two = model(a_link("l"), "a") + model(a_link("l"), "b");
  CHECK(contains(error_of(sdf(two)), "a robot is one <model>; here are 2 ('a', 'b')"));
  CHECK(contains(error_of(sdf("<world name='w'>" + two + "</world>")),
                 "this SDF is a world, not a robot: use it as world: {mjcf: model.sdf}"));
  CHECK(has(robot(sdf("<world name='w'>" + model(a_link("l"), "a") + "</world>")).report.made,
            "the robot is 'a', the one model of the file's <world>"));
  CHECK(world(sdf(two)).objects->model.joints.size() == 14);
}

TEST_CASE("what is wrong in an SDF is said with its file and line") {
  const auto in_link = [](const std::string& more) { return sdf(model("\n<link name='l'>" + more + "</link>")); };
  const struct {
    std::string text, error;
  } kWrong[] = {
      {sdf(""), "model.sdf:1: <sdf> has neither a <model> nor a <world>"},
      {sdf(model("")), "model.sdf:2: the model 'm' has no <link>"},
      {sdf(model("<link/>")), "model.sdf:2: <link> has no name"},
      {sdf(model(a_link("l") + "\n" + a_link("l"))),
       "model.sdf:3: there is a link 'l' already (/ws/models/r/model.sdf:2)"},
      {sdf(model(a_link("__x"))), "cannot be called '__x'"},
      {in_link("<pose>1 2 3</pose>"), "model.sdf:3: <pose> is 6 numbers, not '1 2 3'"},
      {in_link("<pose>1 2 3 nan 0 0</pose>"), "model.sdf:3: <pose> is 6 numbers"},
      {in_link("<inertial><mass>much</mass></inertial>"), "model.sdf:3: <mass> is a number, not 'much'"},
      {in_link("<inertial><mass>-1</mass></inertial>"), "<mass> must not be below 0"},
      {in_link("<inertial><inertia><ixx>-1</ixx></inertia></inertial>"), "a moment is below 0"},
      {in_link("<collision name='c'><geometry><box><size>1 -1 1</size></box></geometry></collision>"),
       "model.sdf:3: the sizes of a box must be above 0"},
      {in_link("<collision name='c'><geometry><sphere/></geometry></collision>"), "<sphere> has no <radius>"},
      {in_link("<collision name='c'/>"), "<collision> has no <geometry>"},
      {in_link("<visual name='c'><geometry><mesh><uri>a.stl</uri></mesh></geometry></visual>"),
       "model.sdf:3: no mesh 'a.stl'; tried /ws/models/r/a.stl"},
      {in_link("<pose relative_to='nobody'/>"), "there is no link, joint, frame or model 'nobody' in 'm'"},
      {sdf(model("<frame name='a'><pose relative_to='b'/></frame>\n<frame name='b'><pose relative_to='a'/></frame>" +
                 a_link("l"))),
       "model.sdf:2: the pose of the frame 'a' goes in a circle"},
      {sdf(model(a_link("l") + joint("j", "revolute", "l", "x", axis("0 0 1")))), "model 'x' in 'm'"},
      {sdf(model(a_link("l") + joint("j", "revolute", "l", "l", axis("0 0 1")))), "'l' is its own <parent>"},
      {sdf(model(a_link("l") + a_link("k") + joint("j", "revolute", "l", "k", axis("0 0 0")))),
       "the <xyz> of an axis is 0"},
      {sdf(model(a_link("l") + a_link("k") + "<joint name='j' type='ball'><parent>l</parent></joint>")),
       "<joint> has no <child>"},
      {sdf(model("<include/>" + a_link("l"))), "model.sdf:2: <include> has no <uri>"},
      {sdf(model("<include><uri>model://x</uri></include>")),
       "model.sdf:2: no model 'model://x'; tried /ws/models/r/x, /ws/models/r/share/x"},
      {sdf(model("<include><uri>https://fuel.gazebosim.org/1.0/o/models/Car</uri></include>")),
       "is not downloaded: put the model's folder 'Car' beside this file"},
      {sdf(model("<include><uri>model.sdf</uri></include>")), "model.sdf:2: '/ws/models/r/model.sdf' includes itself"},
  };
  for (const auto& wrong : kWrong) {
    const std::string error = error_of(wrong.text);
    CAPTURE(error);
    CHECK_MESSAGE(contains(error, wrong.error), wrong.error);
    CHECK(error.starts_with("/ws/models/r/"));
  }
}

TEST_CASE("no SDF is too deep or too long to be refused") {
  std::string chain = a_link("l0"), nest, end;
  for (int i = 1; i < 3000; ++i) {
    const std::string name = "l" + std::to_string(i);
    chain += a_link(name) + joint("j" + std::to_string(i), "ball", "l" + std::to_string(i - 1), name);
  }
  CHECK(contains(error_of(sdf(model(chain))), "links hang in a row"));
  for (int i = 0; i < 60; ++i) nest += "<model name='a'>", end += "</model>";
  CHECK(contains(error_of(sdf(nest + a_link("l") + end)), "nested too deep"));
  std::string name = "a";
  for (int i = 0; i < 100'000; ++i) name += "::a";
  CHECK(contains(error_of(sdf(model(a_link("l") + joint("j", "ball", "l", name)))), "there is no link"));
  // Cut short anywhere, it is an error or a robot, and nothing worse.
  const std::string whole = sdf(
      model("<pose>1 2 3 0 0 0</pose>" + a_link("a") + a_link("b") + joint("j", "revolute", "a", "b", axis("0 0 1"))));
  for (std::size_t i = 0; i < whole.size(); i += 7) CHECK_FALSE(robot_of(whole.substr(0, i)));
}

}  // namespace sdf_test
