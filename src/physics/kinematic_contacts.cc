// What a kinematic robot touches: its footprint against the cells of the map, and the footprints and shadows of others.
#include <algorithm>

#include "physics/kinematic.h"
#include "physics/touch.h"

namespace convoy {

namespace {

ContactReading reading_of(const TouchLine& touch, WorldNumber other, double z) {
  const Vec2 at = touch.point((touch.from + touch.to) / 2);
  ContactReading out;
  out.other = other, out.depth = touch.depth;
  out.position = {at.x, at.y, z};
  out.normal = {touch.normal.x, touch.normal.y, 0};
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
    for (const TouchLine& touch : touches_of_map(*input.map, here, model_.footprint)) {
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
      TouchLine touch;
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
