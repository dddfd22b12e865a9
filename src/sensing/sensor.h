// A sensor of any type: made of its spec, and asked for samples.
//
//   auto sensor = make_sensor(spec);                  // its parameters are checked
//   SampleData data = (*sensor)->sample({.X_WS = ..., .field = field, .key = {seed, robot, spec.name, n}});
//
// A sample is a pure function of what stands in the view, and of its memory where its type remembers.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "convoy/result.h"
#include "sensing/samples.h"
#include "sensing/sensor_view.h"
#include "world/sensor_spec.h"

namespace convoy {

class Sensor {
 public:
  virtual ~Sensor() = default;
  // `memory`: of types that remember, what the sample before has left; empty before the first. Others leave it alone.
  virtual SampleData sample(const SensorView& view, Bytes& memory) const = 0;
  SampleData sample(const SensorView& view) const {
    Bytes none;
    return sample(view, none);
  }
  // How long before the instant of a sample it began: the stamp is of then.
  virtual Duration sweep() const { return Duration(0); }
  // What is wrong with it on this robot, seen once it is there; empty: nothing.
  virtual std::string problem(const RobotInside&) const { return {}; }
};

// How sensors of a type work.
struct SensorTraits {
  bool rays = false;          // casts some
  bool immediate = false;     // delivered in the instant of the sample; others a tick later at least
  bool acceleration = false;  // needs a_WS_W
  bool main_only = false;     // needs what its robot knows from inside, and samples where that runs
  bool remembers = false;     // a sample depends on the one before: all are taken, whether somebody wants them or not
  bool placed = true;         // is somewhere on its robot
};

// What all sensors of a type have in common.
struct SensorType {
  const char* name;
  const char* message;  // of ROS, that its samples become
  SensorTraits traits;
  Duration period;           // where none is asked for
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
