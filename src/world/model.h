// What robots of one type share: how they move, how large they are, what they can do.
#pragma once

#include <string>
#include <vector>

#include "convoy/geometry.h"
#include "core/fields.h"

namespace convoy {

enum class Drive : std::uint8_t {
  kNone = 0,          // does not move by itself: a box, a rack, a person standing
  kDifferential = 1,  // two driven wheels on one axle
  kAckermann = 2,     // steered front axle, driven rear axle
  kTricycle = 3,      // one steered and driven front wheel
};

struct Vec2 {
  double x = 0, y = 0;
  friend bool operator==(const Vec2&, const Vec2&) = default;
};
constexpr double dot(Vec2 a, Vec2 b) { return a.x * b.x + a.y * b.y; }
template <class V, MaybeConst<Vec2> T>
void fields(V& v, T& a) {
  v("x", a.x), v("y", a.y);
}

// Largest footprint that a model may have, in corners.
inline constexpr std::size_t kMaxFootprintCorners = 16;

// One of the files that a model is made of. Its bytes are stored once in the world, by their hash.
struct ModelFile {
  std::string name;  // as the document names it
  std::uint64_t hash = 0;
  friend bool operator==(const ModelFile&, const ModelFile&) = default;
};
template <class V, MaybeConst<ModelFile> T>
void fields(V& v, T& f) {
  v("name", f.name), v("hash", f.hash);
}
// What moves robots of a model in place of Convoy's own physics (include/convoy/robot.h). No type: nothing does.
struct ModelEngine {
  std::string type;
  std::string library;  // a path, by the one rule for users' libraries; empty: the host's own program has the type
  Bytes parameters;     // canonical bytes of UsersParameters; empty: none
  bool any() const { return !type.empty(); }
  friend bool operator==(const ModelEngine&, const ModelEngine&) = default;
};
template <class V, MaybeConst<ModelEngine> T>
void fields(V& v, T& e) {
  v("type", e.type), v("library", e.library), v("parameters", e.parameters);
}
inline constexpr std::size_t kMaxEngineParameters = 65'536;  // bytes

inline constexpr std::size_t kMaxModelFiles = 10'000;
inline constexpr std::size_t kMaxBodies = 100'000, kMaxJoints = 10'000, kMaxKeyframes = 1'000;  // of one model

struct Model {
  // A state of a robot of this model that its file names.
  struct Keyframe {
    std::string name;
    std::vector<double> joints;  // positions, as in `start`
    Pose X_SR;                   // of the robot's frame in that where the model's own start has it
    friend bool operator==(const Keyframe&, const Keyframe&) = default;
  };

  std::string name;
  Drive drive = Drive::kNone;
  // Convex polygon in the robot's frame (base_footprint: on the ground, x forward), counter-clockwise, m. Empty: no
  // body.
  std::vector<Vec2> footprint;
  double height = 0.2;                 // m
  double mass = 1.0;                   // kg
  double wheel_radius = 0.033;         // m; of the driven wheels
  double half_separation = 0.08;       // m; half the distance between the driven wheels (differential)
  double wheelbase = 0.3;              // m; between the axles (Ackermann, tricycle)
  double max_steering = 0.6;           // rad (Ackermann, tricycle)
  double max_steering_rate = 2.0;      // rad/s
  double max_speed = 0.22;             // m/s
  double max_turn_rate = 2.84;         // rad/s
  double max_acceleration = 2.5;       // m/s^2
  double max_turn_acceleration = 3.2;  // rad/s^2
  Duration command_timeout = std::chrono::milliseconds(500);  // a robot without a fresh command stops
  // Wheel odometry: each wheel's speed is measured with Gaussian noise of this standard deviation, m/s per m/s.
  double encoder_noise = 0.01;
  std::vector<std::string> joints;  // names, in the order of the state's joint positions
  std::vector<double> start;        // their positions at the robot's creation; empty: all 0
  double reach = 0;                 // m; around its frame's origin, for all joint positions; 0: at those of the start
  // What a physics engine moves it by: an MJCF document and then its assets. Empty: kinematic.
  std::vector<ModelFile> files;
  std::vector<std::string> actuators;                  // of a model with files, by their numbers
  std::vector<std::string> left_wheels, right_wheels;  // joints that a twist turns, if it has files
  std::vector<std::string> bodies;                     // of a model with files, by the engine's numbers from 1 on
  std::vector<std::string> mocaps;                     // of those, the ones that stand where they are put
  std::vector<Keyframe> keyframes;                     // those with a name
  ModelEngine engine;                                  // a user's own

  friend bool operator==(const Model&, const Model&) = default;
};

template <class V, MaybeConst<Model::Keyframe> T>
void fields(V& v, T& k) {
  v("name", k.name), v("joints", k.joints), v("X_SR", k.X_SR);
}
template <class V, MaybeConst<Model> T>
void fields(V& v, T& m) {
  v("name", m.name), v("drive", m.drive), v("footprint", m.footprint), v("height", m.height), v("mass", m.mass);
  v("wheel_radius", m.wheel_radius), v("half_separation", m.half_separation), v("wheelbase", m.wheelbase);
  v("max_steering", m.max_steering), v("max_steering_rate", m.max_steering_rate), v("max_speed", m.max_speed);
  v("max_turn_rate", m.max_turn_rate), v("max_acceleration", m.max_acceleration);
  v("max_turn_acceleration", m.max_turn_acceleration), v("command_timeout", m.command_timeout);
  v("encoder_noise", m.encoder_noise), v("joints", m.joints), v("start", m.start), v("reach", m.reach);
  v("files", m.files);
  v("actuators", m.actuators), v("left_wheels", m.left_wheels), v("right_wheels", m.right_wheels);
  v("bodies", m.bodies), v("mocaps", m.mocaps), v("keyframes", m.keyframes);
  later(v, "engine", m.engine);
}

// The tail of a state: joint positions, joint velocities and, for a model with files, a wrench. The wrench is the mean
// force (N) and the mean torque about the centre of mass (N m) that gravity and the static world applied to the base,
// and to all that is attached to it, in the last tick; expressed in W. It is 0 for fixed and for passive models, and
// while no neighbour is near enough to need it.
inline constexpr std::size_t kWrenchSize = 6;
inline std::size_t joints_size(const Model& model) { return 2 * model.joints.size(); }
inline std::size_t tail_size(const Model& model) {
  return joints_size(model) + (model.files.empty() ? 0 : kWrenchSize);
}

// Is it one of several numbers that belong together, those of a body's pose or of a ball joint ("crate:qw")? Else it is
// a joint of its own ("door::hinge").
bool is_part_of_pose(const std::string& joint);
// Is that joint's number the first of the seven of a body's pose in W: x, y, z, qw, qx, qy, qz?
bool is_body_pose(const Model& model, std::size_t joint);

// A model without a footprint has no body: it is in no neighbour query. Programs that run as agents of their own have
// one.
inline bool has_body(const Model& model) { return !model.footprint.empty(); }
inline constexpr const char* kProgramModel = "program";
inline constexpr double kNoBody = -1;  // in lists of radii

// Null: it has none of that name, or the name is empty.
const Model::Keyframe* find_keyframe(const Model& model, const std::string& name);
// X_WB at the beginning of what is made at that pose in that keyframe (empty: the model's own start).
Pose start_pose(const Model& model, const std::string& keyframe, const Pose& made_at);

// Radius of the circle around the frame's origin that holds the footprint, m.
double circumscribed_radius(const Model& model);
// Radius of the largest circle around the frame's origin inside the footprint, m (0 if the origin is outside).
double inscribed_radius(const Model& model);
// Radius of the sphere about the frame's origin that holds footprint and height, and all within its reach, m.
double bounding_radius(const Model& model);
// The radius with which neighbour queries find it; kNoBody: they do not.
inline double search_radius(const Model& model) {
  return has_body(model) || model.reach > 0 ? bounding_radius(model) : kNoBody;
}

// The joints that a drive has, in the order in which its physics writes them: for a differential drive the left and the
// right wheel; for Ackermann the steering (of the middle of the front axle), then the rear wheels left and right; for a
// tricycle the steering, then the driven wheel. A model may name them otherwise.
std::vector<std::string> joint_names(Drive drive);

// Ours: turtlebot3_burger, turtlebot3_waffle, a car-like cart, a tricycle truck, a box, and a program without a body;
// in this order.
std::vector<Model> built_in_models();

}  // namespace convoy
