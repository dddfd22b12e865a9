#include "agent/agent_inside.h"

namespace convoy {

Vec3 gravity_of(const Physics& physics, const Environment& environment) {
  return physics.gravity(environment).value_or(environment.gravity.value_or(Vec3{0, 0, -9.81}));
}

Vec3 AgentInside::gravity() const { return gravity_of(agent_.physics(), tick_.world->environment()); }

OdometryReading reading_of(const Odometry& o, const Model& model) {
  return {o.x, o.y, o.yaw, o.speed, o.turn_rate, pose_covariance(o), twist_covariance(o, model)};
}
OdometryReading odometry_of(const Agent& agent) { return reading_of(agent.inner_.odometry, *agent.model_); }

OdometryReading AgentInside::odometry() const { return reading_of(odometry_, agent_.model()); }

JointsReading AgentInside::joints() const {
  const std::span<const double> tail = joints_;
  const std::size_t n = agent_.model().joints.size();
  if (tail.size() < 2 * n) return {};
  const auto numbers = [&](std::size_t first) {
    const auto some = tail.subspan(first, n);
    return std::vector<double>(some.begin(), some.end());
  };
  return {agent_.model().joints, numbers(0), numbers(n)};
}

const Feeling& AgentInside::felt() const {
  bool ignored;
  if (!felt_) felt_ = agent_.feel(tick_, slot_, ignored);
  return *felt_;
}

std::vector<ContactReading> AgentInside::contacts() const { return felt().contacts; }

std::vector<Slot> AgentInside::around(const Vec3& p_W, double radius) const {
  std::vector<Slot> out;
  tick_.grid->query(tick_.world->snapshot(), p_W.x, p_W.y, radius, slot_, out);
  return out;
}

std::vector<std::string> AgentInside::engine_sensors() const {
  std::vector<std::string> out;
  if (const Panel* panel = agent_.physics().panel())
    for (const Panel::Sensor& one : panel->sensors) out.push_back(one.name);
  return out;
}

std::optional<std::vector<double>> AgentInside::engine_sensor(std::string_view name) const {
  const Panel* panel = agent_.physics().panel();
  if (!panel) return {};
  std::size_t first = 0;
  for (const Panel::Sensor& one : panel->sensors) {
    if (one.name != name) {
      first += one.size;
      continue;
    }
    const std::vector<double>& all = felt().sensors;
    if (all.size() < first + one.size) return {};
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector<double>(from, from + static_cast<std::ptrdiff_t>(one.size));
  }
  return {};
}

}  // namespace convoy
