#include "scenario/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "core/math.h"
#include "core/random.h"
#include "scenario/reach.h"
#include "world/state.h"

namespace convoy::scenario {

namespace {

const Model& model_of(const Setup& setup, const EntitySpec& entity) {
  const auto model =
      std::find_if(setup.models.begin(), setup.models.end(), [&](const Model& m) { return m.name == entity.model; });
  EXPECTS(model != setup.models.end());
  return *model;
}

Pose ground_pose(double x, double y, double yaw) { return {{x, y, 0}, from_yaw(math::wrap_angle(yaw))}; }

Pose fixed_pose(const PlacementDraft& placement, std::size_t index, std::size_t size) {
  if (placement.poses) {
    const std::vector<double>& row = placement.poses->poses[index];
    return ground_pose(row[0], row[1], row[2]);
  }
  const GridPlacement& grid = *placement.grid;
  const auto square = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(size))));
  const std::size_t columns = grid.columns ? grid.columns : std::max<std::size_t>(square, 1);
  return ground_pose(grid.origin[0] + grid.spacing[0] * static_cast<double>(index % columns),
                     grid.origin[1] + grid.spacing[1] * static_cast<double>(index / columns), grid.yaw);
}

// A rectangle to draw places from: of the world, or of the map in its own frame.
struct Field {
  double min_x, min_y, max_x, max_y;
  bool in_map;
};

class RandomPlaces {
 public:
  // `reach`: only places of its part `part`; null: of any.
  RandomPlaces(const StaticMap& map, const Field& field, Circles& taken, const Reach* reach, std::uint32_t part)
      : map_(map), field_(field), taken_(taken), reach_(reach), part_(part) {}

  // The middle of a free circle: drawn at random, and if that fails, searched for from a random place on.
  std::optional<Vec2> find(Random& random, double radius) {
    for (int i = 0; i < kRandomTries; ++i) {
      const double x = random.uniform(field_.min_x, field_.max_x), y = random.uniform(field_.min_y, field_.max_y);
      const Vec2 place = in_world(x, y);
      if (free(place, radius)) return place;
    }
    const double width = field_.max_x - field_.min_x, height = field_.max_y - field_.min_y;
    const double step = std::max(radius / 4, std::sqrt(width * height / static_cast<double>(kMaxScanned)));
    const auto cols = static_cast<std::uint64_t>(width / step) + 1,
               rows = static_cast<std::uint64_t>(height / step) + 1;
    const std::uint64_t all = cols * rows, first = random.below(all);
    for (std::uint64_t i = 0; i < all; ++i) {
      const std::uint64_t at = (first + i) % all;
      const Vec2 place = in_world(std::min(field_.min_x + static_cast<double>(at % cols) * step, field_.max_x),
                                  std::min(field_.min_y + static_cast<double>(at / cols) * step, field_.max_y));
      if (free(place, radius)) return place;
    }
    return {};
  }

 private:
  Vec2 in_world(double x, double y) const { return field_.in_map ? map_.to_world(x, y) : Vec2{x, y}; }
  bool free(Vec2 place, double radius) const {
    const Vec2 m = map_.to_map(place.x, place.y);
    return (map_.empty() || map_.clearance(m.x, m.y) >= radius) && taken_.clear(place.x, place.y, radius) &&
           (!reach_ || reach_->part_at(place.x, place.y) == part_);
  }

  const StaticMap& map_;
  Field field_;
  Circles& taken_;
  const Reach* reach_;
  std::uint32_t part_;
};

Result<Field> field_of(const Group& group, const StaticMap& map) {
  if (const auto& r = group.placement.random.region) return Field{(*r)[0], (*r)[1], (*r)[2], (*r)[3], false};
  if (map.empty())
    return fail(ErrorCode::kInvalid, "random placement needs a map, a ground, or a region", group.placement_where);
  const MapData& data = map.data();
  return Field{0, 0, data.width * data.resolution, data.height * data.resolution, true};
}

Status place_random(const Group& group, std::size_t first, std::size_t size, const StaticMap& map, Setup& setup,
                    Circles& taken) {
  if (size == 0) return {};
  const Result<Field> field = field_of(group, map);
  if (!field) return tl::unexpected(field.error());
  const RandomPlacement& rules = group.placement.random;
  const double radius = circumscribed_radius(model_of(setup, setup.entities[first]));
  std::optional<Reach> reach;
  std::uint32_t part = 0;
  if (rules.reachable_from && !map.empty()) {
    const Vec2 from = *rules.reachable_from;
    part = reach.emplace(map, radius, Room::kSurely).part_at(from.x, from.y);
    if (part == 0)
      return fail(ErrorCode::kInvalid,
                  fmt::format("reachable_from [{:g}, {:g}] is outside the map or nearer to a wall than {:.3g} m, the "
                              "radius of '{}'",
                              from.x, from.y, radius, setup.entities[first].model),
                  group.placement_where);
  }
  RandomPlaces places(map, *field, taken, reach ? &*reach : nullptr, part);
  for (std::size_t i = 0; i < size; ++i) {
    EntitySpec& entity = setup.entities[first + i];
    Random random{stream_key(rules.seed.value_or(setup.seed), first + i + 1, "placement")};
    const double yaw = rules.yaw ? *rules.yaw : random.uniform(-math::kPi, math::kPi);
    const std::optional<Vec2> place = places.find(random, radius + rules.margin);
    if (!place)
      return fail(
          ErrorCode::kInvalid,
          fmt::format("no free place for '{}', number {} of {}: a circle of radius {:.3g} m and {:.3g} m of margin "
                      "fits nowhere",
                      entity.name, i + 1, size, radius, rules.margin),
          group.placement_where);
    entity.pose = ground_pose(place->x, place->y, yaw);
    taken.add(place->x, place->y, radius);
  }
  return {};
}

}  // namespace

Circles::Key Circles::key(double x, double y) const {
  return {static_cast<std::int64_t>(std::floor(x / cell_)), static_cast<std::int64_t>(std::floor(y / cell_))};
}

bool Circles::overlaps(const std::vector<Circle>& circles, double x, double y, double radius) {
  return std::any_of(circles.begin(), circles.end(), [&](const Circle& c) {
    const double dx = x - c.x, dy = y - c.y, apart = radius + c.radius;
    return dx * dx + dy * dy < apart * apart;
  });
}

bool Circles::clear(double x, double y, double radius) const {
  const double reach = radius + cell_ / 2;
  const Key low = key(x - reach, y - reach), high = key(x + reach, y + reach);
  const auto near = static_cast<std::uint64_t>((high.first - low.first + 1) * (high.second - low.second + 1));
  if (near > cells_.size())  // a wide margin around small robots: all of them are fewer than the cells
    return std::none_of(cells_.begin(), cells_.end(),
                        [&](const auto& cell) { return overlaps(cell.second, x, y, radius); });
  for (std::int64_t row = low.second; row <= high.second; ++row) {
    for (std::int64_t col = low.first; col <= high.first; ++col) {
      const auto cell = cells_.find({col, row});
      if (cell != cells_.end() && overlaps(cell->second, x, y, radius)) return false;
    }
  }
  return true;
}

std::vector<Error> place(const std::vector<Group>& groups, const std::vector<std::size_t>& sizes, const StaticMap& map,
                         Setup& setup) {
  double largest = 0;
  for (const Model& model : setup.models) largest = std::max(largest, circumscribed_radius(model));
  Circles taken(largest);

  std::size_t first = 0;
  for (std::size_t g = 0; g < groups.size(); first += sizes[g++]) {
    if (is_random(groups[g].placement) || sizes[g] == 0) continue;
    const Model& model = model_of(setup, setup.entities[first]);
    if (!has_body(model)) continue;
    for (std::size_t i = 0; i < sizes[g]; ++i) {
      EntitySpec& entity = setup.entities[first + i];
      entity.pose = fixed_pose(groups[g].placement, i, sizes[g]);
      taken.add(entity.pose.p.x, entity.pose.p.y, circumscribed_radius(model));
    }
  }
  std::vector<Error> errors;
  first = 0;
  for (std::size_t g = 0; g < groups.size(); first += sizes[g++]) {
    if (!is_random(groups[g].placement)) continue;
    if (const Status s = place_random(groups[g], first, sizes[g], map, setup, taken); !s) errors.push_back(s.error());
  }
  first = 0;
  for (std::size_t g = 0; g < groups.size(); first += sizes[g++])
    for (std::size_t i = 0; i < sizes[g]; ++i)
      if (groups[g].placement.z) setup.entities[first + i].pose.p.z = *groups[g].placement.z;
  return errors;
}

}  // namespace convoy::scenario
