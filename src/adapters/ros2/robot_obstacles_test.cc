#include "adapters/ros2/robot_obstacles.h"

#include "adapters/ros2/testing.h"

namespace robot_obstacles_test {

using namespace convoy;
using namespace convoy::ros2;
using namespace convoy::testing;
using moveit_msgs::msg::CollisionObject;
using moveit_msgs::msg::PlanningScene;

namespace {

struct Room : DoorRig {
  explicit Room(ObstacleTopics topics = {true, true, true}) : DoorRig({.settings = {.ns = "/", .obstacles = topics}}) {}
};

// move_group, as far as it matters here: what it knows of, and where.
struct Planner {
  explicit Planner(Room& rig) {
    const auto type = ros::TypeSupport::of<PlanningScene>();
    subscription = *rig.caller->subscription("/alpha/planning_scene", type, {}, [&](const Received& got) {
      ++messages;
      const auto heard = message_in<PlanningScene>(*rig.outside, got.cdr);
      REQUIRE(heard->is_diff);
      for (const CollisionObject& one : heard->world.collision_objects) {
        frame = one.header.frame_id, last = one.operation;
        if (one.operation == CollisionObject::REMOVE) objects.erase(one.id);
        else objects[one.id] = one.pose.position.x;
      }
    });
  }
  std::map<std::string, double> objects;
  std::string frame;
  int messages = 0, last = -1;
  std::unique_ptr<Subscription> subscription;
};

}  // namespace

TEST_CASE(
    "a planner knows of the world and of others, not of its robot, and what becomes of them, while time rests too") {
  Room rig;
  Planner dut(rig);
  REQUIRE(rig.until([&] { return dut.messages > 0; }, 5));
  CHECK(dut.objects == std::map<std::string, double>{{"beta", 2}, {"convoy:world", 0}});
  CHECK(dut.frame == "map");

  REQUIRE(rig.rig.error_of(spawn("crate", "box")).empty());
  REQUIRE(rig.until([&] { return dut.objects.size() == 3; }, 5));
  CHECK(dut.objects.at("crate") == 1);
  CHECK(dut.last == CollisionObject::ADD);
  REQUIRE(rig.rig.error_of(set_pose("crate", 1.5)).empty());
  REQUIRE(rig.until([&] { return dut.objects.at("crate") == 1.5; }, 5));
  CHECK(dut.last == CollisionObject::MOVE);
  REQUIRE(rig.rig.error_of(attach("alpha", "crate")).empty());
  REQUIRE(rig.until([&] { return dut.objects.size() == 2; }, 5));
  CHECK(dut.last == CollisionObject::REMOVE);
  (void)rig.until([] { return false; }, 3);
  const int before = dut.messages;
  (void)rig.until([] { return false; }, 3);
  CHECK(dut.messages == before);

  Planner second(rig);  // another one
  REQUIRE(rig.until([&] { return second.messages > 0; }, 5));
  CHECK(second.objects.size() == 2);
}

TEST_CASE(
    "while time goes on obstacles that move are told ten times a second, and after a reset those that have gone") {
  Room rig;
  Planner dut(rig);
  REQUIRE(rig.rig.error_of(spawn("crate", "box")).empty());
  REQUIRE(rig.until([&] { return dut.objects.size() == 3; }, 5));
  (void)rig.until([] { return false; }, 3);
  const int before = dut.messages;
  REQUIRE(rig.rig.error_of(drive("beta", 0.2, 0, 5)).empty());
  REQUIRE(rig.rig.error_of(step(50)).empty());
  REQUIRE(rig.until([&] { return rig.rig.run().tick() == 50; }));
  (void)rig.until([] { return false; }, 1);

  CHECK(dut.objects.at("beta") > 2.1);
  CHECK(dut.objects.at("beta") == doctest::Approx(rig.place("beta").x).epsilon(1e-3));
  CHECK(dut.messages - before >= 9);
  CHECK(dut.messages - before <= 13);

  REQUIRE(rig.rig.error_of(just([](Request& r) { r.mutable_reset(); })).empty());
  REQUIRE(rig.until([&] { return dut.objects.size() == 2; }, 5));
  CHECK(dut.objects.at("beta") == 2);
}

TEST_CASE("only what is asked for has a topic") {
  Room rig({false, true, false});
  int markers = 0, points = 0;
  const auto hears = [&](const char* topic, const ros::TypeSupport& type, int& count) {
    return *rig.caller->subscription(topic, type, {}, [&count](const Received&) { ++count; });
  };
  const auto m = hears("/alpha/obstacles", ros::TypeSupport::of<visualization_msgs::msg::MarkerArray>(), markers);
  const auto p = hears("/alpha/obstacle_points", ros::TypeSupport::of<sensor_msgs::msg::PointCloud2>(), points);
  (void)rig.until([] { return false; }, 4);

  CHECK(markers == 3);  // at once, and twice again
  CHECK(points == 0);
  CHECK(p->matched() == 0);
  CHECK(m->matched() == 1);
}

}  // namespace robot_obstacles_test
