#include "physics/factory.h"

#include "physics/kinematic.h"

namespace convoy {

std::unique_ptr<Physics> KinematicFactory::make(const Model& model) const {
  return std::make_unique<KinematicPhysics>(model);
}

}  // namespace convoy
