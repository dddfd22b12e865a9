#include "messages/frames.h"

#include <doctest/doctest.h>
#include "core/math.h"
#include "messages/geometry.h"
#include "messages/testing.h"

namespace messages_frames_test {

using namespace convoy;
using namespace convoy::ros;
using testing::kStamp;
using testing::sensor_of;

TEST_CASE("each sensor that has a place stands in its link or the base, and a camera's pictures in it") {
  SensorSpec mounted = sensor_of("imu", "imu");
  mounted.link = "mast", mounted.X_LS = {{1, 2, 3}, from_yaw(math::kPi / 2)};
  const std::vector<SensorSpec> sensors{mounted, sensor_of("camera"), sensor_of("odom", "odom"),
                                        sensor_of("no such", "x")};

  const auto tf = sensor_frames(sensors, SensorBook(), {.base = "base_link", .prefix = "scout/"}, kStamp);

  REQUIRE(tf.transforms.size() == 3);
  CHECK(tf.transforms[0].header.frame_id == "scout/mast");
  CHECK(tf.transforms[0].child_frame_id == "scout/imu_link");
  CHECK(tf.transforms[0].header.stamp.nanosec == 7);
  CHECK(tf.transforms[0].transform.translation.z == 3);
  CHECK(tf.transforms[0].transform.rotation.z == mounted.X_LS.q.z);
  CHECK(tf.transforms[1].header.frame_id == "scout/base_link");
  CHECK(tf.transforms[1].child_frame_id == "scout/front_link");
  CHECK(tf.transforms[2].header.frame_id == "scout/front_link");
  CHECK(tf.transforms[2].child_frame_id == "scout/front_optical_frame");
  // REP-103: the optical frame's z is forward, its x to the right.
  const auto& q = tf.transforms[2].transform.rotation;
  const Vec3 z = rotate({q.w, q.x, q.y, q.z}, {0, 0, 1}), x = rotate({q.w, q.x, q.y, q.z}, {1, 0, 0});
  CHECK(z.x == doctest::Approx(1));
  CHECK(x.y == doctest::Approx(-1));
}

TEST_CASE("what is nowhere on its robot is in the robot's own frame") {
  const RobotFrames frames{.prefix = "scout/"};

  CHECK(sensor_frame(sensor_of("battery"), *find_sensor_type("battery"), frames) == "scout/base_footprint");
  CHECK(sensor_frame(sensor_of("scan"), *find_sensor_type("scan"), frames) == "scout/front_link");
  CHECK(sensor_frame(sensor_of("scan"), *find_sensor_type("scan"), {}) == "front_link");
}

}  // namespace messages_frames_test
