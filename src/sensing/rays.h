// What rays of light, sound and radio meet: the port that a ray caster implements.
//
// A hit is a pure function of the shapes, their poses and the beam, in double precision (intersect.h): which bodies else
// there are, in which order they were placed, how many threads cast, and which processor it is change no bit. The
// surfaces of shapes are met from both sides; only visible shapes are.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "convoy/geometry.h"
#include "convoy/ids.h"
#include "shapes/shapes.h"
#include "world/sensor_rules.h"

namespace convoy {

struct Beam {
  Vec3 origin;                 // in W, m
  Vec3 direction;              // in W, of length 1
  double near = 0, far = 100;  // m; what is met within, ends included
  friend bool operator==(const Beam&, const Beam&) = default;
};

// Beams of one origin and of directions in its frame, in W. Directions are made once for a model (directions_of), and
// aimed for each sample.
inline std::vector<Beam> aimed(std::span<const Vec3> directions, const Pose& X_WS, double near, double far) {
  std::vector<Beam> out;
  out.reserve(directions.size());
  for (const Vec3& direction : directions) out.push_back({X_WS.p, rotate(X_WS.q, direction), near, far});
  return out;
}

struct Hit {
  double range = std::numeric_limits<double>::infinity();  // m; infinite: it met nothing
  WorldNumber number = kNoEntity;                          // whose; kNoEntity: the scene's
  std::uint32_t shape = kNoPart;                           // of its Shapes
  std::uint32_t triangle = kNoPart;                        // of a mesh or terrain
  std::uint32_t place = kNoPart;                           // where its field has it
  bool any() const { return shape != kNoPart; }
  friend bool operator==(const Hit&, const Hit&) = default;
};

// Shapes made ready for rays; shared by all bodies that look so. Whoever made it keeps what it needs of the shapes.
class RayModel {
 public:
  virtual ~RayModel() = default;
};

// One entity, or the scene, where it is at an instant.
struct RayBody {
  WorldNumber number = kNoEntity;
  const RayModel* model = nullptr;  // made by the same caster
  std::span<const Pose> X_WL;       // of its links
};

// Bodies at one instant.
class RayField {
 public:
  virtual ~RayField() = default;
  // For each beam the nearest hit; of several at one range that of the lowest (world number, link, shape, triangle).
  // What belongs to `but` is not met. For any number of threads at a time.
  virtual void cast(std::span<const Beam> beams, WorldNumber but, std::span<Hit> hits) const = 0;
  // Of what this field's cast() has met: in W, of length 1, on the side that the beam comes from.
  virtual Vec3 normal(const Beam& beam, const Hit& hit) const = 0;
  // How bright what was met is, 0 to 1 (shapes/brightness.h).
  virtual double brightness(const Hit&) const { return 1; }
};

class RayCaster {
 public:
  virtual ~RayCaster() = default;
  virtual std::shared_ptr<const RayModel> prepare(const Shapes& shapes) = 0;
  // `scene` is what never moves; null: nothing. Bodies and the scene outlive the field.
  virtual std::shared_ptr<const RayField> field(std::shared_ptr<const RayField> scene,
                                                std::span<const RayBody> bodies) = 0;
};

// What makes casters on this machine. Any thread.
class RayCasters {
 public:
  virtual ~RayCasters() = default;
  // kUnsupported: this machine cannot.
  virtual Result<std::unique_ptr<RayCaster>> make(RayIsa isa) const = 0;
};

}  // namespace convoy
