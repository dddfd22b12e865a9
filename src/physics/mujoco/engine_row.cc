#include "physics/mujoco/engine_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/check.h"
#include "physics/mujoco/guard.h"

namespace convoy::mujoco {

bool EngineRow::get(const mjModel* m, const mjData* d, std::string& trouble) {
  return guarded(trouble, [&] { mj_getState(m, d, numbers_.data(), mjSTATE_INTEGRATION); });
}

bool EngineRow::set(const mjModel* m, mjData* d, std::string& trouble) const {
  return guarded(trouble, [&] { mj_setState(m, d, numbers_.data(), mjSTATE_INTEGRATION); });
}

void EngineRow::write(Bytes& out) const {
  out.resize(numbers_.size() * sizeof(double));
  if (!numbers_.empty()) std::memcpy(out.data(), numbers_.data(), out.size());
}

void EngineRow::read(ByteView bytes) {
  EXPECTS(fits(bytes));
  if (!numbers_.empty()) std::memcpy(numbers_.data(), bytes.data(), bytes.size());
}

bool EngineRow::is_finite() const {
  return std::all_of(numbers_.begin(), numbers_.end(), [](double x) { return std::isfinite(x); });
}

void EngineRow::describe(const mjModel* m, DescribeFields::List& out) const {
  constexpr const char* kParts[] = {"time",           "qpos",       "qvel",         "act",          "history",
                                    "qacc_warmstart", "ctrl",       "qfrc_applied", "xfrc_applied", "eq_active",
                                    "mocap_pos",      "mocap_quat", "userdata",     "plugin"};
  std::size_t at = 0;
  for (int bit = 0; at < numbers_.size() && bit < 31; ++bit) {
    if (!(mjSTATE_INTEGRATION & 1 << bit)) continue;
    const int n = mj_stateSize(m, 1 << bit);
    const char* part = static_cast<std::size_t>(bit) < std::size(kParts) ? kParts[bit] : "more";
    for (int i = 0; i < n; ++i)
      out.emplace_back(fmt::format("{}[{}]", part, i),
                       fmt::format("{:.17g}", numbers_[at + static_cast<std::size_t>(i)]));
    at += static_cast<std::size_t>(n);
  }
}

}  // namespace convoy::mujoco
