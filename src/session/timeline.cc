#include "session/timeline.h"

#include <algorithm>

namespace convoy {

namespace {

std::int64_t since_epoch(Moment m) { return m.time_since_epoch().count(); }

// Far beyond any run, but sums with it do not overflow.
constexpr double kFar = 4e18;  // ns

}  // namespace

void Timeline::set(const Pace& pace) {
  if (pace.run != run()) paces_.clear();
  while (!paces_.empty() && paces_.back().tick >= pace.tick) paces_.pop_back();
  paces_.push_back(pace);
}

const Pace& Timeline::ruling(Tick tick) const {
  auto it = std::upper_bound(paces_.begin(), paces_.end(), tick, [](Tick t, const Pace& p) { return t < p.tick; });
  return it == paces_.begin() ? *it : *(it - 1);
}

Moment Timeline::moment_of(Tick tick, Duration after) const {
  const Pace& pace = ruling(tick);
  if (tick >= pace.limit) return kNever;
  const double ns =
      (static_cast<double>(tick - pace.tick) * static_cast<double>(nanos(tick_)) + static_cast<double>(nanos(after))) /
      pace.speed;
  if (ns + static_cast<double>(pace.at) > kFar) return kNever;
  return Moment(Duration(pace.at + static_cast<std::int64_t>(ns)));
}

Instant Timeline::sim_at(Moment now) const {
  std::size_t i = paces_.size() - 1;
  while (i > 0 && paces_[i].at > since_epoch(now)) --i;
  const Pace& pace = paces_[i];
  Tick most = pace.limit;
  if (i + 1 < paces_.size()) most = std::min(most, paces_[i + 1].tick);
  const std::int64_t begin = pace.tick * nanos(tick_);
  const double passed = std::max(0.0, static_cast<double>(since_epoch(now) - pace.at) * pace.speed);
  if (most == Pace::kEndless) return instant(begin + static_cast<std::int64_t>(std::min(passed, kFar)));
  const auto room = static_cast<double>((most - pace.tick) * nanos(tick_));
  return instant(begin + static_cast<std::int64_t>(std::min(passed, std::max(0.0, room))));
}

void Timeline::forget_before(Tick tick) {
  while (paces_.size() > 1 && paces_[1].tick <= tick) paces_.erase(paces_.begin());
}

}  // namespace convoy
