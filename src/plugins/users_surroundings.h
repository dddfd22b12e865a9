// What a robot of a user's engine is shown in a tick: its agent's input in the words of include/convoy/robot.h.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "convoy/robot.h"
#include "physics/factory.h"
#include "physics/plane.h"

namespace convoy {

class UsersSurroundings final : public robot::Surroundings {
 public:
  // All outlive it. `tail`: of the robot, as at the boundary.
  UsersSurroundings(const PhysicsInput& input, const Model& model, const State& state, std::span<const double> tail,
                    const PhysicsFactory& bodies);

  std::int64_t now_ns() const override { return nanos(input_.begin); }
  std::int64_t tick_ns() const override { return nanos(input_.step); }
  Twist command() const override { return input_.command; }
  std::span<const robot::Control> controls() const override { return controls_; }
  Vec3 gravity() const override;
  double wetness() const override { return input_.environment ? input_.environment->wetness : 0; }
  std::span<const robot::Neighbour> neighbours() override;
  std::span<const robot::Body> bodies() override { return show(met()); }
  std::span<const robot::Body> own_bodies() override { return show(own()); }
  bool solid(double x, double y) const override;
  robot::Plane& plane() override;
  void touched(WorldNumber number) override;
  void wheels(double left, double right, double steering) override { turned_ = {{left, right, steering}}; }

  // What became of it. Null: it did not use the plane.
  const Plane* used_plane() const { return plane_ ? &plane_->inside : nullptr; }
  const std::vector<WorldNumber>& touched_ones() const { return touched_; }
  struct Wheels {
    double left = 0, right = 0, steering = 0;
  };
  const std::optional<Wheels>& turned() const { return turned_; }

 private:
  struct Shown {
    std::vector<MetBody> bodies;
    std::deque<std::vector<robot::Shape>> shapes;
    std::vector<robot::Body> shown;
  };
  struct UsersPlane final : robot::Plane {
    explicit UsersPlane(convoy::Plane plane) : inside(std::move(plane)) {}
    double mass() const override { return inside.mass(); }
    double inertia() const override { return inside.inertia(); }
    Vec3 com() const override { return inside.com(); }
    Motion motion() const override;
    void step(double seconds, const Vec3& force, double torque) override;
    void leave(robot::State& state) const override;
    convoy::Plane inside;
  };
  static std::span<const robot::Body> show(Shown& out);  // made when it is first asked for: a plane needs none
  Shown& met();
  Shown& own();

  const PhysicsInput& input_;
  const Model& model_;
  const State& state_;
  std::span<const double> tail_;
  const PhysicsFactory& bodies_;
  std::vector<robot::Control> controls_;
  std::vector<robot::Neighbour> neighbours_;
  std::optional<Shown> met_, own_;
  std::optional<UsersPlane> plane_;
  std::vector<WorldNumber> touched_;
  std::optional<Wheels> turned_;
};

}  // namespace convoy
