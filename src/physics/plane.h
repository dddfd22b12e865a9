// The ground around a robot seen from above, with rigid bodies that push each other: contacts for engines without any.
//
// Each body is the outlines of its shapes. A contact gives way as MuJoCo's do by default (its solref 0.02 1 and solimp 0.9
// 0.95 0.001): a MuJoCo robot that meets the same body in its own tick comes to nearly the same push, and each side keeps
// its half. Lives for one tick; a pure function of what it is given.
#pragma once

#include <span>
#include <vector>

#include "physics/footprint.h"
#include "physics/met_body.h"

namespace convoy {

class Plane {
 public:
  // `own`: the robot's bodies, of which the first free one is moved; without one it has the model's mass and footprint.
  Plane(const PhysicsInput& input, const Model& model, const State& state, std::span<const MetBody> own,
        std::span<const MetBody> others);

  double mass() const { return bodies_[0].mass; }
  double inertia() const { return bodies_[0].inertia; }  // about the vertical through the centre of mass, kg m^2
  const Vec3& com() const { return com_; }               // in the robot's frame

  // Of the robot's frame: where it is, and how its origin moves.
  struct Motion {
    double x = 0, y = 0, yaw = 0, vx = 0, vy = 0, turn_rate = 0;
  };
  Motion motion() const;

  // `force`, N in W, and `torque` about the centre of mass, N m: what the ground does to the robot.
  void step(double dt, Vec2 force, double torque);

  double stepped() const { return stepped_; }  // s
  // Pose and twist as they are now.
  void finish(State& state) const;
  // The mean over all steps of what the ground and walls did to the robot.
  Vec3 mean_force() const;
  double mean_torque() const;
  bool touches_map() const { return touches_map_; }                     // at the end of the last step
  const std::vector<WorldNumber>& touched() const { return touched_; }  // the same: others, ascending
  // Those of them that no push moves.
  bool one_sided() const { return one_sided_; }

 private:
  // An outline about its body's centre of mass, along W's axes as the body stood at the boundary.
  struct Piece {
    std::vector<Vec2> outline;
    double low = 0, high = 0;  // m in W
    double radius = 0;         // about the centre of mass
    double friction = 1;
  };
  struct Body {
    WorldNumber number = kNoEntity;
    bool free = false, passive = false;
    double mass = 0, inertia = 0;
    double x = 0, y = 0, angle = 0;  // of the centre of mass; the turn since the boundary
    double vx = 0, vy = 0, turn_rate = 0;
    Vec2 pull;                        // N: of what its owner measured
    double twisting = 0;              // N m
    double friction = 1, radius = 0;  // of all pieces
    std::vector<Piece> pieces;
    // In the step in progress.
    double ax = 0, ay = 0, turn_acceleration = 0;
    Planar place() const;
    double inverse_mass() const { return free ? 1 / mass : 0; }
    double inverse_inertia() const { return free ? 1 / inertia : 0; }
  };
  // A force along `way` at one point, on body 0 (or the passive one that slides on the ground) and against the other.
  struct Row {
    std::size_t body = 0;
    int other = -1;  // -1: the static world
    Vec2 way;
    double arm = 0, other_arm = 0;  // m
    double wanted = 0;              // acceleration along `way`, m/s^2
    double give = 0;                // how softly: an inverse mass, 1/kg
    double inverse = 0;             // inverse mass along `way`, 1/kg
    int normal = -1;                // the row that presses it: friction
    double least = 0, most = 0;     // N; of friction, for each N of that
    double force = 0;
  };

  Body body_of(const MetBody& met) const;
  void find_contacts(double dt);
  void add_contact(std::size_t body, int other, Vec2 at, Vec2 normal, double depth, double friction, double dt);
  void add_ground(std::size_t body, double dt);
  void finish_row(Row& row, double dt, double depth);
  void solve();
  void push(const Row& row, double force);

  std::vector<Body> bodies_;  // the robot's first
  std::vector<Row> rows_;
  const StaticMap* map_ = nullptr;
  double gravity_ = 9.81;
  State boundary_;  // the robot's
  Vec3 com_;
  Vec2 com_at_boundary_;
  Vec2 pushed_;  // N s, of the ground and walls
  double turned_ = 0, stepped_ = 0;
  bool touches_map_ = false, one_sided_ = false;
  std::vector<WorldNumber> touched_;
};

}  // namespace convoy
