// A sensor of a robot as a scenario describes it: what it is, where it sits, when it samples.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "convoy/geometry.h"
#include "convoy/time.h"
#include "core/fields.h"

namespace convoy {

// Where samples may be computed.
enum class Distribution : std::uint8_t {
  kMainOnly = 0,      // where its robot runs
  kMainOrClient = 1,  // there or on a sensor host; delivered a tick later at least
  kClientOnly = 2,    // on a sensor host, where there is one; delivered likewise
};

inline constexpr std::uint16_t kWholeLoad = 10'000;  // of a machine: loads are in ten-thousandths of one

struct SensorSpec {
  std::string
      name;  // unique in its robot: its address everywhere, the topic of its samples, the beginning of its frame
  std::string type;     // "scan", "imu", ...: docs/sensors.md
  std::string library;  // that has the type: a path; empty: Convoy has
  std::string link;     // of its robot's model, on which it is mounted; empty: the robot's own frame
  Pose X_LS;            // in that link
  Duration period = std::chrono::milliseconds(100);  // from one sample to the next; a tick at least. 0: its type's
  Duration offset{0};                                // of sample 0 from the robot's creation
  Duration latency{0};    // from a sample to its delivery; a tick at least, whatever stands here
  bool see_self = false;  // its beams meet its own robot
  Bytes parameters;  // canonical bytes of its type's model, of a library's type UsersParameters; empty: the default
  std::optional<Distribution> distribution{};  // nothing: what the scenario says of its type, see share_of()
  std::optional<std::uint16_t> load{};         // likewise
  friend bool operator==(const SensorSpec&, const SensorSpec&) = default;
};
template <class V, MaybeConst<SensorSpec> T>
void fields(V& v, T& s) {
  v("name", s.name), v("type", s.type), v("library", s.library), v("link", s.link), v("X_LS", s.X_LS),
      v("period", s.period);
  v("offset", s.offset), v("latency", s.latency), v("see_self", s.see_self), v("parameters", s.parameters);
  later(v, "distribution", s.distribution), later(v, "load", s.load);
}

inline constexpr std::size_t kMaxSensors = 256;              // of one robot
inline constexpr std::size_t kMaxSensorParameters = 65'536;  // bytes
inline constexpr Duration kLongestPeriod = std::chrono::hours(24);

}  // namespace convoy
