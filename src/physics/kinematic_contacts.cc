// What a kinematic robot touches: its footprint against the cells of the map, and the footprints and shadows of others.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "physics/kinematic.h"

namespace convoy {

namespace {

double along(Vec2 a, Vec2 b) { return a.x * b.x + a.y * b.y; }

// A line on which two outlines touch: across `normal`, from one end to the other along the tangent.
struct Touch {
  Vec2 normal;       // to the robot
  double at = 0;     // of the line, along the normal
  double from, to;   // along the tangent (-normal.y, normal.x)
  double depth = 0;  // m
};

// The part of an outline's corners that is farthest along n: its extent along n's tangent.
void face(const Planar& place, std::span<const Vec2> outline, Vec2 n, double& reached, double& from, double& to) {
  reached = -std::numeric_limits<double>::infinity();
  for (const Vec2& corner : outline) reached = std::max(reached, along(place.apply(corner), n));
  from = std::numeric_limits<double>::infinity(), to = -from;
  for (const Vec2& corner : outline) {
    const Vec2 at = place.apply(corner);
    if (along(at, n) < reached - kContactGap) continue;
    const double t = along(at, {-n.y, n.x});
    from = std::min(from, t), to = std::max(to, t);
  }
}

// Nothing: they are apart.
bool touching(const Planar& robot, std::span<const Vec2> own, const Planar& there, std::span<const Vec2> outline,
              bool robot_first, Touch& out) {
  Gap gap = robot_first ? widest_gap(robot, own, there, outline) : widest_gap(there, outline, robot, own);
  if (gap.width > kContactGap) return false;
  if (!robot_first) gap.normal = {-gap.normal.x, -gap.normal.y};
  double own_from, own_to, other_from, other_to, own_reached, other_reached;
  face(robot, own, gap.normal, own_reached, own_from, own_to);
  face(there, outline, {-gap.normal.x, -gap.normal.y}, other_reached, other_from, other_to);
  // The other's tangent is the opposite one.
  const double low = -other_to, high = -other_from;
  out.normal = {-gap.normal.x, -gap.normal.y};
  out.at = (own_reached - other_reached) / 2, out.depth = -gap.width;
  const double from = std::max(own_from, low), to = std::min(own_to, high);
  out.from = std::min(from, to), out.to = std::max(from, to);  // corner by corner: between the two
  return true;
}

ContactReading reading_of(const Touch& touch, WorldNumber other, double z) {
  const Vec2 n{-touch.normal.x, -touch.normal.y};  // from the robot
  const double t = (touch.from + touch.to) / 2;
  ContactReading out;
  out.other = other, out.depth = touch.depth;
  out.position = {n.x * touch.at - n.y * t, n.y * touch.at + n.x * t, z};
  out.normal = {touch.normal.x, touch.normal.y, 0};
  return out;
}

// Cells of one wall are one touch.
void add(std::vector<Touch>& all, const Touch& touch, double side) {
  for (Touch& known : all) {
    const bool same = along(known.normal, touch.normal) > 1 - 1e-9 && std::abs(known.at - touch.at) < kContactGap;
    if (!same || touch.from > known.to + side || touch.to < known.from - side) continue;
    known.from = std::min(known.from, touch.from), known.to = std::max(known.to, touch.to);
    known.depth = std::max(known.depth, touch.depth);
    return;
  }
  all.push_back(touch);
}

std::vector<Touch> touches_of_map(const StaticMap& map, const Planar& robot, std::span<const Vec2> own) {
  std::vector<Touch> out;
  if (map.empty()) return out;
  // In the map's frame, from which the normals are turned back.
  const Vec2 origin = map.to_map(robot.x, robot.y), axis = map.x_axis();
  const Planar here{origin.x, origin.y, robot.c * axis.x + robot.s * axis.y, robot.s * axis.x - robot.c * axis.y};
  double low[2] = {1e300, 1e300}, high[2] = {-1e300, -1e300};
  for (const Vec2& corner : own) {
    const Vec2 at = here.apply(corner);
    low[0] = std::min(low[0], at.x), high[0] = std::max(high[0], at.x);
    low[1] = std::min(low[1], at.y), high[1] = std::max(high[1], at.y);
  }
  const double size = map.data().resolution;
  const auto cell = [&](double value) { return static_cast<std::int64_t>(std::floor(value / size)); };
  const std::array<Vec2, 4> square{
      {{-size / 2, -size / 2}, {size / 2, -size / 2}, {size / 2, size / 2}, {-size / 2, size / 2}}};
  for (std::int64_t row = cell(low[1] - kContactGap); row <= cell(high[1] + kContactGap); ++row)
    for (std::int64_t col = cell(low[0] - kContactGap); col <= cell(high[0] + kContactGap); ++col) {
      if (!map.solid_cell(col, row)) continue;
      const Planar there{(static_cast<double>(col) + 0.5) * size, (static_cast<double>(row) + 0.5) * size, 1, 0};
      Touch touch;
      if (!touching(here, own, there, square, true, touch)) continue;
      // The side that it meets is free: else what is met is the next cell's.
      const auto covered = [&](double n, std::int64_t right, std::int64_t up) {
        const std::int64_t way = n > 1e-9 ? 1 : n < -1e-9 ? -1 : 0;
        return way != 0 && map.solid_cell(col + right * way, row + up * way);
      };
      if (!covered(touch.normal.x, 1, 0) && !covered(touch.normal.y, 0, 1)) add(out, touch, size);
    }
  return out;
}

}  // namespace

bool KinematicPhysics::feel(const PhysicsInput& input, const State& state, std::span<const double>,
                            Feeling& feeling) const {
  std::vector<ContactReading>& out = feeling.contacts;
  if (model_.footprint.empty()) return true;
  const Planar here = planar(state.pose);
  const double z = state.pose.p.z + model_.height / 2;
  if (input.map) {
    const Planar turn{0, 0, input.map->x_axis().x, input.map->x_axis().y};
    for (const Touch& touch : touches_of_map(*input.map, here, model_.footprint)) {
      ContactReading reading = reading_of(touch, kNoEntity, z);
      const Vec2 at = input.map->to_world(reading.position.x, reading.position.y);
      const Vec2 normal = turn.turn({reading.normal.x, reading.normal.y});
      reading.position.x = at.x, reading.position.y = at.y, reading.normal = {normal.x, normal.y, 0};
      out.push_back(std::move(reading));
    }
  }
  for (const Neighbour& other : input.neighbours) {
    const auto carried = [&](const Carried& c) { return c.number == other.number; };
    if (other.number == input.self || std::any_of(input.carried.begin(), input.carried.end(), carried)) continue;
    const auto meet = [&](const Planar& there, std::span<const Vec2> outline) {
      Touch touch;
      if (touching(here, model_.footprint, there, outline, input.self < other.number, touch))
        out.push_back(reading_of(touch, other.number, z));
    };
    if (other.model->footprint.size() >= 3) meet(planar(other.state->pose), other.model->footprint);
    if (other.model->files.empty() || other.tail.empty() || !input.files) continue;
    std::vector<Vec2> shadow;
    for (const BodyBox& box : body_boxes(*other.model, *input.files))
      if (const Pose X_WB = pose_of(box, other.tail);
          cast_shadow(box, X_WB, state.pose.p.z, state.pose.p.z + model_.height, shadow)) {
        const Vec3 centre = X_WB.p + rotate(X_WB.q, box.centre);
        meet({centre.x, centre.y, 1, 0}, shadow);
      }
  }
  if (out.size() > kMaxContacts) out.resize(kMaxContacts);
  return true;
}

}  // namespace convoy
