#include "physics/mujoco/import_world.h"
#include "core/approx.h"

#include "physics/mujoco/testing.h"
#include "shapes/shapes.h"
#include "world/world_model.h"

namespace import_world_test {

using namespace convoy;
using namespace convoy::mujoco;

namespace {

constexpr const char* kHall = R"(<mujoco>
  <option timestep="0.005"/>
  <default><geom friction="0.8"/></default>
  <worldbody>
    <light pos="0 0 3"/>
    <geom name="floor" type="plane" size="5 5 1" friction="1 0.005 0.0001"/>
    <geom name="wall" type="box" size="0.1 1 0.5" pos="1 0 0.5" euler="0 0 90"/>
    <geom name="lamp" type="sphere" size="0.2" pos="0 0 3"/>
    <body name="shelf" pos="-1 0 0"><geom name="foot" type="cylinder" size="0.2 0.3" pos="0 0 0.3"/></body>
    <body name="crate_1" pos="0 2 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
    <body name="crate_2" pos="0 2 0.31"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
    <body name="door" pos="3 0 0"><joint name="hinge" axis="0 0 1" damping="1"/><geom type="box" size="0.4 0.02 1" pos="0.4 0 1.05"/></body>
  </worldbody>
</mujoco>)";

ImportedWorld hall() {
  REQUIRE(start(CONVOY_MUJOCO_PLUGINS));
  auto made = import_world("/w/hall.xml", {of({{"/w/hall.xml", kHall}}), {}, {}, {}, {}});
  if (!made) FAIL(made.error().message());
  return std::move(*made);
}

// Of the hall with shapes of a scenario's in it: a box turned by 0.5 rad and a cylinder.
constexpr BoxShape kBox{2, -1, 0.5, 1, 0.4, 0.8};
constexpr CylinderShape kCylinder{-2, 2, 0.3, 0.7};

ImportedWorld hall_with_shapes(const std::string& xml) {
  REQUIRE(start(CONVOY_MUJOCO_PLUGINS));
  auto made = import_world("/w/hall.xml", {of({{"/w/hall.xml", xml}}), {}, {}, {}, {}}, {{kBox}, {kCylinder}});
  if (!made) FAIL(made.error().message());
  return std::move(*made);
}

// A world of the hall, its objects and one robot.
World world_of(ImportedWorld hall, ImportedModel robot, const Pose& at) {
  Setup setup;
  setup.tick = kTick;
  setup.models = {robot.model, hall.fixed.model, hall.objects->model};
  for (const auto* part : {&robot, &hall.fixed, &*hall.objects})
    setup.files.insert(setup.files.end(), part->files.begin(), part->files.end());
  for (const auto& [name, model, pose] :
       {std::tuple{"dut", robot.model.name, at}, {"objects", std::string(kWorldObjects), Pose{}}}) {
    EntitySpec spec;
    spec.name = name, spec.model = model, spec.pose = pose;
    setup.entities.push_back(spec);
  }
  auto made = World::make(setup);
  if (!made) FAIL(made.error().message());
  return std::move(*made);
}

struct Actor {
  Actor(const Factory& factory, const World& world, Slot slot)
      : physics(factory.make(world.model_of(slot), world, kTick)),
        state(world.snapshot().state(slot)),
        tail(world.snapshot().tail(slot).begin(), world.snapshot().tail(slot).end()) {
    physics->reset(state);
  }
  void run(double duration, const Twist& command = {}) {
    for (int i = 0; i < static_cast<int>(duration / 0.01); ++i) {
      PhysicsEvents events;
      physics->step({.begin = now, .step = kTick, .self = WorldNumber(1), .command = command}, state, tail, events);
      REQUIRE_MESSAGE(events.fault.empty(), events.fault);
      now += kTick;
    }
  }
  std::unique_ptr<Physics> physics;
  State state;
  std::vector<double> tail;
  Instant now{};
};

}  // namespace

TEST_CASE("a world's fixed geoms are boxes on the map, but for what hangs above robots") {
  const ImportedWorld dut = hall();
  REQUIRE(dut.boxes.size() == 2);
  CHECK(dut.boxes[0].x == approx(1));
  CHECK(dut.boxes[0].length == approx(0.2));
  CHECK(dut.boxes[0].width == approx(2));
  CHECK(std::fabs(dut.boxes[0].yaw) == approx(1.5707963));
  CHECK(dut.boxes[1].x == approx(-1));
  CHECK(dut.boxes[1].height == approx(0.6));
  CHECK(dut.fixed.model.footprint.empty());
}

TEST_CASE("robots are stopped by a world's geoms, and its objects are solved together beside them") {
  const World world = world_of(hall(), shipped("turtlebot3_burger"), {{0.5, -0.5, 0}, {0.70710678, 0, 0, 0.70710678}});
  const Factory factory;
  Actor robot(factory, world, Slot(0)), objects(factory, world, Slot(1));
  robot.run(6, {{0.2, 0, 0}, {}});
  CHECK(robot.state.pose.p.y < -0.13);  // the wall lies along x, its face at -0.1
  CHECK(robot.state.pose.p.y > -0.2);

  const Model& model = world.model_of(Slot(1));
  const auto joint = [&](const std::string& name) {
    const auto found = std::find(model.joints.begin(), model.joints.end(), name);
    REQUIRE(found != model.joints.end());
    return static_cast<std::size_t>(found - model.joints.begin());
  };
  CHECK(model.joints.size() == 1 + 2 * 7);
  CHECK(objects.tail[joint("crate_2:z")] == 0.31);
  objects.run(2);
  CHECK(objects.tail[joint("crate_1:z")] == approx(0.1).epsilon(0.01));
  CHECK(objects.tail[joint("crate_2:z")] == approx(0.3).epsilon(0.01));
  CHECK(objects.state.pose == Pose{});
}

TEST_CASE("a scenario's boxes and cylinders stand in an MJCF world as its own geoms do, whatever its defaults say") {
  const std::string ghosts = std::string(kHall).replace(std::string(kHall).find("friction=\"0.8\""), 14,
                                                        "contype='0' conaffinity='0' group='4' rgba='0 0 0 0'");
  for (const std::string& xml : {std::string(kHall), ghosts}) {
    ImportedWorld dut = hall_with_shapes(xml);
    // They are painted by who has them.
    for (const BoxShape& box : dut.boxes) CHECK(std::fabs(box.x) == approx(1));
    ModelFiles files;
    for (const Bytes& bytes : dut.fixed.files) add(files, bytes);
    const auto shapes = shapes_of(dut.fixed.model, files);
    REQUIRE_MESSAGE(shapes, (shapes ? "" : shapes.error().message()));
    const auto shape = [&](const std::string& name) {
      const auto found =
          std::find_if(shapes->shapes.begin(), shapes->shapes.end(), [&](const Shape& s) { return s.name == name; });
      REQUIRE(found != shapes->shapes.end());
      return *found;
    };
    const Shape box = shape("convoy:box:0"), cylinder = shape("convoy:cylinder:0");
    CHECK(box.kind == Shape::Kind::kBox);
    CHECK(box.size == Vec3{0.5, 0.2, 0.4});
    CHECK(box.X_LS.p == Vec3{2, -1, 0.4});
    CHECK(2 * box.X_LS.q.z == approx(2 * std::sin(0.25)));
    CHECK(box.color[3] == 255);
    CHECK(cylinder.kind == Shape::Kind::kCylinder);
    CHECK(cylinder.size.x == approx(0.3));
    CHECK(cylinder.X_LS.p == Vec3{-2, 2, 0.35});
    // Towards the cylinder along x: its face is at -1.7, and the burger's nose 0.1 m before its middle.
    const World world = world_of(std::move(dut), shipped("turtlebot3_burger"), {{-1, 2, 0}, {0, 0, 0, 1}});
    const Factory factory;
    Actor robot(factory, world, Slot(0));
    robot.run(6, {{0.2, 0, 0}, {}});
    CHECK(robot.state.pose.p.x > -1.7);
    CHECK(robot.state.pose.p.x < -1.3);
  }
}

// What stands in a world and what moves in it may refer to each other, in every way that MuJoCo knows.
TEST_CASE("references between what is fixed in a world and what moves are kept, and what moves is plain MuJoCo's") {
  const struct {
    const char* what;
    std::string in_world, behind;
  } kReferences[] = {
      {"camera", "<camera name='eye' mode='targetbody' target='crate' pos='0 -3 1'/>", ""},
      {"light", "<light mode='targetbody' target='crate' pos='0 0 3'/>", ""},
      {"skin", "",
       "<deformable><skin name='cloth' vertex='0 0 0 1 0 0 0 1 0' face='0 1 2'>"
       "<bone body='shelf' bindpos='0 0 0' bindquat='1 0 0 0' vertid='0 1' vertweight='1 1'/>"
       "<bone body='crate' bindpos='0 0 0' bindquat='1 0 0 0' vertid='2' vertweight='1'/></skin></deformable>"},
      {"sensor", "",
       "<sensor><framepos objtype='site' objname='on_crate' reftype='site' refname='on_shelf'/>"
       "<distance body1='shelf' body2='crate' cutoff='5'/></sensor>"},
      {"tendon", "",
       "<tendon><spatial stiffness='20'><site site='on_shelf'/><site site='on_crate'/></spatial></tendon>"},
      {"weld", "", "<equality><weld body1='shelf' body2='crate'/></equality>"},
      {"exclude", "", "<contact><exclude body1='shelf' body2='crate'/></contact>"},
      {"pair", "", "<contact><pair geom1='board' geom2='box' friction='0.1 0.1 0.005 0.0001 0.0001'/></contact>"},
      {"actuator", "",
       "<actuator><position site='on_crate' refsite='on_shelf' gear='1 0 0 0 0 0' kp='10'/></actuator>"},
      {"mocap", "<body name='hand' mocap='true' pos='0.1 0 0.7'/>",
       "<equality><connect body1='hand' body2='crate' anchor='0 0 0'/></equality>"},
      {"keyframe", "", "<keyframe><key name='home' qpos='0.5 0.2 0.9 1 0 0 0 0.3'/></keyframe>"}};
  for (const auto& reference : kReferences) {
    CAPTURE(reference.what);
    const std::string xml =
        "<mujoco><option timestep='0.002'/><worldbody><geom name='floor' type='plane' size='5 5 1'/>" +
        reference.in_world +
        "<body name='shelf'><geom name='board' type='box' pos='0 0 0.3' size='0.3 0.3 0.02'/>"
        "<site name='on_shelf' pos='0 0 0.32'/></body>"
        "<body name='crate' pos='0.1 0 0.6'><freejoint/><geom name='box' type='box' size='0.1 0.1 0.1' mass='2'/>"
        "<site name='on_crate'/></body>"
        "<body name='door' pos='2 0 1'><joint axis='0 0 1' damping='1'/><geom type='box' size='0.4 0.02 0.5'/></body>"
        "</worldbody>" +
        reference.behind + "</mujoco>";
    REQUIRE(start(CONVOY_MUJOCO_PLUGINS));
    auto made = import_world("/w/world.xml", {of({{"/w/world.xml", xml}}), {}, {}, {}, {}});
    REQUIRE_MESSAGE(made, (made ? "" : made.error().message()));
    REQUIRE(made->objects);
    const World world = world_of(std::move(*made), shipped("rover"), {{2, 2, 0}, {}});
    const Factory factory;
    Actor rover(factory, world, Slot(0)), objects(factory, world, Slot(1));
    rover.run(0.1);  // what stands there is its walls
    Plain plain(xml);
    plain.run(1);
    objects.run(1);
    CHECK(differing(dynamic_cast<const Robot&>(*objects.physics), plain) == 0);
  }
}

TEST_CASE("a world's height field carries robots as in one file, wherever their own files stand") {
  const std::string hills = R"(<mujoco><option timestep="0.002"/>
    <asset><hfield name="hills" nrow="2" ncol="3" size="2 1 0.5 0.1" elevation="0 0.5 1 0 0.5 1"/></asset>
    <worldbody><geom type="hfield" hfield="hills" pos="4 1 0"/>)";  // it rises along x
  const std::string ball = R"(<freejoint/><geom size="0.1" mass="1"/></body></worldbody></mujoco>)";
  REQUIRE(start(CONVOY_MUJOCO_PLUGINS));
  auto made = import_world("/w/world.xml", {of({{"/w/world.xml", hills + "</worldbody></mujoco>"}}), {}, {}, {}, {}});
  REQUIRE_MESSAGE(made, (made ? "" : made.error().message()));
  CHECK(!made->objects);
  const ImportedModel box = written("<mujoco><option timestep='0.002'/><worldbody><body pos='0 0 0.7'>" + ball);
  Plain plain(hills + "<body pos='5 1.2 0.7'>" + ball);
  Setup setup;
  setup.tick = kTick;
  setup.models = {box.model, made->fixed.model};
  for (const ImportedModel& part : {box, made->fixed})
    setup.files.insert(setup.files.end(), part.files.begin(), part.files.end());
  EntitySpec spec;
  spec.name = "dut", spec.model = box.model.name, spec.pose = {{5, 1.2, 0}, {0.8, 0, 0, 0.6}};
  setup.entities = {spec};
  const World world = [&] {
    auto all = World::make(setup);
    if (!all) FAIL(all.error().message());
    return std::move(*all);
  }();
  const Factory factory;
  Actor dut(factory, world, Slot(0));
  dut.run(0.8);
  plain.run(0.8);
  const Vec3 middle = dut.state.pose.p + rotate(dut.state.pose.q, {0, 0, 0.7});
  CHECK(middle.x < 4.9);  // it rolls down
  CHECK(std::fabs(middle.x - plain.d->qpos[0]) < 1e-3);
  CHECK(std::fabs(middle.y - plain.d->qpos[1]) < 1e-3);
  CHECK(std::fabs(middle.z - plain.d->qpos[2]) < 1e-3);
}

}  // namespace import_world_test
