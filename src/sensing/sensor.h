// A sensor of any type: made of its spec, and asked for samples.
//
//   auto sensor = make_sensor(spec);                  // its parameters are checked
//   SampleData data = (*sensor)->sample({.X_WS = ..., .field = field, .key = {seed, robot, spec.name, n}});
//
// A sample is a pure function of what stands in the view. Nothing is kept from one to the next.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "convoy/result.h"
#include "sensing/rays.h"
#include "sensing/samples.h"
#include "world/sensor_spec.h"
#include "world/world.h"

namespace convoy {

// What a sensor may know at the instant of a sample. S is its frame.
struct SensorView {
  Pose X_WS;
  Twist v_WS_W;                     // of S's origin, in W
  Vec3 a_WS_W;                      // m/s^2
  Vec3 gravity{0, 0, -9.81};        // in W, m/s^2
  const World* world = nullptr;     // whose snapshot is that of the instant
  const RayField* field = nullptr;  // what rays meet then; of types that cast some
  bool see_self = false;
  const SensorRules* rules = nullptr;
  SampleKey key;
};

class Sensor {
 public:
  virtual ~Sensor() = default;
  virtual SampleData sample(const SensorView& view) const = 0;
};

// What all sensors of a type have in common.
struct SensorType {
  const char* name;
  const char* message;       // of ROS, that its samples become
  bool rays;                 // casts some
  bool immediate;            // delivered in the instant of the sample; others a tick later at least
  bool acceleration;         // needs a_WS_W
  Bytes (*default_model)();  // canonical bytes
  Result<std::unique_ptr<const Sensor>> (*make)(ByteView model);
};
std::span<const SensorType> sensor_types();
const SensorType* find_sensor_type(std::string_view name);  // null: there is none
std::vector<std::string> sensor_type_names();

// Errors: an unknown type, and what is wrong with its parameters.
Result<std::unique_ptr<const Sensor>> make_sensor(const SensorSpec& spec);

// Sensors of one type and the same parameters are one: it has no state.
class SensorBook {
 public:
  Result<std::shared_ptr<const Sensor>> of(const SensorSpec& spec);

 private:
  std::map<std::pair<std::string, Bytes>, std::shared_ptr<const Sensor>> known_;
};

// Where a sensor may be mounted: the names of the links.
Status check_mount(const SensorSpec& spec, const Shapes& shapes);

}  // namespace convoy
