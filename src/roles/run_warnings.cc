#include "roles/run_warnings.h"

#include <algorithm>
#include <utility>

namespace convoy {

void RunWarnings::awaits(const std::string& names, Moment now) {
  if (names.empty()) {
    slow_ = kNever;
    return;
  }
  if (slow_ == kNever) slow_ = now;
  if (now - slow_ < after_) return;
  slow_ = now;
  log_.line(LogLevel::kWarn, "waiting for " + names + " to load the scene");
}

void RunWarnings::on_time(Moment now) {
  name_slow(now);
  name_missed(now);
  name_faults();
}

void RunWarnings::name_slow(Moment now) {
  std::string slow;
  Moment since = kNever;
  for (const auto& [owner, host] : run_.hosts()) {
    if (!host.present || host.done || host.lagging_since == kNever) continue;
    const std::string busy = life_.busy_with(owner);
    slow += (slow.empty() ? "" : ", ") + host.name + (busy.empty() ? "" : " (busy with " + busy + ")");
    since = std::min(since, host.lagging_since);
  }
  if (conductor_) {
    for (const std::string& name : conductor_->awaited()) {
      slow += (slow.empty() ? "" : ", ") + name;
      since = std::min(since, conductor_->pace().tick_begun());
    }
  }
  if (slow.empty()) {
    slow_ = kNever;
    return;
  }
  const std::uint64_t tick = run_.ticks_done();
  // In lockstep every tick is a new wait; in free mode ticks go on while a host lags.
  if (slow_ == kNever || (conductor_ && slow_tick_ != tick)) slow_ = since, slow_tick_ = tick;
  if (now - slow_ < after_) return;
  slow_ = now;
  const std::string where = "tick " + std::to_string(run_.tick());
  log_.line(LogLevel::kWarn, conductor_ ? where + " waits for " + slow : slow + " is too far behind " + where);
}

// One line in a while: a program that is always late would fill the log.
void RunWarnings::name_missed(Moment now) {
  if (!conductor_ || (missed_named_ != kNever && now - missed_named_ < after_)) return;
  for (const auto& [name, ticks] : conductor_->pace().controllers().missed()) {
    if (std::exchange(missed_[name], ticks) == ticks) continue;
    missed_named_ = now;
    log_.line(LogLevel::kWarn, "tick " + std::to_string(run_.tick()) + " did not wait any longer for " + name + ": " +
                                   std::to_string(ticks) + " deadlines missed so far");
  }
}

void RunWarnings::name_faults() {
  const std::vector<AgentFault>& all = run_.books().endings.faults();
  faults_named_ = std::min(faults_named_, all.size());  // a reset forgets them
  for (; faults_named_ < all.size(); ++faults_named_) {
    static constexpr const char* kWhat[] = {"' stands still from tick ", "' is not exact from tick ",
                                            "' lacks a sensor from tick "};
    const AgentFault& fault = all[faults_named_];
    const char* what = kWhat[static_cast<std::size_t>(fault.what)];
    log_.line(LogLevel::kWarn, "'" + fault.name + what + std::to_string(fault.tick) + " on: " + fault.why);
  }
}

}  // namespace convoy
