#include "adapters/ros2/simulation_worlds.h"

#include <simulation_interfaces/srv/get_available_worlds.hpp>
#include <simulation_interfaces/srv/get_current_world.hpp>
#include <simulation_interfaces/srv/get_named_pose_bounds.hpp>
#include <simulation_interfaces/srv/get_named_poses.hpp>

#include "adapters/ros2/testing.h"

namespace simulation_worlds_test {

using namespace convoy;
using namespace convoy::ros2;
namespace srv = simulation_interfaces::srv;
using simulation_interfaces::msg::Bounds;
using simulation_interfaces::msg::TagsFilter;

namespace {

DoorRigOptions named(bool free = false) {
  DoorRigOptions out{.free = free};
  out.setup.name = "warehouse";
  return out;
}

std::string names(const srv::GetNamedPoses::Response& told) {
  std::string out;
  for (const auto& pose : told.poses) out += pose.name + " ";
  return out;
}

}  // namespace

TEST_CASE("the poses that have names are where entities begin, wherever these are now") {
  DoorRig dut;
  REQUIRE(dut.rig.call(testing::set_pose("beta", 4)).error() == 0);
  REQUIRE(dut.rig.call(testing::spawn("crate", "box")).error() == 0);
  srv::GetNamedPoses::Request request;
  auto told = dut.call<srv::GetNamedPoses>("/get_named_poses", request);
  CHECK(told.result.result == SimResult::RESULT_OK);
  CHECK(names(told) == "alpha beta ");
  CHECK(told.poses[1].pose.position.x == 2);
  CHECK(told.poses[1].pose.orientation.w == 1);
  CHECK(told.poses[1].tags == std::vector<std::string>{"turtlebot3_waffle"});

  request.tags.tags = {"turtlebot3_waffle", "box"};
  CHECK(names(dut.call<srv::GetNamedPoses>("/get_named_poses", request)) == "beta ");
  request.tags.filter_mode = TagsFilter::FILTER_MODE_ALL;
  CHECK(names(dut.call<srv::GetNamedPoses>("/get_named_poses", request)).empty());
  request.tags.filter_mode = 5;
  CHECK(dut.call<srv::GetNamedPoses>("/get_named_poses", request).result.result == SimResult::RESULT_OPERATION_FAILED);
}

TEST_CASE("a named pose has the bounds of what begins there") {
  DoorRig dut;
  srv::GetNamedPoseBounds::Request request;
  request.name = "alpha";
  const auto told = dut.call<srv::GetNamedPoseBounds>("/get_named_pose_bounds", request);
  CHECK(told.result.result == SimResult::RESULT_OK);
  CHECK(told.bounds.type == Bounds::TYPE_BOX);
  REQUIRE(told.bounds.points.size() == 2);
  CHECK(told.bounds.points[0].z > 0.1);
  request.name = "nowhere";
  CHECK(dut.call<srv::GetNamedPoseBounds>("/get_named_pose_bounds", request).result.result ==
        SimResult::RESULT_NOT_FOUND);
}

TEST_CASE("the world that runs is told of, and is the only one there is") {
  DoorRig lockstep(named()), free(named(true));
  const auto told = lockstep.call<srv::GetCurrentWorld>("/get_current_world");
  CHECK(told.result.result == SimResult::RESULT_OK);
  CHECK(told.world.name == "warehouse");
  CHECK(told.world.world_resource.uri == "convoy:///world/warehouse");
  CHECK(told.world.tags == std::vector<std::string>{"lockstep"});
  CHECK(told.world.description == "warehouse, lockstep mode, ticks of 0.02 s, 2 entities at its beginning");

  srv::GetAvailableWorlds::Request request;
  request.filter.tags = {"free"};
  const auto ask = [&](DoorRig& dut) { return dut.call<srv::GetAvailableWorlds>("/get_available_worlds", request); };
  CHECK(ask(lockstep).worlds.empty());
  CHECK(ask(free).worlds.size() == 1);
  request.filter.tags.clear(), request.additional_sources = {"/worlds"};
  CHECK(ask(free).result.result == SimResult::RESULT_OPERATION_FAILED);
  request.continue_on_error = true;
  const auto worlds = ask(lockstep);
  CHECK(worlds.result.result == SimResult::RESULT_OK);
  CHECK(!worlds.result.error_message.empty());
  REQUIRE(worlds.worlds.size() == 1);
  CHECK(worlds.worlds[0] == told.world);
}

}  // namespace simulation_worlds_test
