// What list and get tell of entities besides their names and poses, and which entities a list is about.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "convoy/control.pb.h"
#include "run/run.h"

namespace re2 {
class RE2;
}

namespace convoy {

inline constexpr std::size_t kMaxExpression = 1000;  // bytes of a regular expression
// More of them fit into no answer, and putting them together would hold the server up.
inline constexpr std::size_t kMaxDetails = 5000;

// What models are, for segmentation and for people: "robot", "object" or a word of the user's. Each model's shapes are read
// once.
class Categories {
 public:
  const std::string& of(const World& world, const Entity& entity) { return of(world, entity.model); }
  const std::string& of(const World& world, std::uint32_t model);  // its place among the world's

 private:
  std::map<std::uint32_t, std::string> known_;  // by model
};

// The box about a model's footprint and height, in its frame: low and high corner, m; null: it has no body.
nlohmann::ordered_json bounds_of(const Model& model);

// Which entities a list asks for.
class EntityFilter {
 public:
  // kInvalid: the expression is none, or too large; the region ends before it begins.
  static Result<EntityFilter> make(const proto::List& wanted);
  EntityFilter(EntityFilter&&) noexcept;
  ~EntityFilter();
  bool passes(Run& run, Slot slot);

 private:
  EntityFilter();
  proto::List wanted_;
  std::unique_ptr<re2::RE2> name_;  // null: any
  Categories categories_;
};

// Number, model, category, tags, namespace, frame, owner (the host that runs it; null: nobody), parent, children, frozen,
// holder (of a lease; null: nobody), engine (of a user's; null: Convoy's own), mass (kg), bounds (of its footprint and
// height, in its frame: low and high corner, m), radius (of the sphere about its place that holds it, m), position (m, in W), orientation
// (w, x, y, z), joints {name: {position, velocity}}. All in one go: a list goes through the world once.
std::vector<nlohmann::ordered_json> details_of(Run& run, std::span<const Slot> slots);

}  // namespace convoy
