#include "physics/factory.h"

#include "physics/kinematic.h"

namespace convoy {

Status PhysicsFactory::check(const ControllerSpec& controller, const Model& model, const ModelFiles&, Duration) const {
  if (controller.kind == ControllerKind::kRaw) return {};
  return fail(ErrorCode::kUnsupported, "the model '" + model.name + "' has no actuators to control");
}

void add_footprint(const Neighbour& neighbour, std::vector<MetBody>& out) {
  const Model& model = *neighbour.model;
  if (!has_body(model)) return;
  MetBody& body = out.emplace_back();
  body.number = neighbour.number, body.X_WB = neighbour.state->pose;
  if (!neighbour.held) body.v_WB_W = neighbour.state->twist;
  body.mass = model.mass;
  MetShape& hull = body.shapes.emplace_back();
  hull.kind = MetShape::Kind::kHull;
  for (const double z : {0.0, model.height})
    for (const Vec2& corner : model.footprint) hull.corners.push_back({corner.x, corner.y, z});
}

std::unique_ptr<Physics> KinematicFactory::make(const Model& model, const World&, Duration) const {
  return std::make_unique<KinematicPhysics>(model);
}

Status KinematicFactory::check(const Model& model, const ModelFiles&, Duration) const {
  if (model.files.empty()) return {};
  return fail(ErrorCode::kUnsupported, "model '" + model.name + "' needs MuJoCo, and this build has none");
}

}  // namespace convoy
