#include "adapters/web/scene_book.h"

#include <fmt/format.h>

#include "core/hash.h"
#include "roles/entity_details.h"
#include "shapes/gltf/gltf.h"
#include "shapes/scene.h"
#include "world/world_model.h"

namespace convoy::web {

namespace {

using Json = nlohmann::json;

Json row(const Vec3& v) { return {v.x, v.y, v.z}; }
Json row(const Pose& X) { return {X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z}; }

Json link_json(const Link& link) {
  Json joints = Json::array();
  for (const LinkJoint& j : link.joints)
    joints.push_back({{"type", static_cast<int>(j.type)},
                      {"at", j.at},
                      {"anchor", row(j.anchor)},
                      {"axis", row(j.axis)},
                      {"zero", j.zero},
                      {"lead", j.lead}});
  return {{"name", link.name},
          {"base", static_cast<int>(link.base)},
          {"parent", link.parent == kNoPart ? -1 : static_cast<int>(link.parent)},
          {"at", link.at},
          {"X", row(link.X_PL)},
          {"joints", std::move(joints)}};
}

}  // namespace

void SceneBook::begin(const Setup& setup, const World& world) {
  scene_ = {{"glb", nullptr}, {"bounds", nullptr}, {"models", Json::array()}};
  Scenery all = scenery_of(setup, world.model(kWorldModel));
  all.inside_of_walls = true;  // they are looked at from above
  auto scenery = shapes_of_scene(all, world.files());
  // Pages draw a ground without end themselves.
  const auto endless = [](const Shape& s) { return s.kind == Shape::Kind::kPlane && s.size.x == 0 && s.size.y == 0; };
  if (scenery) std::erase_if(scenery->shapes, endless);
  if (scenery) scene_["glb"] = keep("scene", *scenery, "scene");
  else log_.line(LogLevel::kWarn, "what never moves is not shown: " + scenery.error().message());
  if (const MapData& map = setup.map; map.width > 0)
    scene_["bounds"] = {map.origin.x, map.origin.y, map.origin.x + map.width * map.resolution,
                        map.origin.y + map.height * map.resolution};
  fresh_ = true;
}

bool SceneBook::follow(const World& world) {
  Json& models = scene_["models"];
  const bool more = models.size() < world.models().size();
  while (models.size() < world.models().size()) models.push_back(model_json(world, models.size()));
  return std::exchange(fresh_, false) || more;
}

// The path of its file, or null where nothing of it is to be seen.
Json SceneBook::keep(const char* folder, const Shapes& shapes, const std::string& name) {
  std::vector<Pose> X_WL;
  place_links(shapes, {}, X_WL);
  const auto glb = to_glb(std::vector<SceneItem>{{name, &shapes, X_WL}});
  if (!glb) {
    log_.line(LogLevel::kWarn, "'" + name + "' is not shown: " + glb.error().message());
    return nullptr;
  }
  std::string path = fmt::format("/{}/{:016x}.glb", folder, hash64(*glb));
  files_.emplace(path, std::make_shared<const Bytes>(*glb));
  return path;
}

Json SceneBook::model_json(const World& world, std::size_t index) {
  const Model& model = *world.models()[index];
  Json keyframes = Json::array();
  for (const Model::Keyframe& one : model.keyframes) keyframes.push_back(one.name);
  Json out{{"index", index},
           {"name", model.name},
           {"category", ""},
           {"glb", nullptr},
           {"radius", circumscribed_radius(model)},
           {"height", model.height},
           {"bounds", Json::parse(bounds_of(model).dump())},
           {"fixed_base", false},
           {"joints", model.joints},
           {"actuators", model.actuators},
           {"bodies", model.bodies},
           {"keyframes", std::move(keyframes)},
           {"max_speed", model.max_speed},
           {"max_turn", model.max_turn_rate},
           {"links", Json::array()}};
  const auto shapes = book_.of(world.models()[index], world.files());
  if (!shapes) {
    log_.line(LogLevel::kWarn, "'" + model.name + "' is not shown: " + shapes.error().message());
    return out;
  }
  out["category"] = (*shapes)->category, out["fixed_base"] = (*shapes)->fixed_base;
  if (!(*shapes)->shapes.empty()) out["glb"] = keep("models", **shapes, model.name);
  for (const Link& link : (*shapes)->links) out["links"].push_back(link_json(link));
  return out;
}

}  // namespace convoy::web
