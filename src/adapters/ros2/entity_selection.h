// Which entities a program asks for: simulation_interfaces/EntityFilters, all of whose parts must let one through.
#pragma once

#include <map>
#include <memory>
#include <simulation_interfaces/msg/entity_filters.hpp>

#include "adapters/ros2/bounds.h"
#include "world/world.h"

namespace re2 {
class RE2;
}

namespace convoy::ros2 {

inline constexpr std::size_t kMaxExpression = 1000;  // bytes of a regular expression

// What kind of thing models are, as their shapes say: "robot", "human", "person", "pedestrian", "dynamic_object" and
// "static_object" have a category of their own, all else is an object. Each model's shapes are read once.
class EntityCategories {
 public:
  std::uint8_t of(const World& world, const Entity& entity);  // one of EntityCategory's

 private:
  std::map<std::shared_ptr<const Model>, std::uint8_t> known_;
};

// One of the tags or all of them, as the filter says; no tags: any thing has them.
bool has_tags(const std::vector<std::string>& tags, const simulation_interfaces::msg::TagsFilter& filter);

class EntitySelection {
 public:
  // kUnsupported: bounds that are a hull; kInvalid: what is no expression, mode or region.
  static Result<EntitySelection> make(const simulation_interfaces::msg::EntityFilters& filters);
  EntitySelection(EntitySelection&&) noexcept;
  ~EntitySelection();
  bool passes(const World& world, Slot slot, EntityCategories& categories) const;

 private:
  EntitySelection();
  simulation_interfaces::msg::EntityFilters filters_;
  std::unique_ptr<re2::RE2> name_;  // null: any
  Region region_;
};

}  // namespace convoy::ros2
