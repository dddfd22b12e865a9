// Robots that move by an engine of your own, in a shared library that a scenario names.
//
//   class Bicycle final : public convoy::robot::Robot {
//    public:
//     Bicycle(convoy::Parameters& p, const convoy::robot::Model& model) : grip_(p.number("grip", 0.9, 0, 3)) {}
//     static convoy::robot::Facts facts() { return {}; }
//     void put(const convoy::robot::State& state) override;
//     void step(convoy::robot::Surroundings& around, convoy::robot::State& state) override;
//     void memory(convoy::robot::Memory& m) override { m(steering_); }
//    ...
//   };
//   CONVOY_ROBOTS({"bicycle", convoy::robot::maker<Bicycle>()})
//
//   models: [{name: car, file: car.xml, engine: {type: bicycle, library: ./libbicycle.so}}]      # in the scenario
//
// docs/engines.md has the whole story; examples/robot builds one outside Convoy's tree. Needs nothing but the standard
// library; a plug-in links nothing of Convoy's.
//
// A step is a function of what it is shown, of the state and of what memory() lists: no clock, no chance, no variables that
// robots share. Then it is the same bytes on any host. Each robot has an object of its own; those of different robots are
// called by several threads at a time.
//
// Units are SI, angles radians, frames right-handed: W is the world, R the robot's (x forwards, z up; on the ground, as its
// model has it). Spans and texts that are handed in, or come back, are valid until the end of the call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "convoy/geometry.h"
#include "convoy/ids.h"
#include "convoy/library.h"
#include "convoy/parameters.h"

namespace convoy::robot {

// What all robots of a type have in common.
struct Facts {
  double sight = 1;  // m beyond its own radius within which it is shown others, and with which it can be met; 0 to 1000
  // False: step() depends on more than memory() lists. Then a recording is run again from its beginning alone.
  bool saves = true;
};

struct Corner {
  double x = 0, y = 0;  // m, in R
};

// What the scenario says of the robots' model.
struct Model {
  std::string_view name;
  double mass = 0, height = 0;                                  // kg, m
  double wheel_radius = 0, half_separation = 0, wheelbase = 0;  // m
  double max_steering = 0, max_steering_rate = 0;               // rad, rad/s
  double max_speed = 0, max_turn_rate = 0;                      // m/s, rad/s
  double max_acceleration = 0, max_turn_acceleration = 0;       // m/s^2, rad/s^2
  std::span<const Corner> footprint;                            // convex, counter-clockwise
  std::span<const std::string_view> joints, actuators;          // in the order of positions, and of controls
};

// Of the robot. step() is given it as it is at the boundary where a tick begins and leaves it as it is where the tick ends.
struct State {
  Pose pose;                                // X_WR
  Twist twist;                              // of R's origin, in W
  std::span<double> positions, velocities;  // of the model's joints
  // What gravity and the ground and walls, but no other robot, did to it in the tick: the mean force, and the mean torque
  // about its centre of mass, in W. By it others in contact know how hard it pushes; of models with a file alone.
  Vec3 force, torque;  // N, N m
};

// A new value of an actuator, from the beginning of the tick on. The robot keeps it.
struct Control {
  std::uint32_t actuator = 0;  // index into Model::actuators
  double value = 0;
};

struct Shape {
  enum class Kind : std::uint32_t {
    kSphere = 0,     // radius
    kCapsule = 1,    // radius, half of the length of its straight part, along z
    kEllipsoid = 2,  // three radii
    kCylinder = 3,   // radius, half of its height, along z
    kBox = 4,        // half of its edges
    kHull = 5,       // of `corners`
  };
  Kind kind{};
  Vec3 size;                      // m
  Pose pose;                      // in its body
  std::span<const Vec3> corners;  // in the shape's frame
  double friction = 1;            // sliding
};

// A rigid body that the robot may meet in the tick: what others of Convoy's engines are shown, too. It is as at the
// boundary; an engine that lets it be pushed does so in a copy of its own, for this tick alone: its owner moves it.
struct Body {
  WorldNumber number;                      // whose it is
  Pose pose;                               // X_WB
  Twist twist;                             // of its origin, in W
  bool free = false;                       // a push moves it; else it moves as it does, whatever pushes
  bool passive = false;                    // nothing but pushes, gravity and the ground move it
  double mass = 0;                         // kg, of a free one
  Vec3 com;                                // its centre of mass, in B
  double inertia[6] = {0, 0, 0, 0, 0, 0};  // kg m^2 about com, along B's axes: xx yy zz xy xz yz
  Vec3 force, torque;                      // State::force and torque of its owner in the tick before
  std::span<const Shape> shapes;
};

struct Neighbour {
  WorldNumber number;  // of the world; stays, and is not used again
  std::string_view model;
  Pose pose;                                      // X_WR
  Twist twist;                                    // of its origin, in W
  double mass = 0;                                // kg
  std::span<const double> positions, velocities;  // of its joints
};

// The ground around the robot, seen from above, with all that stands there: for engines that have no contacts of their own.
// Its contacts give way like MuJoCo's do by default, so that of a push each side keeps half.
class Plane {
 public:
  struct Motion {
    double x = 0, y = 0, yaw = 0;          // of R in W
    double vx = 0, vy = 0, turn_rate = 0;  // of its origin, in W
  };
  virtual double mass() const = 0;     // kg, of all that is rigid of the robot
  virtual double inertia() const = 0;  // kg m^2, about the vertical through its centre of mass
  virtual Vec3 com() const = 0;        // in R
  virtual Motion motion() const = 0;
  // Moves the robot on, and what it meets. `force` in W and `torque` about the centre of mass are of the ground alone: what
  // its wheels do. The steps of a tick are as long as the tick.
  virtual void step(double seconds, const Vec3& force, double torque) = 0;
  // Pose and twist as they are now; force and torque as a mean over the steps. Height and tilt stay as at the boundary.
  virtual void leave(State& state) const = 0;

 protected:
  ~Plane() = default;
};

// What a robot may know in a tick.
class Surroundings {
 public:
  virtual std::int64_t now_ns() const = 0;   // simulated time, where the tick begins
  virtual std::int64_t tick_ns() const = 0;  // how long it is
  // What it is to do: v.x forwards and w.z counter-clockwise, in R; 0 where nobody has told it lately.
  virtual Twist command() const = 0;
  virtual std::span<const Control> controls() const = 0;  // news alone
  virtual Vec3 gravity() const = 0;                       // in W, m/s^2
  virtual double wetness() const = 0;                     // of the ground, 0 to 1
  virtual std::span<const Neighbour> neighbours() = 0;    // by number
  // Of all neighbours, and of the robot itself: what MuJoCo robots are shown of it.
  virtual std::span<const Body> bodies() = 0;
  virtual std::span<const Body> own_bodies() = 0;
  virtual bool solid(double x,
                     double y) const = 0;  // is there a wall of the map, or nothing of the map, at that place?
  // Where pushes of others count by themselves: what it comes to is taken by Plane::leave(). The same in all of the tick.
  virtual Plane& plane() = 0;
  // Another robot is touched: counted, and told to contact sensors. What plane() touches is known.
  virtual void touched(WorldNumber number) = 0;
  // What its wheels turned, for odometry: rim speeds, m/s, and the steering angle. Else as its twist tells.
  virtual void wheels(double left, double right, double steering) = 0;

 protected:
  ~Surroundings() = default;
};

// Goes over what a robot keeps beside its state, to save it or to load it: always the same things in the same order.
class Memory {
 public:
  virtual void operator()(double& value) = 0;
  virtual void operator()(std::int64_t& value) = 0;

 protected:
  ~Memory() = default;
};

class Robot {
 public:
  virtual ~Robot() = default;
  // After it was made, and whenever somebody puts it somewhere: it stands as the state says, or moves as that says.
  virtual void put(const State& state) = 0;
  // One tick. What it throws, and a state that is not finite, end the robot's motion: it stays where it was, and the run
  // says why.
  virtual void step(Surroundings& around, State& state) = 0;
  virtual void memory(Memory&) {}
};

// --- what a library exports; CONVOY_ROBOTS writes it

struct Type {
  const char* name;  // as scenarios name it
  struct Maker {
    Facts (*facts)();
    Robot* (*make)(Parameters& parameters, const Model& model);
    void (*drop)(const Robot* robot);
  } maker;
};

struct Types {
  const Type* types;
  std::size_t count;
};

// Of a class with a constructor of Parameters and Model, and a static facts().
template <class T>
constexpr Type::Maker maker() {
  return {[] { return T::facts(); },
          [](Parameters& parameters, const Model& model) -> Robot* { return new T(parameters, model); },
          [](const Robot* robot) { delete robot; }};
}

}  // namespace convoy::robot

// Changes whenever something above does that compiled code depends on. A host reads it from the file, before any code of
// the library runs, and refuses another one.
#define CONVOY_ROBOT_ABI "convoy robot 1"

// The types of a library, once in it: CONVOY_ROBOTS({"bicycle", convoy::robot::maker<Bicycle>()}, ...)
#define CONVOY_ROBOTS(...) CONVOY_EXPORT_TYPES(robot, CONVOY_ROBOT_ABI, __VA_ARGS__)
