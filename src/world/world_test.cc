#include "world/world.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/approx.h"
#include "core/random.h"

namespace world_test {

using namespace convoy;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

EntitySpec robot(const char* name, double x, double y, double yaw, const char* model = "turtlebot3_burger") {
  EntitySpec spec;
  spec.name = name;
  spec.model = model;
  spec.pose = {{x, y, 0}, from_yaw(yaw)};
  return spec;
}

// 1 a, 2 b, 3 c, 4 box
Setup setup() {
  Setup s;
  s.name = "test";
  s.models = built_in_models();
  s.environment.rain = 0.5;
  s.entities = {robot("a", 0, 0, 0), robot("b", 1, 0, 1), robot("c", 2, 0, 2, "cart"), robot("box", 3, 0, 3, "box")};
  s.entities[1].driver = {.kind = DriverKind::kWaypoints, .waypoints = {{1, 2}, {3, 4}}};
  return s;
}

World made() { return *World::make(setup()); }

std::string refusal(const World& world, const Edit& edit) {
  const Status status = world.check(edit);
  return status ? "" : status.error().text;
}

bool near(const Vec3& a, const Vec3& b) { return dot(a - b, a - b) < 1e-24; }

const State& state(const World& world, WorldNumber number) { return world.snapshot().state(world.slot_of(number)); }

}  // namespace

TEST_CASE("tags change at once and in the digest, and a reset of the world brings the setup's back") {
  Setup tagged = setup();
  tagged.entities[0].tags = {"old"};
  World world = World::make(tagged).value();
  CHECK(refusal(world, SetTags{WorldNumber(9), {}}) == "unknown entity number 9");
  CHECK(refusal(world, SetTags{WorldNumber(1), {"two words"}}) ==
        "a tag of 'a' is no name: letters, digits and '_', a letter first, at most 128");
  CHECK(refusal(world, SetTags{WorldNumber(1), std::vector<std::string>(1001, "t")}) == "'a' has more than 1000 tags");
  const std::uint64_t before = world.structure_hash();
  world.apply(SetTags{WorldNumber(1), {"red", "loud"}}, instant(0));
  CHECK(world.structure_hash() != before);
  CHECK(world.entity(world.find("a")).spec().tags == std::vector<std::string>{"red", "loud"});
  World late = World::make(tagged).value();  // who comes later is told of them
  REQUIRE(late.load_image(world.image()));
  CHECK(late.entity(late.find("a")) == world.entity(world.find("a")));
  world.apply(Reset{{WorldNumber(1)}}, instant(0));
  CHECK(world.entity(world.find("a")).spec().tags == std::vector<std::string>{"red", "loud"});
  world.apply(Reset{}, instant(0));
  CHECK(world.entity(world.find("a")).spec().tags == std::vector<std::string>{"old"});
}

TEST_CASE("each spawn that cannot be is refused with its reason") {
  const World world = made();
  const auto spawn = [&](auto&& change) {
    Spawn e{robot("new", 5, 5, 0), Owner(1)};
    change(e.spec);
    return refusal(world, e);
  };

  CHECK(spawn([](EntitySpec&) {}) == "");
  CHECK(spawn([](EntitySpec& s) { s.name = ""; }) == "the entity name is empty");
  CHECK(spawn([](EntitySpec& s) { s.name = "9a"; }) ==
        "'9a' is no valid name: letters, digits and '_', a letter first, at most 128");
  CHECK(spawn([](EntitySpec& s) { s.name = std::string(129, 'a'); }).find("is no valid name") != std::string::npos);
  CHECK(spawn([](EntitySpec& s) { s.name = "a"; }) == "an entity named 'a' exists already");
  CHECK(spawn([](EntitySpec& s) { s.model = "turtlebot_burger"; }) ==
        "unknown model 'turtlebot_burger'; did you mean 'turtlebot3_burger'?");
  CHECK(spawn([](EntitySpec& s) { s.model = "zeppelin_nt_with_gondola"; }) ==
        "unknown model 'zeppelin_nt_with_gondola'");
  CHECK(spawn([](EntitySpec& s) { s.pose.p.x = kNan; }) == "the pose holds NaN or infinity");
  CHECK(spawn([](EntitySpec& s) { s.pose.q.z = INFINITY; }) == "the pose holds NaN or infinity");
  CHECK(spawn([](EntitySpec& s) { s.pose.p.y = -1.1e7; }) == "the pose is more than 10,000 km from the origin");
  CHECK(spawn([](EntitySpec& s) { s.pose.q.w = 1.1; }) == "the orientation is not a unit quaternion");
  CHECK(spawn([](EntitySpec& s) { s.driver.kind = static_cast<DriverKind>(4); }) == "unknown driver kind");
  CHECK(spawn([](EntitySpec& s) { s.driver.period = Duration(0); }) == "a driver's period is at least 1 ms");
  CHECK(spawn([](EntitySpec& s) { s.driver.speed = 1.5; }) == "a driver's speed is a fraction from 0 to 1");
  CHECK(spawn([](EntitySpec& s) { s.driver.range = kNan; }) == "a driver's tolerance and range are positive numbers");
  CHECK(spawn([](EntitySpec& s) { s.driver.tolerance = 0; }) == "a driver's tolerance and range are positive numbers");
  CHECK(spawn([](EntitySpec& s) { s.driver.waypoints.resize(kMaxWaypoints + 1); }) ==
        "a driver has too many waypoints");
  CHECK(spawn([](EntitySpec& s) {
          s.driver.waypoints = {{0, kNan}};
        }) == "a waypoint is not a number within 10,000 km");
}

TEST_CASE("an unknown number, a NaN, a cycle and other impossible edits are refused with their reasons") {
  World world = made();
  const std::string unknown = "unknown entity number 99";

  CHECK(refusal(world, Delete{WorldNumber(99)}) == unknown);
  CHECK(refusal(world, Freeze{WorldNumber(99)}) == unknown);
  CHECK(refusal(world, Return{WorldNumber(99), Owner(1)}) == unknown);
  CHECK(refusal(world, Return{WorldNumber(1), Owner(1)}) == "'a' is not frozen");
  CHECK(refusal(world, Move{WorldNumber(99), Owner(1), {}}) == unknown);
  CHECK(refusal(world, SetState{WorldNumber(99), {}, {}}) == unknown);
  CHECK(refusal(world, Attach{WorldNumber(99), WorldNumber(1)}) == unknown);
  CHECK(refusal(world, Attach{WorldNumber(1), WorldNumber(99)}) == unknown);
  CHECK(refusal(world, Detach{WorldNumber(99)}) == unknown);
  CHECK(refusal(world, Reset{{1, WorldNumber(99)}}) == unknown);
  CHECK(refusal(world, SetState{WorldNumber(1), {}, Twist{{kNan, 0, 0}, {}}}) == "the twist holds NaN or infinity");
  CHECK(refusal(world, SetState{WorldNumber(1), {{kNan, 0, 0}, {}}, {}}) == "the pose holds NaN or infinity");
  CHECK(refusal(world, Detach{WorldNumber(1)}) == "'a' is not attached");
  CHECK(refusal(world, Attach{WorldNumber(1), WorldNumber(1)}) == "attaching 'a' to 'a' would make a cycle");
  CHECK(refusal(world, SetEnvironment{{.fog = 1.5}}) == "weather values lie between 0 and 1");
  CHECK(refusal(world, SetEnvironment{{.gravity = Vec3{0, 0, -1e9}}}) ==
        "gravity and wind lie within 1000 along each axis");
  CHECK(refusal(world, SetEnvironment{{.wind = Vec3{std::nan(""), 0, 0}}}) ==
        "gravity and wind lie within 1000 along each axis");
  CHECK(refusal(world, SetEnvironment{{.road_damage = kNan}}) == "weather values lie between 0 and 1");
  CHECK(refusal(world, SetEnvironment{{.time_of_day = 24}}) == "time_of_day lies in [0, 24) hours");

  world.apply(Attach{WorldNumber(1), WorldNumber(2)}, instant(0));
  world.apply(Attach{WorldNumber(2), WorldNumber(3)}, instant(0));
  CHECK(refusal(world, Attach{WorldNumber(4), WorldNumber(2)}) == "'b' is attached already");
  CHECK(refusal(world, Attach{WorldNumber(3), WorldNumber(1)}) == "attaching 'a' to 'c' would make a cycle");
  CHECK(refusal(world, SetState{WorldNumber(3), {}, {}}) == "'c' is attached to 'b'; detach it first");
}

TEST_CASE("a model that no physics could move is refused with its reason") {
  World world = made();
  const auto add = [&](auto&& change) {
    Model m = built_in_models()[0];
    m.name = "m";
    change(m);
    return refusal(world, AddModel{m});
  };

  CHECK(add([](Model&) {}) == "");
  CHECK(add([](Model& m) { m.name = ""; }) == "the model name is empty");
  CHECK(add([](Model& m) { m.name = "cart"; }) == "a model named 'cart' exists already");
  CHECK(add([](Model& m) { m.name = "m m"; }) ==
        "model 'm m': its name holds other characters than letters, digits and '_'");
  CHECK(add([](Model& m) { m.drive = static_cast<Drive>(4); }) == "model 'm': unknown drive");
  CHECK(add([](Model& m) { m.footprint.resize(2); }) == "model 'm': a footprint has 3 to 16 corners");
  CHECK(add([](Model& m) { m.footprint.resize(17); }) == "model 'm': a footprint has 3 to 16 corners");
  CHECK(add([](Model& m) { m.footprint[1].x = kNan; }) == "model 'm': a footprint corner is not a number within 1 km");
  CHECK(add([](Model& m) { std::swap(m.footprint[0], m.footprint[1]); }) ==
        "model 'm': the footprint is not convex and counter-clockwise");
  CHECK(add([](Model& m) { m.mass = 0; }) == "model 'm': height and mass are positive numbers");
  CHECK(add([](Model& m) { m.wheelbase = kNan; }) == "model 'm': sizes and rates are finite and not negative");
  CHECK(add([](Model& m) { m.max_acceleration = 0; }) ==
        "model 'm': wheel_radius and accelerations are positive numbers");
  CHECK(add([](Model& m) { m.half_separation = 0; }) == "model 'm': half_separation is a positive number");
  CHECK(add([](Model& m) { m.max_acceleration = 0, m.drive = Drive::kNone; }) == "");
  CHECK(add([](Model& m) { m.max_speed = -1; }) == "model 'm': speeds and noise are not negative");
  CHECK(add([](Model& m) { m.drive = Drive::kTricycle, m.max_steering = 1.6; }) ==
        "model 'm': wheelbase and max_steering_rate are positive numbers, max_steering lies in (0, 1.5) rad");
  CHECK(add([](Model& m) { m.command_timeout = Duration(0); }) == "model 'm': command_timeout is positive");
  CHECK(add([](Model& m) { m.joints.resize(10001); }) == "model 'm': more than 10000 joints");
  for (const Model& m : built_in_models()) CHECK(World().check(AddModel{m}));

  for (std::size_t i = world.models().size(); i < kMaxModels; ++i) {
    Model m = built_in_models()[0];
    m.name = "m" + std::to_string(i);
    world.apply(AddModel{m}, instant(0));
  }
  CHECK(add([](Model&) {}) == "too many models");
}

TEST_CASE("the pose of a body beside the base, in the file, is the world's where the robot stands") {
  Setup setup;
  Model model = built_in_models()[0];
  model.name = "m", model.joints = {"door::hinge"}, model.start = {0.5};
  model.files = {{"m.xml", hash64(Bytes{1})}}, setup.files = {Bytes{1}};
  model.bodies = {"hand"}, model.mocaps = {"hand"};
  for (const char* part : {"x", "y", "z", "qw", "qx", "qy", "qz"}) model.joints.push_back(std::string("hand:") + part);
  model.start.insert(model.start.end(), {1, 2, 3, 0, 0, 0, 1});
  setup.models = {model};
  EntitySpec spec = robot("a", 10, 20, 1.5707963267948966);
  spec.model = "m";
  setup.entities = {spec};
  World world = *World::make(setup);

  const std::span<const double> joints = world.joints(Slot(0));
  CHECK(joints[0] == 0.5);
  CHECK(joints[1] == approx(10 - 2));
  CHECK(joints[2] == approx(20 + 1));
  CHECK(joints[3] == 3);
  CHECK(joints[4] == approx(-std::sqrt(0.5)));
  CHECK(joints[7] == approx(std::sqrt(0.5)));

  using K = SetPart::Kind;
  CHECK(refusal(world, SetPart{WorldNumber(1), K::kJoint, "door::hinge", {1}, Duration(0)}) == "");  // SDF's names
  CHECK(refusal(world, SetPart{WorldNumber(1), K::kJoint, "hand:qw", {1}, Duration(0)}) ==
        "'a' has no joint 'hand:qw'");
  world.apply(SetPart{WorldNumber(1), K::kMocap, "hand", {4, 5, -0.0, 0, 0, 3, 0}, Duration(0)}, instant(5));
  CHECK(world.joints(Slot(0))[1] == 4);
  CHECK_FALSE(std::signbit(world.joints(Slot(0))[3]));
  CHECK(world.joints(Slot(0))[6] == 1);  // of unit length
  world.apply(SetPart{WorldNumber(1), K::kMocap, "hand", {7, 8, 9}, Duration(0)}, instant(6));
  CHECK(world.joints(Slot(0))[1] == 7);
  CHECK(world.joints(Slot(0))[6] == 1);  // as it was
}

TEST_CASE(
    "a part that is not there, or cannot be so, is refused with its reason; a joint is where it was put for all") {
  Setup setup;
  Model model = built_in_models()[0];
  model.name = "m", model.joints = {"hip", "crate:x"}, model.start = {0.1, 2};
  model.files = {{"m.xml", hash64(Bytes{1})}}, setup.files = {Bytes{1}};
  model.bodies = {"trunk", "hand"}, model.mocaps = {"hand"};
  setup.models = {model, built_in_models()[0]};
  EntitySpec plain = robot("b", 1, 1, 0), with = robot("a", 0, 0, 0);
  with.model = "m", plain.model = setup.models[1].name;
  setup.entities = {with, plain};
  World world = *World::make(setup);
  const auto said = [&](SetPart::Kind kind, const char* name, std::vector<double> values, Duration lasts = Duration(0),
                        std::uint32_t who = 1) {
    return refusal(world, SetPart{WorldNumber(who), kind, name, std::move(values), lasts});
  };
  using K = SetPart::Kind;
  CHECK(said(K::kForce, "", {1, 2, 3, 4, 5, 6}, Duration(1)) == "");
  CHECK(said(K::kForce, "trunk", {1, 2, 3, 4, 5, 6}, kLongestTold) == "");
  CHECK(said(K::kForce, "trunk", {1, 2, 3, 4, 5, 6}, kLongestTold + Duration(1)) == "a force lasts for a day at most");
  CHECK(said(K::kForce, "trnk", {1, 2, 3, 4, 5, 6}) == "'a' has no body 'trnk'; did you mean 'trunk'?");
  CHECK(said(K::kForce, "trunk", {1, 2, 3}) == "a force with its torque is 6 numbers, not 3");
  CHECK(said(K::kForce, "trunk", {1, 2, 3, 4, 5, kNan}) == "a value is no number, or a huge one");
  CHECK(said(K::kForce, "", {1, 2, 3, 4, 5, 6}, Duration(1), 2) ==
        "'b' is no MuJoCo robot: nothing of it is set by itself");
  CHECK(said(K::kForce, "", {}, Duration(1), 9) == "unknown entity number 9");
  CHECK(said(K::kJoint, "crate:x", {1}) == "'a' has no joint 'crate:x'");
  CHECK(said(K::kJoint, "hip", {}) == "a joint's position, or that and its velocity, is 1 or 2 numbers, not 0");
  CHECK(said(K::kMocap, "hand", {0, 0, 1, 0, 0, 0, 0}) == "the orientation is 0");
  CHECK(said(K::kMocap, "hand", {0, 0, 1}) == "");
  CHECK(said(K::kMocap, "trunk", {0, 0, 1}) == "'a' has no mocap body 'trunk'");
  CHECK(said(K::kOption, "iterations", {0}) == "iterations is a whole number from 1 to 10000");
  CHECK(said(K::kOption, "iterations", {3}) == "");
  CHECK(said(static_cast<K>(9), "", {}) == "unknown kind of part");

  const std::uint32_t before = world.snapshot().state(Slot(0)).discontinuity;
  world.apply(SetPart{WorldNumber(1), K::kJoint, "hip", {0.7, -0.0}, Duration(0)}, instant(5));
  CHECK(world.joints(Slot(0))[0] == 0.7);
  CHECK(world.joints(Slot(0))[1] == 2);
  CHECK_FALSE(std::signbit(world.joints(Slot(0))[2]));
  CHECK(world.snapshot().state(Slot(0)).discontinuity == before + 1);
  CHECK(world.snapshot().state(Slot(0)).stamp == instant(5));
  Bytes bytes = world.image();
  World other = *World::make(setup);
  REQUIRE(other.load_image(bytes));
  CHECK(other.image() == bytes);
}

TEST_CASE("each edit changes the structure hash but a move, which is no part of the world's history") {
  std::vector<std::uint64_t> hashes;
  Model model = built_in_models()[0];
  model.name = "m";
  for (const Edit& edit :
       {Edit(Spawn{robot("d", 5, 5, 0), Owner(1)}), Edit(Delete{WorldNumber(1)}),
        Edit(SetState{WorldNumber(1), {}, {}}), Edit(Attach{WorldNumber(1), WorldNumber(2)}), Edit(SetEnvironment{}),
        Edit(AddModel{model}), Edit(Reset{{WorldNumber(1)}}), Edit(Freeze{WorldNumber(1)})}) {
    World world = made();
    world.apply(edit, instant(5));
    hashes.push_back(world.structure_hash());
  }
  World attached = made();
  attached.apply(Attach{WorldNumber(1), WorldNumber(2)}, instant(5));
  attached.apply(Detach{WorldNumber(2)}, instant(5));
  hashes.push_back(attached.structure_hash());
  std::sort(hashes.begin(), hashes.end());
  CHECK(std::adjacent_find(hashes.begin(), hashes.end()) == hashes.end());
  CHECK_FALSE(std::binary_search(hashes.begin(), hashes.end(), made().structure_hash()));

  World part = made();
  part.apply(SetPart{WorldNumber(1), SetPart::Kind::kForce, "", {1, 0, 0, 0, 0, 0}, Duration(5)}, instant(5));
  CHECK(part.structure_hash() != made().structure_hash());

  World returned = made(), other = made();
  for (World* world : {&returned, &other}) world->apply(Freeze{WorldNumber(1)}, instant(5));
  const std::uint64_t frozen = returned.structure_hash();
  returned.apply(Return{WorldNumber(1), Owner(2)}, instant(6));
  other.apply(Return{WorldNumber(1), Owner(9)}, instant(6));
  CHECK(returned.structure_hash() != frozen);
  CHECK(returned.structure_hash() != made().structure_hash());
  CHECK(returned.structure_hash() == other.structure_hash());  // where it runs is no part of it

  World moved = made();
  moved.apply(Move{WorldNumber(1), Owner(7), {1, 2}}, instant(5));
  CHECK(moved.structure_hash() == made().structure_hash());
  CHECK(moved.entity(Slot(0)).owner == Owner(7));

  World here = made(), there = made();
  here.apply(Spawn{robot("d", 5, 5, 0), Owner(1)}, instant(5));
  Spawn elsewhere{robot("d", 5, 5, 0), Owner(2)};
  elsewhere.spec.host = "other";
  there.apply(elsewhere, instant(5));
  CHECK(here.structure_hash() == there.structure_hash());
}

TEST_CASE("edits that put different robots make the same world in any order, and of others the order counts") {
  const auto made_by = [](std::initializer_list<Edit> edits) {
    World world = made();
    for (const Edit& edit : edits) world.apply(edit, instant(5));
    return world.image();  // the structure hash is in it
  };
  const Edit a = SetState{WorldNumber(1), {{7, 7, 0}, {}}, {}}, b = Reset{{2, WorldNumber(3)}},
             box = SetState{WorldNumber(4), {{8, 8, 0}, {}}, {}};
  const Edit c = PutBody{WorldNumber(3), {{9, 9, 0}, {}}, {}, {0, 0, 0, 0}, {}, {}, {}},
             again = SetState{WorldNumber(1), {{6, 6, 0}, {}}, {}};
  const Edit spawn = Spawn{robot("d", 5, 5, 0), Owner(1)}, another = Spawn{robot("e", 5, 6, 0), Owner(1)};

  CHECK(made_by({a, b, box}) == made_by({box, b, a}));
  CHECK(made_by({spawn, a, c, another}) == made_by({spawn, c, a, another}));
  CHECK(made_by({a, again}) != made_by({again, a}));  // by the state
  CHECK(made_by({a, a}) != made_by({a}));
  CHECK(made_by({spawn, a}) != made_by({a, spawn}));
  CHECK(made_by({spawn, another}) != made_by({another, spawn}));
}

TEST_CASE("spawn, delete, set, freeze and the environment do what their names promise") {
  World world = made();

  CHECK(world.apply(Spawn{robot("d", 5, 6, 0), Owner(3)}, instant(7)) == WorldNumber(5));
  CHECK(world.entity(world.find("d")).owner == Owner(3));
  CHECK(state(world, WorldNumber(5)).stamp == instant(7));
  CHECK(state(world, WorldNumber(5)).pose.p == Vec3{5, 6, 0});

  world.apply(SetState{WorldNumber(5), {{7, 8, -0.0}, {}}, Twist{{1, 0, 0}, {0, 0, -0.0}}}, instant(9));
  CHECK(state(world, WorldNumber(5)).pose.p == Vec3{7, 8, 0});
  CHECK_FALSE(std::signbit(state(world, WorldNumber(5)).pose.p.z));
  CHECK_FALSE(std::signbit(state(world, WorldNumber(5)).twist.w.z));
  CHECK(state(world, WorldNumber(5)).stamp == instant(9));
  CHECK(state(world, WorldNumber(5)).discontinuity == 1);

  world.apply(Freeze{WorldNumber(5)}, instant(9));
  CHECK(world.entity(world.find("d")).frozen);
  CHECK(world.entity(world.find("d")).owner == kNobody);
  CHECK(state(world, WorldNumber(5)).twist == Twist{});
  const State frozen = state(world, WorldNumber(5));
  world.apply(Return{WorldNumber(5), Owner(4)}, instant(12));
  CHECK_FALSE(world.entity(world.find("d")).frozen);
  CHECK(world.entity(world.find("d")).owner == Owner(4));
  CHECK(state(world, WorldNumber(5)).pose == frozen.pose);
  CHECK(state(world, WorldNumber(5)).discontinuity == frozen.discontinuity);  // it has not moved
  CHECK(state(world, WorldNumber(5)).stamp == instant(12));

  world.apply(SetEnvironment{{.fog = 1}}, instant(9));
  CHECK(world.environment() == Environment{.fog = 1});

  world.apply(Attach{WorldNumber(1), WorldNumber(2)}, instant(9));
  world.apply(Delete{WorldNumber(1)}, instant(9));
  CHECK(world.find("a") == kNoSlot);
  CHECK(world.slot_of(WorldNumber(1)) == kNoSlot);
  CHECK(world.entity(world.find("b")).parent == kNoEntity);
  CHECK(world.apply(Spawn{robot("a", 0, 0, 0), Owner(1)}, instant(9)) ==
        WorldNumber(6));  // numbers are never given twice
}

TEST_CASE("attach keeps the child's pose and carries it along, and detach leaves it the parent's twist there") {
  World world = made();
  const Pose before = state(world, WorldNumber(2)).pose;
  world.apply(Attach{WorldNumber(1), WorldNumber(2)}, instant(0));
  world.apply(Attach{WorldNumber(2), WorldNumber(3)}, instant(0));
  world.settle();
  CHECK(state(world, WorldNumber(2)).pose == before);
  CHECK(state(world, WorldNumber(2)).discontinuity == 1);

  State parent = state(world, WorldNumber(1));
  parent.stamp = instant(10);
  parent.pose = {{0, 2, 0}, from_yaw(1.57079632679489661923)};
  parent.twist = {{0.5, 0, 0}, {0, 0, 2}};
  world.next().state(Slot(0)) = parent;
  world.turn();

  // b was 1 m ahead of a, c 2 m; a now faces along y.
  CHECK(near(state(world, WorldNumber(2)).pose.p, {0, 3, 0}));
  CHECK(near(state(world, WorldNumber(3)).pose.p, {0, 4, 0}));
  CHECK(near(state(world, WorldNumber(3)).twist.v, {0.5 - 2 * 2, 0, 0}));
  CHECK(state(world, WorldNumber(3)).twist.w == Vec3{0, 0, 2});
  CHECK(state(world, WorldNumber(3)).stamp == instant(10));
  CHECK(std::fabs(yaw_of(state(world, WorldNumber(2)).pose.q) - (1 + 1.57079632679489661923)) < 1e-12);

  world.apply(Detach{WorldNumber(2)}, instant(10));
  world.settle();
  CHECK(near(state(world, WorldNumber(2)).twist.v, {0.5 - 2, 0, 0}));
  CHECK(state(world, WorldNumber(2)).discontinuity == 2);
  world.next().state(Slot(0)).pose.p = {9, 9, 0};
  world.turn();
  CHECK(near(state(world, WorldNumber(2)).pose.p, {0, 3, 0}));
  CHECK(near(state(world, WorldNumber(3)).pose.p, {0, 4, 0}));  // it hangs on b still

  world.apply(SetState{WorldNumber(2), {{5, 5, 0}, from_yaw(1)}, std::nullopt}, instant(20));
  const Vec3 d = state(world, WorldNumber(3)).pose.p - state(world, WorldNumber(2)).pose.p;
  CHECK(std::fabs(dot(d, d) - 1) < 1e-12);
}

TEST_CASE("a world that is reset is the world that was made, to the bit; a named reset touches only what is named") {
  World world = made();
  const Bytes fresh = world.image();
  world.apply(Spawn{robot("d", 5, 5, 0), kNobody}, instant(5));
  world.apply(Delete{WorldNumber(2)}, instant(5));
  world.apply(Attach{WorldNumber(1), WorldNumber(3)}, instant(5));
  world.apply(SetState{WorldNumber(1), {{8, 8, 0}, {}}, Twist{{1, 0, 0}, {}}}, instant(5));
  world.apply(SetEnvironment{}, instant(5));
  for (double& value : world.snapshot().tail(Slot(0))) value = 4;
  CHECK(world.image() != fresh);

  World partly = world;
  partly.apply(Reset{{WorldNumber(1)}}, instant(9));
  const State at_creation = initial_state(setup().entities[0].pose, instant(9));
  CHECK(state(partly, WorldNumber(1)).pose == at_creation.pose);
  CHECK(state(partly, WorldNumber(1)).twist == Twist{});
  CHECK(state(partly, WorldNumber(1)).discontinuity == state(world, WorldNumber(1)).discontinuity + 1);
  CHECK(partly.snapshot().tail(Slot(0))[0] == 0);
  CHECK(state(partly, WorldNumber(4)) == state(world, WorldNumber(4)));
  CHECK(partly.find("d") != kNoSlot);

  world.apply(Reset{}, instant(9));
  CHECK(world.image() == fresh);
  CHECK(world.snapshot() == made().snapshot());
}

TEST_CASE("an image comes back whole, its own image being the same, and goes on alike") {
  World world = made();
  world.apply(Spawn{robot("d", 5, 5, 0), Owner(2)}, instant(5));
  world.apply(Delete{WorldNumber(2)}, instant(5));
  world.apply(Attach{WorldNumber(1), WorldNumber(3)}, instant(5));
  world.settle();

  World back = made();
  REQUIRE(back.load_image(world.image()));
  CHECK(back.image() == world.image());
  CHECK(back.snapshot() == world.snapshot());
  CHECK(back.structure_hash() == world.structure_hash());
  for (World* w : {&world, &back}) {
    w->next().state(Slot(0)).pose.p = {1, 1, 0};
    w->turn();
    CHECK(w->apply(Spawn{robot("e", 0, 5, 0), Owner(2)}, instant(6)) == WorldNumber(6));
  }
  CHECK(back.image() == world.image());
}

TEST_CASE("an image cut short is refused, and one with flipped bits is refused or holds a world that works") {
  World world = made();
  world.apply(Attach{WorldNumber(1), WorldNumber(3)}, instant(5));
  world.apply(Attach{WorldNumber(3), WorldNumber(4)}, instant(5));
  const Bytes image = world.image();
  World back = made();
  const Bytes before = back.image();
  for (std::size_t n = 0; n < image.size(); ++n) {
    if (back.load_image(ByteView(image).first(n))) FAIL("an image of ", n, " bytes was taken");
  }
  CHECK(back.image() == before);

  Random random{stream_key(1, 0, "flips")};
  int taken = 0;
  for (std::size_t i = 0; i < image.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      Bytes bad = image;
      bad[i] ^= static_cast<std::uint8_t>(1 << bit);
      if (random.below(4) == 0) bad[random.below(bad.size())] ^= 0x80;
      World dut = back;
      if (!dut.load_image(bad)) continue;
      ++taken;
      dut.turn();
      for (const Entity& e : dut.entities()) dut.with_descendants(e.number);
      for (const Edit& edit :
           {Edit(SetState{WorldNumber(1), {{1, 1, 0}, {}}, {}}), Edit(Detach{WorldNumber(3)}),
            Edit(Reset{{WorldNumber(3)}}), Edit(Attach{WorldNumber(4), WorldNumber(1)}), Edit(Delete{WorldNumber(1)})})
        if (dut.check(edit)) dut.apply(edit, instant(7));
      dut.settle();
      dut.turn();
    }
  }
  CHECK(taken > 100);
}

TEST_CASE("an image whose attachments form a ring is refused") {
  World world = made();
  world.apply(Attach{WorldNumber(1), WorldNumber(2)}, instant(0));
  World ring = world;
  // The parent of a is not checked by apply(): what check() refuses must not come in by an image either.
  ring.apply(Attach{WorldNumber(2), WorldNumber(1)}, instant(0));
  World back = made();
  CHECK_FALSE(back.load_image(ring.image()));
}

namespace {

// Of a, which has two wheels: nothing in it is what is there, and nothing is 0.
PutBody body_of_a() {
  return {WorldNumber(1), {{4, 5, 0.5}, from_yaw(1)}, {{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}},
          {1, 2, 3, 4},   {{0.7, 0, 0}, {0, 0, 0.8}}, std::chrono::milliseconds(90),
          {1, 2, 3}};
}

// As it is written in frames and journals.
struct Sent {
  Edit edit;
};
template <class V, MaybeConst<Sent> T>
void fields(V& v, T& s) {
  v("edit", s.edit);
}

}  // namespace

TEST_CASE(
    "a body that is put has all its numbers at once, is discontinuous once more, and what hangs on it comes along") {
  World world = made();
  world.apply(Attach{WorldNumber(1), WorldNumber(2)}, instant(0));
  world.apply(Attach{WorldNumber(2), WorldNumber(3)}, instant(0));
  const World before = world;
  PutBody body = body_of_a();
  body.twist.v.x = -0.0, body.tail[3] = -0.0;
  REQUIRE(world.check(body));
  world.apply(body, instant(7));

  CHECK(state(world, WorldNumber(1)).pose == body.pose);
  CHECK(state(world, WorldNumber(1)).twist == Twist{{0, 0.2, 0.3}, {0.4, 0.5, 0.6}});
  CHECK_FALSE(std::signbit(state(world, WorldNumber(1)).twist.v.x));
  CHECK(state(world, WorldNumber(1)).stamp == instant(7));
  CHECK(state(world, WorldNumber(1)).discontinuity == state(before, WorldNumber(1)).discontinuity + 1);
  const auto tail = world.snapshot().tail(world.slot_of(WorldNumber(1)));
  CHECK(std::vector<double>(tail.begin(), tail.end()) == std::vector<double>{1, 2, 3, 0});
  CHECK_FALSE(std::signbit(tail[3]));
  for (WorldNumber child : {WorldNumber(2), WorldNumber(3)}) {
    const Entity& e = world.entity(world.slot_of(child));
    CHECK(state(world, child).pose == state(world, e.parent).pose * e.X_PC);
    CHECK(state(world, child).discontinuity == state(before, child).discontinuity + 1);
    CHECK(state(world, child).stamp == instant(7));
  }
  CHECK(state(world, WorldNumber(4)) == state(before, WorldNumber(4)));
}

TEST_CASE("a body that cannot be is refused with its reason, and so is one that hangs on another") {
  World world = made();
  const auto put = [&](auto&& change) {
    PutBody body = body_of_a();
    change(body);
    return refusal(world, body);
  };

  CHECK(put([](PutBody&) {}) == "");
  CHECK(put([](PutBody& b) { b.entity = WorldNumber(99); }) == "unknown entity number 99");
  CHECK(put([](PutBody& b) { b.entity = kNoEntity; }) == "unknown entity number 0");
  CHECK(put([](PutBody& b) { b.tail.pop_back(); }) == "the state has 3 numbers of joints, not 4");
  CHECK(put([](PutBody& b) { b.tail.push_back(0); }) == "the state has 5 numbers of joints, not 4");
  CHECK(put([](PutBody& b) { b.entity = WorldNumber(4); }) == "the state has 4 numbers of joints, not 0");
  CHECK(put([](PutBody& b) { b.tail[2] = kNan; }) == "a joint's number is NaN or infinity");
  CHECK(put([](PutBody& b) { b.tail[0] = -INFINITY; }) == "a joint's number is NaN or infinity");
  CHECK(put([](PutBody& b) { b.twist.w.y = kNan; }) == "a twist holds NaN or infinity");
  CHECK(put([](PutBody& b) { b.told.v.x = INFINITY; }) == "a twist holds NaN or infinity");
  CHECK(put([](PutBody& b) { b.told_for = Duration(-1); }) == "a command rules for a day at most");
  CHECK(put([](PutBody& b) { b.told_for = kLongestTold; }) == "");
  CHECK(put([](PutBody& b) { b.told_for = kLongestTold + Duration(1); }) == "a command rules for a day at most");
  CHECK(put([](PutBody& b) { b.pose.p.z = kNan; }) == "the pose holds NaN or infinity");
  CHECK(put([](PutBody& b) { b.pose.q.w = 1.1; }) == "the orientation is not a unit quaternion");
  world.apply(Attach{WorldNumber(2), WorldNumber(1)}, instant(0));
  CHECK(put([](PutBody&) {}) == "'a' is attached to another; detach it first");
}

TEST_CASE("a body to be put comes out of its bytes with each number, and not of fewer bytes") {
  const Bytes bytes = save(Sent{body_of_a()});
  Sent back;
  REQUIRE(load(bytes, back));
  const PutBody want = body_of_a();
  const auto* got = std::get_if<PutBody>(&back.edit);
  REQUIRE(got);
  CHECK((got->entity == want.entity && got->pose == want.pose && got->twist == want.twist && got->tail == want.tail));
  CHECK((got->told == want.told && got->told_for == want.told_for && got->physics == want.physics));
  for (std::size_t n = 0; n < bytes.size(); ++n) CHECK_FALSE(load(ByteView(bytes).first(n), back));
}

}  // namespace world_test
