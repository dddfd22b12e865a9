#include "roles/evictions.h"

#include <algorithm>

namespace convoy {

std::vector<std::pair<Owner, LeaveReason>> Evictions::due(const Run& run, const LifeLinks& life, Moment now) {
  const Duration passed = std::clamp(now - last_, Duration(0), kEvery);
  last_ = now;
  std::vector<std::pair<Owner, LeaveReason>> out;
  for (const Owner owner : std::exchange(kicked_, {})) out.emplace_back(owner, LeaveReason::kKicked);
  std::map<Owner, Wait> waited;
  if (!run.gathering() && !run.over())
    for (const auto& [owner, host] : run.hosts()) {
      if (!host.present || host.done || host.lagging_since == kNever) continue;
      Wait& wait = waited[owner];
      if (const auto before = waited_.find(owner); before != waited_.end() && before->second.tick == run.tick())
        wait.so_far = before->second.so_far + passed;
      wait.tick = run.tick();
      const bool traced = life.busy_with(owner).starts_with(kTraced);
      const bool late = rules_.tick_deadline > Duration(0) && !traced && wait.so_far >= rules_.tick_deadline;
      if (late || (ending_ && wait.so_far >= rules_.end_deadline)) out.emplace_back(owner, LeaveReason::kTickDeadline);
    }
  waited_ = std::move(waited);
  return out;
}

}  // namespace convoy
