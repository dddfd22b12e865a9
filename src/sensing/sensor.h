// A sensor of any type: made of its spec, and asked for samples.
//
//   auto sensor = make_sensor(spec);                  // its parameters are checked
//   SampleData data = (*sensor)->sample({.X_WS = ..., .field = field, .key = {seed, robot, spec.name, n}});
//
// A sample is a pure function of what stands in the view, and of its memory where its type remembers.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "convoy/result.h"
#include "sensing/samples.h"
#include "sensing/sensor_view.h"
#include "world/code_file.h"
#include "world/entity_spec.h"
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
  // Of types that take pictures: what is to be drawn for it.
  virtual Shot shot(const SensorView&) const { return {}; }
  // What is wrong with it on this robot, seen once it is there; empty: nothing.
  virtual std::string problem(const RobotInside&) const { return {}; }
};

// How sensors of a type work.
struct SensorTraits {
  // kMainOnly: its samples are delivered in their instant, unless the scenario lets it sample elsewhere.
  Distribution distribution = Distribution::kMainOrClient;
  std::uint16_t load = kWholeLoad / 2;  // of a machine
  bool rays = false;                    // casts some
  bool pictures = false;                // takes some
  bool acceleration = false;            // needs a_WS_W
  bool inside = false;                  // needs what its robot knows from inside; main_only
  bool remembers = false;  // a sample depends on the one before: all are taken, whether somebody wants them or not
  bool placed = true;      // is somewhere on its robot
  bool between = false;    // samples at physics steps, between boundaries: needs nothing but where its robot is
  bool at_once() const { return distribution == Distribution::kMainOnly; }
  // Its samples need what only the machine has that runs its robot.
  bool stays() const { return inside || acceleration || remembers; }
};

// What all sensors of a type have in common.
struct SensorType {
  const char* name;
  const char* message;  // of ROS, that its samples become
  SensorTraits traits;
  Duration period;           // where none is asked for
  Bytes (*default_model)();  // canonical bytes
  Result<std::unique_ptr<const Sensor>> (*make)(const SensorType& self, ByteView model);
  const char* like;  // the type of Convoy's own whose samples are of the same kind
};
std::span<const SensorType> sensor_types();
const SensorType* find_sensor_type(std::string_view name);  // null: there is none
std::vector<std::string> sensor_type_names();

// Types that users' libraries have. Handed in by src/apps; called from one thread at a time.
class UsersSensors {
 public:
  virtual ~UsersSensors() = default;
  // Loads the library, for good, if it may be loaded. Errors: it may not, it is of another build, it has no such type.
  virtual Result<const SensorType*> find(const std::string& library, const std::string& type, CodeSource source) = 0;
  // What these sensors are made of on this machine, each file once; with an error of the first library that is not there.
  virtual std::vector<CodeFile> code_of(std::span<const SensorSpec> sensors, std::optional<Error>& missing) = 0;
};

// Sensors of one type and the same parameters are one: it has no state.
class SensorBook {
 public:
  explicit SensorBook(UsersSensors* users = nullptr) : users_(users) {}
  // Errors: an unknown type, and what find() has against it.
  Result<const SensorType*> type_of(const SensorSpec& spec, CodeSource source = CodeSource::kSpawn) const;
  // The same, and what is wrong with its parameters.
  Result<std::shared_ptr<const Sensor>> of(const SensorSpec& spec, CodeSource source = CodeSource::kSpawn);

 private:
  UsersSensors* users_;
  std::map<std::pair<const SensorType*, Bytes>, std::shared_ptr<const Sensor>> known_;
};

// Of one of Convoy's own types.
inline Result<std::shared_ptr<const Sensor>> make_sensor(const SensorSpec& spec) { return SensorBook().of(spec); }

// The first of these robots' sensors that works so, with its robot; null: none does.
struct SensorOnRobot {
  const EntitySpec* robot = nullptr;
  const SensorSpec* sensor = nullptr;
};
SensorOnRobot first_that(std::span<const EntitySpec> robots, const SensorBook& types, bool SensorTraits::*works);

// Where a sensor may be mounted: the names of the links.
Status check_mount(const SensorSpec& spec, const Shapes& shapes);

}  // namespace convoy
