#include "roles/world_facts.h"

#include "roles/entity_details.h"
#include "run/element_effects.h"

namespace convoy {

namespace {

using Json = nlohmann::ordered_json;

Json row(const Vec3& v) { return {v.x, v.y, v.z}; }
Json row(const Quat& q) { return {q.w, q.x, q.y, q.z}; }

// Rows of equal cells are told by their beginnings and lengths: walls are long.
Json solid_of(const MapData& map, bool& cut) {
  Json out = Json::array();
  for (std::uint32_t y = 0; y < map.height; ++y)
    for (std::uint32_t x = 0; x < map.width;) {
      const std::uint8_t* cells = map.cells.data() + std::size_t{y} * map.width;
      const std::uint32_t first = x;
      while (x < map.width && cells[x] != 0) ++x;
      if (x > first) {
        if (out.size() >= kMaxMapRuns) return cut = true, out;
        out.push_back({y, first, x - first});
      } else {
        ++x;
      }
    }
  return out;
}

Json map_of(const World& world, bool& cut) {
  const MapData& map = world.map().data();
  if (map.cells.empty()) return {};
  return {{"width", map.width},           {"height", map.height},
          {"resolution", map.resolution}, {"origin", {map.origin.x, map.origin.y, map.origin.yaw}},
          {"walls", wall_height(map)},    {"solid", solid_of(map, cut)}};
}

Json environment_of(const Environment& e) {
  Json out = environment_facts(e);
  for (const char* name : {"gravity", "wind"})
    if (!out.contains(name)) out[name] = nullptr;
  return out;
}

}  // namespace

Json environment_facts(const Environment& e) {
  Json out{{"fog", e.fog},
           {"rain", e.rain},
           {"wetness", e.wetness},
           {"cloudiness", e.cloudiness},
           {"road_damage", e.road_damage},
           {"time_of_day", e.time_of_day}};
  for (const auto& [name, felt] : {std::pair{"gravity", e.gravity}, {"wind", e.wind}})
    if (felt) out[name] = {felt->x, felt->y, felt->z};
  return out;
}

Json world_facts(Run& run) {
  const World& world = run.world();
  bool cut = false;
  Json models = Json::array();
  Categories categories;
  for (std::uint32_t i = 0; i < world.models().size(); ++i) {
    const Model& model = *world.models()[i];
    models.push_back({{"name", model.name},
                      {"category", categories.of(world, i)},
                      {"mass", model.mass},
                      {"bounds", bounds_of(model)},
                      {"radius", bounding_radius(model)},
                      {"height", model.height},
                      {"engine", model.engine.any() ? Json(model.engine.type) : Json()}});
  }
  Json places = Json::array();
  Setup setup;
  if (run.books().beginning) (void)load(*run.books().beginning, setup);  // the server's own bytes
  for (const EntitySpec& spec : setup.entities) {
    if (places.size() >= kMaxPlaces) {
      cut = true;
      break;
    }
    places.push_back({{"name", spec.name},
                      {"model", spec.model},
                      {"position", row(spec.pose.p)},
                      {"orientation", row(spec.pose.q)},
                      {"host", spec.host.empty() ? Json() : Json(spec.host)}});
  }
  Json map = map_of(world, cut);
  return {{"name", run.setup().name},
          {"seed", run.setup().seed},
          {"tick", seconds(run.setup().tick)},
          {"now", seconds(run.now().time_since_epoch())},
          {"run", run.run()},
          {"mode", run.position().digest ? "lockstep" : "free"},
          {"map", std::move(map)},
          {"environment", environment_of(world.environment())},
          {"models", std::move(models)},
          {"entities", setup.entities.size()},
          {"places", std::move(places)},
          {"cut", cut}};
}

Json element_facts(Run& run) {
  const World& world = run.world();
  Json out = Json::array();
  for (const auto& [key, element] : run.books().elements.inside()) {
    if (out.size() >= kMaxToldElements) break;
    const ElementReach& reach = element.reach;
    const std::optional<Pose> pose = place_of(reach, world, [&](Slot slot) { return run.state(slot).pose; });
    const std::string body = body_name(element.owner, element.id);
    const auto& region = reach.region;
    out.push_back({{"owner", element.owner},
                   {"id", element.id.value()},
                   {"type", element.type},
                   {"stamp", static_cast<double>(element.stamp) * 1e-9},
                   {"position", pose ? row(pose->p) : Json()},
                   {"orientation", pose ? row(pose->q) : Json()},
                   {"parent", reach.parent.empty() ? Json() : Json(reach.parent)},
                   {"radius", reach.radius},
                   {"to", reach.to},
                   {"region", region ? Json{region->x, region->y, region->radius} : Json()},
                   {"entity", world.find(body) == kNoSlot ? Json() : Json(body)}});
  }
  return out;
}

}  // namespace convoy
