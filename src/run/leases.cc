#include "run/leases.h"

namespace convoy {

Status may_command(const World& world, WorldNumber robot, const std::string& holder) {
  const std::string& held = holder_of(world, robot);
  if (held.empty() || held == holder) return {};
  return fail(ErrorCode::kLeased, "'" + held + "' has leased '" + world.entity(world.slot_of(robot)).name + "'");
}

Status may_command_all(const World& world, const std::string& holder) {
  for (const auto& [robot, held] : world.holders())
    if (auto ok = may_command(world, robot, holder); !ok) return ok;
  return {};
}

}  // namespace convoy
