// Which physics moves a robot of a model.
#pragma once

#include <memory>

#include "physics/physics.h"

namespace convoy {

// Handed in by src/apps, so that builds without MuJoCo, and the probe, link only what they use.
class PhysicsFactory {
 public:
  virtual ~PhysicsFactory() = default;
  virtual std::unique_ptr<Physics> make(const Model& model) const = 0;
};

class KinematicFactory final : public PhysicsFactory {
 public:
  std::unique_ptr<Physics> make(const Model& model) const override;
};

}  // namespace convoy
