// What a robot knows from inside itself at a boundary: what sensors that are main_only sample, where the robot runs.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "convoy/geometry.h"
#include "core/fields.h"
#include "world/contact_reading.h"
#include "world/snapshot.h"

namespace convoy {

// nav_msgs/Odometry on the ground: where its wheels make it believe it is.
struct OdometryReading {
  double x = 0, y = 0, yaw = 0;                                  // in its odom frame, m, rad in [-pi, pi)
  double speed = 0, turn_rate = 0;                               // in its own frame, m/s, rad/s
  std::array<double, 36> pose_covariance{}, twist_covariance{};  // x, y, z, roll, pitch, yaw, row by row
};
template <class V, MaybeConst<OdometryReading> T>
void fields(V& v, T& o) {
  v("x", o.x), v("y", o.y), v("yaw", o.yaw), v("speed", o.speed), v("turn_rate", o.turn_rate);
  v("pose_covariance", o.pose_covariance), v("twist_covariance", o.twist_covariance);
}

// sensor_msgs/JointState: its model's joints, rad or m, and per s.
struct JointsReading {
  std::vector<std::string> names;
  std::vector<double> positions, velocities;
};
template <class V, MaybeConst<JointsReading> T>
void fields(V& v, T& j) {
  v("names", j.names), v("positions", j.positions), v("velocities", j.velocities);
}

class RobotInside {
 public:
  virtual ~RobotInside() = default;
  virtual double distance() const = 0;     // m travelled since it was made or reset
  virtual Twist told() const = 0;          // the operator's twist in force, m/s, rad/s
  virtual std::uint32_t keys() const = 0;  // that are held, as a mask
  virtual Vec3 gravity() const = 0;        // that its bodies feel, in W, m/s^2
  virtual OdometryReading odometry() const = 0;
  virtual JointsReading joints() const = 0;
  virtual std::vector<ContactReading> contacts() const = 0;
  // Others whose bounding circle comes within `radius` of the point, m; ascending.
  virtual std::vector<Slot> around(const Vec3& p_W, double radius) const = 0;
  // Of its physics engine: the sensors of its file by name, and the numbers of one. Nothing: it has none of that name.
  virtual std::vector<std::string> engine_sensors() const = 0;
  virtual std::optional<std::vector<double>> engine_sensor(std::string_view name) const = 0;
};

}  // namespace convoy
