#include "adapters/ros2/entity_selection.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "shapes/shapes.h"

namespace convoy::ros2 {

namespace {

using simulation_interfaces::msg::EntityCategory;
using simulation_interfaces::msg::EntityFilters;
using simulation_interfaces::msg::TagsFilter;

constexpr std::array<std::pair<std::string_view, std::uint8_t>, 6> kWords{
    {{"robot", EntityCategory::CATEGORY_ROBOT},
     {"human", EntityCategory::CATEGORY_HUMAN},
     {"person", EntityCategory::CATEGORY_HUMAN},
     {"pedestrian", EntityCategory::CATEGORY_HUMAN},
     {"dynamic_object", EntityCategory::CATEGORY_DYNAMIC_OBJECT},
     {"static_object", EntityCategory::CATEGORY_STATIC_OBJECT}}};

std::uint8_t category_of(const Model& model, const ModelFiles& files) {
  const auto shapes = shapes_of(model, files);
  if (!shapes) return EntityCategory::CATEGORY_OBJECT;
  // Whoever imported its file did not know that it has an engine.
  if (model.engine.any() && shapes->category == "object") return EntityCategory::CATEGORY_ROBOT;
  const auto word =
      std::find_if(kWords.begin(), kWords.end(), [&](const auto& w) { return w.first == shapes->category; });
  return word == kWords.end() ? EntityCategory::CATEGORY_OBJECT : word->second;
}

}  // namespace

std::uint8_t EntityCategories::of(const World& world, const Entity& entity) {
  const auto [at, fresh] = known_.try_emplace(world.models()[entity.model]);
  if (fresh) at->second = category_of(*at->first, world.files());
  return at->second;
}

bool has_tags(const std::vector<std::string>& tags, const TagsFilter& filter) {
  const auto has = [&](const std::string& tag) { return std::find(tags.begin(), tags.end(), tag) != tags.end(); };
  if (filter.tags.empty()) return true;
  return filter.filter_mode == TagsFilter::FILTER_MODE_ALL ? std::all_of(filter.tags.begin(), filter.tags.end(), has)
                                                           : std::any_of(filter.tags.begin(), filter.tags.end(), has);
}

EntitySelection::EntitySelection() = default;
EntitySelection::EntitySelection(EntitySelection&&) noexcept = default;
EntitySelection::~EntitySelection() = default;

Result<EntitySelection> EntitySelection::make(const EntityFilters& filters) {
  EntitySelection out;
  out.filters_ = filters;
  if (filters.tags.filter_mode > TagsFilter::FILTER_MODE_ALL)
    return fail(ErrorCode::kInvalid, "tags are filtered by any or by all of them");
  auto region = region_of(filters.bounds);
  if (!region) return tl::unexpected(region.error());
  out.region_ = *region;
  if (filters.filter.empty()) return out;
  if (filters.filter.size() > kMaxExpression)
    return fail(ErrorCode::kInvalid, "a regular expression has at most 1000 bytes");
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(std::int64_t{1} << 20);
  out.name_ = std::make_unique<RE2>(filters.filter, options);
  if (out.name_->ok()) return out;
  return fail(ErrorCode::kInvalid,
              "'" + filters.filter.substr(0, 140) + "' is no regular expression: " + out.name_->error());
}

bool EntitySelection::passes(const World& world, Slot slot, EntityCategories& categories) const {
  const Entity& entity = world.entity(slot);
  if (name_ && !RE2::FullMatch(entity.name, *name_)) return false;
  if (!has_tags(entity.kind->tags, filters_.tags)) return false;
  if (!filters_.categories.empty()) {
    const std::uint8_t category = categories.of(world, entity);
    if (std::none_of(filters_.categories.begin(), filters_.categories.end(),
                     [&](const EntityCategory& c) { return c.category == category; }))
      return false;
  }
  return touches(body_of(world.model_of(slot)), world.snapshot().state(slot).pose, region_);
}

}  // namespace convoy::ros2
