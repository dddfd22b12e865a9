#include "agent/fleet_looks.h"

#include "core/json_fields.h"

namespace convoy {

std::optional<NodesAnswer::Touching> contacts_of(const Fleet& fleet, WorldNumber number) {
  const Agent* robot = fleet.agent(number);
  if (!robot) return {};
  const Slot slot = fleet.world().slot_of(number);
  Grid grid;
  NodesAnswer::Touching out{number, true, {}, false};
  out.contacts = robot->feel(fleet.at_boundary(slot, grid, Fleet::Rays::kNone), slot, out.whole).contacts;
  out.cut = out.contacts.size() >= kMaxContacts;
  return out;
}

Result<Sample> look(const Fleet& fleet, WorldNumber number, std::string_view sensor) {
  const Agent* robot = fleet.agent(number);
  if (!robot) return fail(ErrorCode::kNotFound, "its robot is not here");
  const Slot slot = fleet.world().slot_of(number);
  Grid grid;
  const bool casts = robot->equipment().sensors && robot->equipment().sensors->casts(sensor);
  return robot->look(sensor, fleet.at_boundary(slot, grid, casts ? Fleet::Rays::kCast : Fleet::Rays::kNone), slot);
}

std::optional<NodesAnswer::Seen> seen_by(const Fleet& fleet, const std::string& robot, const std::string& sensor) {
  const Slot slot = fleet.world().find(robot);
  if (slot == kNoSlot || !fleet.agent(fleet.world().entity(slot).number)) return {};
  NodesAnswer::Seen out;
  out.agent = fleet.world().entity(slot).number;
  const auto sample = look(fleet, out.agent, sensor);
  if (sample) out.json = to_json(*sample);
  else out.error = sample.error().code, out.why = sample.error().message();
  if (out.json.size() <= kMaxAnswer) return out;
  out.error = ErrorCode::kUnsupported;
  out.why = "its sample is " + std::to_string(out.json.size()) + " bytes of text, and an answer has room for " +
            std::to_string(kMaxAnswer) + ": nodes and recordings take it whole";
  out.json.clear();
  return out;
}

}  // namespace convoy
