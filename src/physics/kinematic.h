// Kinematic robots on the ground: a body twist within the drive's limits, an exact arc, and never through walls or
// others.
//
// Drive. The command is clamped to the model's speed and turn rate and approached with its accelerations. Steered
// drives take the command's curvature w.z / v.x as a steering angle, which turns at a bounded rate; they cannot turn on
// the spot, slow down where their turn rate would be too high (at once, beyond max_acceleration if they must), and keep
// the steering as it is while the commanded speed is 0. Heights, roll and pitch stay as they are.
//
// Map. A footprint (the robot's, and those of carried bodies) that touches no solid cell before a step touches none
// after it. One that does, after a teleport, may move as long as the number of solid cells under it does not grow; one
// whose frame is in solid ground may move at will.
//
// Others: the half-gap rule. For each neighbour both sides compute from the snapshot of the tick's boundary, the lower
// world number first, the axis with the widest gap g between the two footprints. Within the tick each may advance its
// extent along that axis by less than g / 2; not at all if they overlap. So two footprints never meet, whichever
// computes first and wherever, and none needs precedence. Heights do not count.
//
// Loose objects of a physics engine's (world/body_boxes.h) are neighbours one by one: the shadow of each one's box on
// the ground, unless it is above the robot's height or below the ground.
//
// A motion that would break a rule is cut to its longest allowed part; what is left of it slides along what was hit.
// The twist in the state is the one achieved. Wheels turn as commanded, slipping if they must, and odometry with them.
#pragma once

#include "core/fields.h"
#include "physics/footprint.h"
#include "physics/physics.h"
#include "world/body_boxes.h"

namespace convoy {

struct KinematicState {
  double speed = 0;      // of the frame along its x axis, as the wheels turn, m/s
  double turn_rate = 0;  // rad/s
  double steering = 0;   // rad
  friend bool operator==(const KinematicState&, const KinematicState&) = default;
};
template <class V, MaybeConst<KinematicState> T>
void fields(V& v, T& s) {
  v("speed", s.speed), v("turn_rate", s.turn_rate), v("steering", s.steering);
}

inline constexpr double kContactGap = 1e-3;  // m; so near, a kinematic robot touches

// The map given to step() is the same one, unchanged, until the next reset() or load().
class KinematicPhysics final : public Physics {
 public:
  // Takes a copy. Footprints need 3 to kMaxFootprintCorners corners, or none: such a model collides with no robot.
  explicit KinematicPhysics(const Model& model);

  void step(const PhysicsInput& input, State& state, std::span<double> tail, PhysicsEvents& events) override;
  void reset(const State& state) override;
  void save(SaveFields& out) const override;
  bool load(Reader& in) override;
  bool accepts(ByteView saved) const override;
  void describe(DescribeFields::List& out) const override;
  // Where its own footprint is nearer than kContactGap to walls and others, by their footprints and shadows; no forces.
  bool feel(const PhysicsInput& input, const State& state, std::span<const double> tail,
            Feeling& feeling) const override;

  // Whose circumscribed circle does not come this near to the robot's origin at a boundary, m, cannot matter in the
  // tick of the given length that begins there: what PhysicsInput::neighbours may leave out.
  static double reach(const Model& model, Duration tick, std::span<const Carried> carried = {});
  double neighbourhood(const Model& model, Duration tick, std::span<const Carried> carried) const override {
    return reach(model, tick, carried);
  }

 private:
  static bool read_state(Reader& in, KinematicState& out);
  // A pose on the ground as the step works with it.
  struct Placement {
    double x, y;
    Quat q;
    Planar planar;
  };
  // One footprint that moves with the robot, in the robot's frame.
  struct Body {
    WorldNumber number;
    Planar pose;                // X_BC
    std::vector<Vec2> own;      // in the body's own frame
    std::vector<Vec2> corners;  // in the robot's frame
  };
  // The footprint may not reach farther than `limit` along `normal` from the position at the boundary.
  struct Constraint {
    WorldNumber other;
    std::uint32_t body;
    Vec2 normal;
    double limit;
  };
  struct Contact;  // what forbade a placement

  void drive(const Twist& command, double dt);
  void steer(double speed, double turn_rate, double dt);
  void turn_wheels(double dt, std::span<double> tail, PhysicsEvents& events) const;
  bool map_is_far(const StaticMap& map, double x, double y, double distance);
  void take_bodies(const PhysicsInput& input);
  void take_constraints(const PhysicsInput& input, const Placement& boundary, double travel);
  void take_constraints(WorldNumber number, const Planar& there, std::span<const Vec2> footprint,
                        const Placement& boundary, double travel);
  void take_loose(const Neighbour& other, const PhysicsInput& input, const Placement& boundary, double travel);
  static Placement place(double x, double y, const Quat& q);
  static Placement along(const Placement& from, double distance, double angle);
  static Placement shifted(const Placement& from, Vec2 by);
  bool allowed(const Placement& p, Contact* contact) const;
  bool fits_map(const Placement& p) const;
  std::size_t cells_under(const Placement& p) const;
  Placement move(const Placement& from, double distance, double angle, PhysicsEvents& events);
  Placement slide(const Placement& from, Vec2 rest, const Contact& contact) const;
  template <class Motion>
  Placement longest_allowed(const Placement& from, const Motion& motion) const;

  Model model_;
  KinematicState inner_;
  double radius_ = 0;                           // circumscribed, of the model alone
  double tan_steering_ = 0, cos_steering_ = 1;  // of inner_.steering
  // The last command's steering angle, so that a constant command costs no arc tangent.
  double last_speed_ = 0, last_turn_rate_ = 0, last_angle_ = 0;

  // Where the map was last queried, and how far solid ground is from there at least; for the map at this address.
  // Spares most steps the query, and changes no result.
  const StaticMap* probed_map_ = nullptr;
  double probed_x_ = 0, probed_y_ = 0, probed_clearance_ = 0;

  struct Loose {
    const Model* model;
    std::vector<BodyBox> boxes;
  };
  std::vector<Loose> loose_;  // of models that were met; they live as long as the world does

  // Of the step in progress; kept to reuse their memory.
  std::vector<Body> bodies_;  // the first is the robot
  std::size_t body_count_ = 1;
  double extent_ = 0;  // radius around the robot's origin that holds all bodies, m
  std::vector<Constraint> constraints_;
  double origin_x_ = 0, origin_y_ = 0;  // position at the boundary
  double ground_ = 0;                   // m; its height
  const StaticMap* map_ = nullptr;      // null: nothing solid is near
  // How many solid cells each placement may touch: none, except for one that began on some.
  std::size_t cells_allowed_ = 0;
};

}  // namespace convoy
