#include "physics/factory.h"

#include "physics/kinematic.h"

namespace convoy {

Status PhysicsFactory::check(const ControllerSpec& controller, const Model& model, const ModelFiles&, Duration) const {
  if (controller.kind == ControllerKind::kRaw) return {};
  return fail(ErrorCode::kUnsupported, "the model '" + model.name + "' has no actuators to control");
}

std::unique_ptr<Physics> KinematicFactory::make(const Model& model, const World&, Duration) const {
  return std::make_unique<KinematicPhysics>(model);
}

Status KinematicFactory::check(const Model& model, const ModelFiles&, Duration) const {
  if (model.files.empty()) return {};
  return fail(ErrorCode::kUnsupported, "model '" + model.name + "' needs MuJoCo, and this build has none");
}

}  // namespace convoy
