// What the sensors of all robots have in common, as a scenario specifies it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "convoy/geometry.h"
#include "core/fields.h"
#include "world/sensor_spec.h"

namespace convoy {

// A place on the Earth: WGS 84.
struct Geodetic {
  double latitude = 0, longitude = 0;  // degrees, north and east
  double altitude = 0;                 // m above the ellipsoid
  friend bool operator==(const Geodetic&, const Geodetic&) = default;
};
template <class V, MaybeConst<Geodetic> T>
void fields(V& v, T& g) {
  v("latitude", g.latitude), v("longitude", g.longitude), v("altitude", g.altitude);
}

// Instruction sets by which rays may be searched for; what they meet is the same with each.
enum class RayIsa : std::uint8_t { kSse42 = 0, kAvx2 = 1, kAvx512 = 2 };
inline const char* name_of(RayIsa isa) {
  switch (isa) {
    case RayIsa::kSse42: return "sse4.2";
    case RayIsa::kAvx2: return "avx2";
    case RayIsa::kAvx512: return "avx512";
  }
  return "";
}

// How much care cameras take; what they show is the same.
enum class PictureQuality : std::uint8_t {
  kPlain = 0,  // as fast as may be: light of the sun and the sky
  kNice = 1,   // shadows, smooth edges, glints, clouds, rain and wet ground
};

// What robots of a model carry.
struct SensorSet {
  std::string model;
  std::vector<SensorSpec> sensors;
  friend bool operator==(const SensorSet&, const SensorSet&) = default;
};
template <class V, MaybeConst<SensorSet> T>
void fields(V& v, T& s) {
  v("model", s.model), v("sensors", s.sensors);
}

// Where sensors of a type may sample, where they do not say it themselves.
struct SensorTypeRule {
  std::string type;
  Distribution distribution = Distribution::kMainOnly;
  std::optional<std::uint16_t> load{};  // nothing: the type's own
  friend bool operator==(const SensorTypeRule&, const SensorTypeRule&) = default;
};
template <class V, MaybeConst<SensorTypeRule> T>
void fields(V& v, T& r) {
  v("type", r.type), v("distribution", r.distribution), v("load", r.load);
}

// By what rule sensors that may sample elsewhere are given to machines.
enum class PlacementPolicy : std::uint8_t {
  kSvl = 0,       // by the loads that are declared, once and for all
  kMeasured = 1,  // by what their samples take
};

struct SensorRules {
  RayIsa isa = RayIsa::kSse42;              // which all hosts must have
  bool digest = false;                      // samples count in the digest, and so are all taken
  bool stagger = false;                     // sensors are spread over their periods by the numbers of their robots
  Geodetic origin;                          // where W's origin is
  Vec3 magnetic_field{0, 2.1e-5, -4.3e-5};  // T, in W (x east, y north): of middle Europe, rounded
  // Robots that come later have these, and those of other models what their models carry, if they are asked for nothing
  // else: where the scenario has a section `sensors`.
  bool by_default = false;
  std::vector<SensorSet> sets;  // that the scenario gives its models
  PictureQuality pictures = PictureQuality::kPlain;
  std::vector<SensorTypeRule> types{};  // one of a type at most
  PlacementPolicy policy = PlacementPolicy::kSvl;
  friend bool operator==(const SensorRules&, const SensorRules&) = default;
};
template <class V, MaybeConst<SensorRules> T>
void fields(V& v, T& r) {
  v("isa", r.isa), v("digest", r.digest), v("stagger", r.stagger), v("origin", r.origin),
      v("magnetic_field", r.magnetic_field);
  v("by_default", r.by_default), v("sets", r.sets);
  later(v, "pictures", r.pictures), later(v, "types", r.types), later(v, "policy", r.policy);
}

}  // namespace convoy
