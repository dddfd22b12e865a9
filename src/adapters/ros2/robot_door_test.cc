#include "adapters/ros2/robot_door.h"

#include <nav_msgs/msg/odometry.hpp>
#include <set>
#include <ue_msgs/srv/delete_entity.hpp>

#include "adapters/ros2/testing.h"
#include "adapters/ros2/topics.h"

namespace robot_door_test {

using namespace convoy;
using namespace convoy::ros2;
using tf2_msgs::msg::TFMessage;

namespace {

using Frames = std::set<std::string>;

// "odom>base_footprint" of each message: the sets, in the order in which they came.
struct Heard {
  Heard(DoorRig& rig, const std::string& topic, const Qos& qos = {}) {
    subscription = *rig.caller->subscription(topic, ros::TypeSupport::of<TFMessage>(), qos, [&](const Received& got) {
      Frames frames;
      const auto message = message_in<TFMessage>(*rig.outside, got.cdr);
      for (const auto& one : message->transforms) frames.insert(one.header.frame_id + ">" + one.child_frame_id);
      messages.push_back(std::move(frames));
    });
    REQUIRE(rig.until([&] { return subscription->matched() > 0; }, 2));
  }
  std::vector<Frames> messages;
  std::unique_ptr<Subscription> subscription;
};

}  // namespace

TEST_CASE("links that never move in their parent are on tf_static once and for all, and the others on tf") {
  Settings settings{.ns = "/"};
  settings.tf_mode = TfMode::kBoth;
  DoorRig rig({.paused = false, .settings = settings});
  Heard moving(rig, "/alpha/tf"), still(rig, "/alpha/tf_static", kLatched), shared(rig, "/tf_static", kLatched);
  REQUIRE(rig.until([&] { return moving.messages.size() >= 3 && !still.messages.empty(); }));

  CHECK(still.messages == std::vector<Frames>{{"base_footprint>base_link"}});
  const Frames wheels{"base_footprint>wheel_left_link", "base_footprint>wheel_right_link", "odom>base_footprint"};
  for (const Frames& one : moving.messages) CHECK(one == wheels);
  CHECK(shared.messages.size() >= 1);
  for (const Frames& one : shared.messages)
    CHECK(
        (one == Frames{"alpha/base_footprint>alpha/base_link"} || one == Frames{"beta/base_footprint>beta/base_link"}));
}

TEST_CASE("who comes to a robot's topic while the run goes on hears it from then on, until it or the robot goes") {
  DoorRig room({.paused = false});
  const auto later = [&](double s) { return room.until([] { return false; }, s); };
  std::vector<std::int64_t> stamps;  // ns
  const auto listen = [&] {
    return std::move(*room.caller->subscription(
        "/alpha/odom", ros::TypeSupport::of<nav_msgs::msg::Odometry>(), {}, [&](const Received& sample) {
          const auto message = message_in<nav_msgs::msg::Odometry>(*room.outside, sample.cdr);
          REQUIRE(message);
          const auto& stamp = message->header.stamp;
          stamps.push_back(std::int64_t{1'000'000'000} * stamp.sec + stamp.nanosec);
        }));
  };
  REQUIRE_FALSE(later(1));

  auto reader = listen();
  REQUIRE(room.until([&] { return stamps.size() > 30; }));
  CHECK(stamps[0] > 0);
  const double heard_s = static_cast<double>(stamps[30] - stamps[0]) * 1e-9;
  CHECK(heard_s == doctest::Approx(1).epsilon(0.03));  // 30 Hz, in whole ticks
  reader.reset();
  REQUIRE_FALSE(later(1));
  stamps.clear();

  reader = listen();
  REQUIRE(room.until([&] { return stamps.size() > 3; }));
  ue_msgs::srv::DeleteEntity::Request gone;
  gone.name = "alpha";
  CHECK(room.call<ue_msgs::srv::DeleteEntity>("/DeleteEntity", gone).success);
  REQUIRE_FALSE(later(1));
  const std::size_t heard = stamps.size();
  REQUIRE_FALSE(later(1));
  CHECK(stamps.size() == heard);
}

}  // namespace robot_door_test
