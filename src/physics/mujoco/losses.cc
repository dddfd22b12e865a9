#include "physics/mujoco/losses.h"

#include <fmt/format.h>

namespace convoy::mujoco {

void Losses::write(ImportReport& report) const {
  for (const auto& [what, times] : count_)
    report.lost.push_back(times > 1 ? fmt::format("{} ({} times)", what, times) : what);
}

}  // namespace convoy::mujoco
