#include "physics/mujoco/player.h"

namespace convoy::mujoco {

namespace {

// Its value in the last pose, up to this one, that names it.
double target_of(const Plan& plan, std::size_t pose, std::size_t actuator, double from) {
  for (std::size_t i = pose + 1; i-- > 0;)
    if (const auto& value = plan.poses[i].values[actuator]) return *value;
  return from;
}

}  // namespace

Duration Plan::length() const {
  Duration sum{0};
  for (const Pose& pose : poses) sum += pose.blend + pose.hold;
  return sum;
}

bool is_over(const Plan& plan, Duration at) {
  const Duration length = plan.length();
  return (!plan.loop || length <= Duration(0)) && at >= length;
}

double value_at(const Plan& plan, std::size_t actuator, double from, Duration at) {
  const Duration length = plan.length();
  const std::size_t last = plan.poses.size() - 1;
  if (is_over(plan, at)) return target_of(plan, last, actuator, from);
  const bool first_round = at < length;
  at %= length;
  for (std::size_t i = 0; i <= last; ++i) {
    const Plan::Pose& pose = plan.poses[i];
    if (at < pose.blend) {
      const double before = i > 0         ? target_of(plan, i - 1, actuator, from)
                            : first_round ? from
                                          : target_of(plan, last, actuator, from);
      double share = seconds(at) / seconds(pose.blend);
      if (pose.ease) share = share * share * (3 - 2 * share);
      return before + share * (target_of(plan, i, actuator, from) - before);
    }
    at -= pose.blend;
    if (at < pose.hold) return target_of(plan, i, actuator, from);
    at -= pose.hold;
  }
  return target_of(plan, last, actuator, from);
}

}  // namespace convoy::mujoco
