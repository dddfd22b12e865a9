#include "roles/entity_details.h"

#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "shapes/shapes.h"

namespace convoy {

using Json = nlohmann::ordered_json;

EntityFilter::EntityFilter() = default;
EntityFilter::EntityFilter(EntityFilter&&) noexcept = default;
EntityFilter::~EntityFilter() = default;

Result<EntityFilter> EntityFilter::make(const proto::List& wanted) {
  EntityFilter out;
  out.wanted_ = wanted;
  if (!wanted.name().empty()) {
    if (wanted.name().size() > kMaxExpression)
      return fail(ErrorCode::kInvalid, "a regular expression has at most 1000 bytes");
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(std::int64_t{1} << 20);
    out.name_ = std::make_unique<RE2>(wanted.name(), options);
    if (!out.name_->ok())
      return fail(ErrorCode::kInvalid,
                  "'" + wanted.name().substr(0, 140) + "' is no regular expression: " + out.name_->error());
  }
  if (wanted.has_region()) {
    const proto::Region& region = wanted.region();
    if (!(region.x_min() <= region.x_max() && region.y_min() <= region.y_max()))
      return fail(ErrorCode::kInvalid, "a region is x and y of its lower corner, then of its upper one");
  }
  return out;
}

const std::string& Categories::of(const World& world, std::uint32_t number) {
  const auto [at, fresh] = known_.try_emplace(number);
  if (fresh) {
    const Model& model = *world.models()[number];
    const auto shapes = shapes_of(model, world.files());
    if (shapes) at->second = shapes->category;
    // Whoever imported its file did not know that it has an engine.
    if (model.engine.any() && at->second == "object") at->second = "robot";
  }
  return at->second;
}

Json bounds_of(const Model& model) {
  if (!has_body(model)) return {};
  double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
  for (const Vec2& corner : model.footprint) {
    low[0] = std::min(low[0], corner.x), low[1] = std::min(low[1], corner.y);
    high[0] = std::max(high[0], corner.x), high[1] = std::max(high[1], corner.y);
  }
  return {{"low", {low[0], low[1], 0.0}}, {"high", {high[0], high[1], model.height}}};
}

bool EntityFilter::passes(Run& run, Slot slot) {
  const Entity& entity = run.world().entity(slot);
  if (!entity.name.starts_with(wanted_.prefix())) return false;
  if (!wanted_.model().empty() && entity.kind->model != wanted_.model()) return false;
  for (const std::string& tag : wanted_.tags())
    if (std::find(entity.kind->tags.begin(), entity.kind->tags.end(), tag) == entity.kind->tags.end()) return false;
  if (name_ && !RE2::FullMatch(entity.name, *name_)) return false;
  if (!wanted_.category().empty() && categories_.of(run.world(), entity) != wanted_.category()) return false;
  if (!wanted_.has_region()) return true;
  const Vec3 p = run.state(slot).pose.p;
  const proto::Region& region = wanted_.region();
  return p.x >= region.x_min() && p.x <= region.x_max() && p.y >= region.y_min() && p.y <= region.y_max();
}

std::vector<Json> details_of(Run& run, std::span<const Slot> slots) {
  const World& world = run.world();
  Categories categories;
  std::map<WorldNumber, Json> children;
  for (const Entity& entity : world.entities())
    if (entity.parent != kNoEntity) {
      Json& names = children[entity.parent];
      if (names.is_null()) names = Json::array();
      names.push_back(entity.name);
    }
  std::vector<Json> out;
  for (const Slot slot : slots) {
    const Entity& entity = world.entity(slot);
    const Model& model = world.model_of(slot);
    const auto host = run.hosts().find(entity.owner);
    const auto carried = children.find(entity.number);
    const State state = run.state(slot);
    const auto& [p, q] = state.pose;
    Json joints = Json::object();
    const std::span<const double> tail = world.joints(slot);
    for (std::size_t i = 0; i < model.joints.size(); ++i)
      joints[model.joints[i]] = {{"position", tail[i]}, {"velocity", tail[model.joints.size() + i]}};
    out.push_back(
        {{"name", entity.name},
         {"number", entity.number.value()},
         {"model", entity.kind->model},
         {"category", categories.of(world, entity)},
         {"tags", entity.kind->tags},
         {"namespace", entity.kind->ns.empty() ? entity.name : entity.kind->ns},
         {"frame", entity.kind->frame.empty() ? "base_footprint" : entity.kind->frame},
         {"owner", host == run.hosts().end() ? Json() : Json(host->second.name)},
         {"parent", entity.parent == kNoEntity ? Json() : Json(world.entity(world.slot_of(entity.parent)).name)},
         {"children", carried == children.end() ? Json::array() : carried->second},
         {"frozen", entity.frozen},
         {"holder", holder_of(world, entity.number).empty() ? Json() : Json(holder_of(world, entity.number))},
         {"engine", model.engine.any() ? Json(model.engine.type) : Json()},
         {"mass", model.mass},
         {"bounds", bounds_of(model)},
         {"radius", bounding_radius(model)},
         {"position", {p.x, p.y, p.z}},
         {"orientation", {q.w, q.x, q.y, q.z}},
         {"joints", std::move(joints)}});
  }
  return out;
}

}  // namespace convoy
