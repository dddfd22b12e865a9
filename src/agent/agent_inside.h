// What sensors may know of a robot from inside: its agent at the boundary where a tick begins; between boundaries, where
// its physics is, they may ask for joints alone.
#pragma once

#include "agent/agent.h"
#include "sensing/robot_inside.h"

namespace convoy {

// What its encoders tell.
OdometryReading reading_of(const Odometry& odometry, const Model& model);
OdometryReading odometry_of(const Agent& agent);  // as of when they were read last

// In W, m/s^2: what moves it has, else the environment's, else the Earth's.
Vec3 gravity_of(const Physics& physics, const Environment& environment);

class AgentInside final : public RobotInside {
 public:
  // All must outlive it. `joints`: their positions, then their velocities, at the instant.
  AgentInside(const Agent& agent, const Odometry& odometry, const AgentTick& tick, Slot slot,
              std::span<const double> joints)
      : agent_(agent), odometry_(odometry), tick_(tick), slot_(slot), joints_(joints) {}

  double distance() const override { return agent_.statistics().distance; }
  Twist told() const override { return agent_.told(tick_.begin).twist; }
  std::uint32_t keys() const override { return agent_.actions(); }
  Vec3 gravity() const override;
  OdometryReading odometry() const override;
  JointsReading joints() const override;
  std::vector<ContactReading> contacts() const override;
  std::vector<Slot> around(const Vec3& p_W, double radius) const override;
  std::vector<std::string> engine_sensors() const override;
  std::optional<std::vector<double>> engine_sensor(std::string_view name) const override;

 private:
  const Feeling& felt() const;

  const Agent& agent_;
  const Odometry& odometry_;
  const AgentTick& tick_;
  Slot slot_;
  std::span<const double> joints_;
  mutable std::optional<Feeling> felt_;  // once it was asked for
};

}  // namespace convoy
