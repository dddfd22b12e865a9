// A sensor of your own, in a shared library that a scenario names.
//
//   class Gas final : public convoy::sensor::Sensor {
//    public:
//     explicit Gas(convoy::sensor::Parameters& p) : far_(p.number("far", 10, 0.1, 100)) {}
//     static convoy::sensor::Facts facts() { return {.period_ns = 200'000'000}; }
//     void sample(convoy::sensor::View& view, convoy::sensor::Output& out) const override { ... out.numbers(level); }
//    ...
//   };
//   CONVOY_SENSORS({"gas", convoy::sensor::maker<Gas>()})
//
//   sensors: [{type: gas, library: ./libgas.so, parameters: {far: 20}}]      # in the scenario
//
// docs/sensors.md has the whole story; examples/sensor builds one outside Convoy's tree. Needs nothing but the standard
// library; a plug-in links nothing of Convoy's.
//
// A sample is a function of what its view shows and of nothing else: no clock, no chance but the view's, no variables that
// outlive the call. Then it is the same bytes on any host. One object serves all robots that have it with the same
// parameters, and sample() is called by several threads at a time.
//
// Units are SI, angles radians, frames right-handed: W is the world, S the sensor's own (x forwards, z up). Spans and texts
// that are handed in, or come back, are valid until the next call of the same function, or the end of sample().
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <span>
#include <string_view>

#include "convoy/geometry.h"
#include "convoy/ids.h"
#include "convoy/library.h"
#include "convoy/parameters.h"

namespace convoy::sensor {

using convoy::Parameters;

// What a type's samples are: the message of ROS that each becomes.
enum class Gives : std::uint32_t {
  kNumbers = 0,  // std_msgs/Float64MultiArray
  kRange = 1,    // sensor_msgs/Range
  kScan = 2,     // sensor_msgs/LaserScan
  kPoints = 3,   // sensor_msgs/PointCloud2
};

// Where its samples may be computed.
enum class Distribution : std::uint32_t {
  kMainOnly = 0,      // where its robot runs: it knows that from inside, and is delivered in the instant of the sample
  kMainOrClient = 1,  // there, or on a sensor host: delivered a tick later at least
  kClientOnly = 2,    // on a sensor host, where there is one
};

// What all sensors of a type have in common.
struct Facts {
  Gives gives = Gives::kNumbers;
  Distribution distribution = Distribution::kMainOnly;
  double load = 0.5;                     // 0 to 1: of a machine, 1 asks for one of its own
  std::int64_t period_ns = 100'000'000;  // from one sample to the next, where the scenario says nothing; above 0
  bool casts = false;                    // casts rays, or looks at shapes
  std::uint32_t memory = 0;  // bytes that it keeps from one sample to the next, 65536 at most; kMainOnly alone
};

inline constexpr WorldNumber kScene{0xffffffffu};  // the number of what never moves: map, ground, boxes

// A robot or object where it is at the instant of the sample.
struct Entity {
  WorldNumber number = kScene;  // of the world; stays, and is not used again
  std::string_view name, model;
  Pose pose;          // X_WB
  Twist twist;        // of its origin, in W
  double radius = 0;  // m; of its bounding circle
};

struct Ray {
  Vec3 origin;                 // in W, m
  Vec3 direction;              // in W, of length 1
  double near = 0, far = 100;  // m; what is met within, ends included; 100,000 at most
};

struct Hit {
  double range = std::numeric_limits<double>::infinity();  // m; infinite: it met nothing
  Vec3 normal;                                             // in W, of length 1, towards the ray's origin
  WorldNumber number = kScene;                             // whose, if it met something
  std::uint32_t shape = 0;                                 // of shapes(number)
  double brightness = 0;                                   // 0 to 1, of its colour and material
};

struct Shape {
  enum class Kind : std::uint32_t {
    kPlane = 0,      // z = 0; half of its edges along x and y, 0: without end
    kSphere = 1,     // radius
    kCapsule = 2,    // radius, half of the length of its straight part, along z
    kEllipsoid = 3,  // three radii
    kCylinder = 4,   // radius, half of its height, along z
    kBox = 5,        // half of its edges
    kMesh = 6,
    kTerrain = 7,
  };
  Kind kind{};
  Vec3 size;                               // m
  Pose pose;                               // X_WG
  std::string_view name, link, category;   // category: "robot", "object", "ground", "wall" or the model's own word
  std::uint8_t color[4] = {0, 0, 0, 255};  // red, green, blue, opacity; sRGB
  bool visible = true;                     // rays meet it
  std::uint32_t material = 0xffffffffu;    // the same number: the same material of its model; 0xffffffff: none
};

struct Joint {
  std::string_view name;
  double position = 0, velocity = 0;  // rad or m, and per s
};

struct Contact {
  std::string_view part, other;  // of its robot; the other entity, empty: the static world
  Vec3 position, normal, force;  // in W: m; of length 1, towards the robot; N
  double depth = 0;              // m
};

// What a sensor may know at the instant of a sample.
class View {
 public:
  virtual std::int64_t now_ns() const = 0;     // simulated time
  virtual std::uint64_t index() const = 0;     // of the sample, from 0 on; anew after a reset
  virtual std::int64_t period_ns() const = 0;  // as the scenario, or a call, has set it
  virtual Pose pose() const = 0;               // X_WS
  virtual Twist twist() const = 0;             // of S's origin, in W
  virtual Vec3 gravity() const = 0;            // in W, m/s^2
  virtual Entity robot() const = 0;            // its own

  // Chance: pure functions of the run's seed, the robot, the sensor's name, the sample and how many were drawn before.
  virtual double normal() = 0;   // standard normal
  virtual double uniform() = 0;  // in [0, 1)

  // Others whose bounding circle comes within `radius` of the point, by number; its own robot is not among them.
  virtual std::span<const Entity> around(const Vec3& p_W, double radius) = 0;
  // Of types that cast (Facts::casts), else nothing is met and nothing has shapes. Its own robot is met if the scenario has
  // `see_self`. As many hits as rays.
  virtual void cast(std::span<const Ray> rays, std::span<Hit> hits) = 0;
  // Of an entity, or kScene; empty: there is no such entity.
  virtual std::span<const Shape> shapes(WorldNumber number) = 0;

  // Of types that are kMainOnly, else nothing: what its robot knows from inside.
  virtual std::span<const Joint> joints() = 0;
  virtual std::span<const Contact> contacts() = 0;
  virtual Twist command() const = 0;          // that its operator's last command asks for: m/s, rad/s
  virtual double distance() const = 0;        // m driven since it was made or reset
  virtual std::span<std::byte> memory() = 0;  // Facts::memory bytes, as the sample before has left them; first all 0

 protected:
  ~View() = default;
};

// sensor_msgs/LaserScan without its ranges.
struct ScanFrame {
  double angle_min = 0, angle_increment = 0;  // rad, in S; of the first, and from one to the next
  double range_min = 0, range_max = 0;        // m
};

struct Point {
  float x = 0, y = 0, z = 0;  // in S, m
  float intensity = 0;
  std::uint16_t ring = 0;
};

// Takes the sample: one call, of the kind that the type gives. NaN is stored as one pattern; an empty sample is one, too.
class Output {
 public:
  virtual void numbers(std::span<const double> values) = 0;
  virtual void range(double range, double range_min, double range_max, double field_of_view) = 0;  // m, rad
  virtual void scan(const ScanFrame& frame, std::span<const float> ranges, std::span<const float> intensities) = 0;
  virtual void points(std::span<const Point> points) = 0;

 protected:
  ~Output() = default;
};

class Sensor {
 public:
  virtual ~Sensor() = default;
  // What it throws is told once, and the sample is dropped.
  virtual void sample(View& view, Output& out) const = 0;
};

// --- what a library exports; CONVOY_SENSORS writes it

struct Type {
  const char* name;  // as scenarios name it
  struct Maker {
    Facts (*facts)();
    Sensor* (*make)(Parameters& parameters);
    void (*drop)(const Sensor* sensor);
  } maker;
};

struct Types {
  const Type* types;
  std::size_t count;
};

// Of a class with a constructor of Parameters and a static facts().
template <class T>
constexpr Type::Maker maker() {
  return {[] { return T::facts(); }, [](Parameters& parameters) -> Sensor* { return new T(parameters); },
          [](const Sensor* sensor) { delete sensor; }};
}

}  // namespace convoy::sensor

// Changes whenever something above does that compiled code depends on. A host reads it from the file, before any code of
// the library runs, and refuses another one.
#define CONVOY_SENSOR_ABI "convoy sensor 1"

// The types of a library, once in it: CONVOY_SENSORS({"gas", convoy::sensor::maker<Gas>()}, ...)
#define CONVOY_SENSORS(...) CONVOY_EXPORT_TYPES(sensor, CONVOY_SENSOR_ABI, __VA_ARGS__)
