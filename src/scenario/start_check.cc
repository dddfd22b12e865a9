#include "scenario/start_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "physics/footprint.h"
#include "scenario/overlaps.h"
#include "scenario/reach.h"
#include "world/world_model.h"

namespace convoy::scenario {

namespace {

// What one group has of one kind of trouble: how much, and the first few by name.
struct Found {
  std::uint64_t count = 0;
  std::vector<std::string> named;

  void add(std::string name) {
    if (++count <= kMaxNamed) named.push_back(std::move(name));
  }
  // "'a', 'b' and 7 more"
  std::string text() const {
    return fmt::format("{}{}", fmt::join(named, ", "),
                       count > named.size() ? fmt::format(" and {} more", count - named.size()) : "");
  }
};

// The warnings of one kind, a line for each of the first groups.
class Lines {
 public:
  explicit Lines(std::vector<std::string>& out, const char* kind) : out_(out), kind_(kind) {}
  ~Lines() {
    if (more_ > 0) out_.push_back(fmt::format("{} in {} more entries of the scenario", kind_, more_));
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  void add(const std::string& where, const std::string& text) {
    if (++lines_ <= kMaxGroupsWarned) out_.push_back(where + ": " + text);
    else ++more_;
  }

 private:
  std::vector<std::string>& out_;
  const char* kind_;
  std::size_t lines_ = 0, more_ = 0;
};

std::string quoted(const std::string& name) { return "'" + name + "'"; }

// One group of the start, with its model.
struct Robots {
  const Group& group;
  const Model& model;
  std::span<const EntitySpec> all;
};

class Checks {
 public:
  Checks(const Start& start, std::vector<std::string>& out) : start_(start), out_(out) {
    std::map<std::string, const Model*> models;
    for (const Model& model : start.setup.models) models.emplace(model.name, &model);
    world_file_ = models.contains(kWorldModel);
    std::size_t first = 0;
    for (std::size_t g = 0; g < start.groups.size(); first += start.sizes[g++]) {
      const auto model = models.find(start.groups[g].spec.model);
      // Loose objects are in groups whose name is none; and the world's own are not one body.
      const bool is_robot = is_name(start.groups[g].name) && start.groups[g].spec.model != kWorldObjects;
      if (!is_robot || start.sizes[g] == 0 || model == models.end() || !has_body(*model->second)) continue;
      robots_.push_back(
          {start.groups[g], *model->second, std::span(start.setup.entities).subspan(first, start.sizes[g])});
    }
  }

  void drivers();
  void walls();
  void overlaps();
  void pockets();
  void waypoints();

 private:
  // Do these stop at the map's walls? With a world of its own the engine's robots touch that instead.
  bool in_map(const Robots& r) const { return !start_.map.empty() && (r.model.files.empty() || !world_file_); }
  const Reach* reach_of(const Model& model);

  const Start& start_;
  std::vector<std::string>& out_;
  std::vector<Robots> robots_;
  bool world_file_ = false;
  std::map<double, std::unique_ptr<Reach>> reach_;  // by radius
};

void Checks::drivers() {
  Lines lines(out_, "drivers that move nothing");
  for (const Robots& r : robots_) {
    const DriverSpec& driver = r.group.spec.driver;
    if (driver.kind == DriverKind::kNone) continue;
    const ControlSource ruler = r.group.spec.control_source.value_or(start_.setup.control_source);
    std::string why;
    if (!moves_itself(r.model))
      why =
          r.model.files.empty()
              ? fmt::format("the model '{}' has no drive", r.model.name)
              : fmt::format("'{}' has no wheels that a twist turns; a model can name its left_wheels and right_wheels",
                            r.model.name);
    else if (ruler != ControlSource::kAny && ruler != ControlSource::kNodes)
      why = fmt::format("control_source '{}' leaves drivers out", name_of(ruler));
    else if (driver.speed == 0) why = "its speed is 0";
    else if (r.model.max_speed == 0 && r.model.max_turn_rate == 0)
      why = fmt::format("the model '{}' has a max_speed of 0", r.model.name);
    if (why.empty()) continue;
    Found found;
    for (const EntitySpec& e : r.all) found.add(quoted(e.name));
    lines.add(r.group.driver_where, fmt::format("the driver moves nothing, {}: {}", why, found.text()));
  }
}

void Checks::walls() {
  Lines lines(out_, "robots in a wall or outside the map");
  for (const Robots& r : robots_) {
    if (!in_map(r)) continue;
    Found found;
    for (const EntitySpec& e : r.all)
      if (in_wall(start_.map, e.pose, r.model)) found.add(quoted(e.name));
    if (found.count == 1) lines.add(r.group.placement_where, found.text() + " stands in a wall or outside the map");
    if (found.count > 1)
      lines.add(r.group.placement_where,
                fmt::format("{} robots stand in a wall or outside the map: {}", found.count, found.text()));
  }
}

void Checks::overlaps() {
  if (!start_.setup.robots_touch) return;
  Lines lines(out_, "robots in each other");
  Overlaps search;
  std::vector<const std::string*> names;
  for (const Robots& r : robots_) {
    Found found;
    for (const EntitySpec& e : r.all) {
      search.add(e.pose, r.model,
                 [&](std::size_t other) { found.add(fmt::format("'{}' in '{}'", e.name, *names[other])); });
      names.push_back(&e.name);
    }
    if (found.count == 1)
      lines.add(r.group.placement_where,
                fmt::format("robots stand in each other, and do not get out: {}", found.text()));
    if (found.count > 1)
      lines.add(r.group.placement_where, fmt::format("{} pairs of robots stand in each other, and do not get out: {}",
                                                     found.count, found.text()));
  }
}

const Reach* Checks::reach_of(const Model& model) {
  const double radius = inscribed_radius(model);
  const auto known = reach_.find(radius);
  if (known != reach_.end()) return known->second.get();
  if (reach_.size() >= kMaxSizesSearched || start_.map.data().cells.size() > kMaxSearchedCells) return nullptr;
  return reach_.emplace(radius, std::make_unique<Reach>(start_.map, radius, Room::kPerhaps)).first->second.get();
}

void Checks::pockets() {
  if (world_file_) return;  // what lies behind the walls of such a world is no ground that anybody wrote
  Lines lines(out_, "robots that are cut off from most of the map");
  for (const Robots& r : robots_) {
    const Reach* reach = in_map(r) && moves_itself(r.model) ? reach_of(r.model) : nullptr;
    if (!reach) continue;
    Found found;
    double least = 0;
    for (const EntitySpec& e : r.all) {
      const std::uint32_t part = reach->part_at(e.pose.p.x, e.pose.p.y);
      if (part == 0 || 2 * reach->area_of(part) >= reach->area()) continue;
      least = found.count == 0 ? reach->area_of(part) : std::min(least, reach->area_of(part));
      found.add(quoted(e.name));
    }
    if (found.count > 0)
      lines.add(
          r.group.placement_where,
          fmt::format("{} of {} robots start where no way leads to most of the map ({:.3g} m^2 of {:.3g}): {}{}",
                      found.count, r.all.size(), least, reach->area(), found.text(),
                      is_random(r.group.placement) ? "; placement.random.reachable_from keeps them together" : ""));
  }
}

void Checks::waypoints() {
  Lines lines(out_, "waypoints that cannot be reached");
  if (start_.map.empty()) return;
  for (const Robots& r : robots_) {
    Found solid, apart;
    const Reach* reach = in_map(r) ? reach_of(r.model) : nullptr;
    for (const Vec2& w : r.group.spec.driver.waypoints) {
      const Vec2 m = start_.map.to_map(w.x, w.y);
      const std::string text = fmt::format("[{:g}, {:g}]", w.x, w.y);
      const std::uint32_t part = reach ? reach->part_at(w.x, w.y) : 0;
      const auto cut_off = [&](const EntitySpec& e) {
        const std::uint32_t own = reach->part_at(e.pose.p.x, e.pose.p.y);
        return own != 0 && own != part;
      };
      if (start_.map.solid_at(m.x, m.y)) solid.add(text);
      else if (part != 0 && std::any_of(r.all.begin(), r.all.end(), cut_off)) apart.add(text);
    }
    const std::string where = r.group.driver_where + ".waypoints";
    const std::string of =
        r.all.size() == 1 ? quoted(r.all[0].name) : fmt::format("'{}' and {} more", r.all[0].name, r.all.size() - 1);
    if (solid.count > 0)
      lines.add(where, fmt::format("{} of {} in a wall or outside the map: {}",
                                   solid.count == 1 ? "a waypoint" : fmt::format("{} waypoints", solid.count), of,
                                   solid.text()));
    if (apart.count > 0)
      lines.add(where, fmt::format("{} to which no way leads from the start of {}: {}",
                                   apart.count == 1 ? "a waypoint" : fmt::format("{} waypoints", apart.count), of,
                                   apart.text()));
  }
}

}  // namespace

bool moves_itself(const Model& model) {
  if (model.drive == Drive::kNone) return false;
  return model.files.empty() || model.engine.any() || !model.left_wheels.empty() || !model.right_wheels.empty();
}

std::vector<std::string> doubts_of(const Start& start) {
  std::vector<std::string> out;
  Checks checks(start, out);
  checks.drivers();
  checks.walls();
  checks.overlaps();
  checks.pockets();
  checks.waypoints();
  return out;
}

}  // namespace convoy::scenario
