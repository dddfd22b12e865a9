#include "lockstep/pace.h"

#include <algorithm>

#include "core/speed.h"

namespace convoy {

namespace {

constexpr Duration kMaxLag = std::chrono::milliseconds(200);  // behind the pace; more is written off

}  // namespace

Tick LockstepPace::pause() {
  options_.paused = true;
  return place_.next_tick();
}

void LockstepPace::resume(Moment now) {
  options_.paused = false;
  steps_left_ = 0;
  end_steps();
  begin(now);
  controllers_.begin_again(now);
}

Status LockstepPace::step(std::uint64_t ticks, std::function<void(Tick)> done) {
  if (!options_.paused) return fail(ErrorCode::kState, "not paused: step needs a paused run");
  if (steps_left_ > 0) return fail(ErrorCode::kState, "a step is in progress");
  if (ticks == 0) return fail(ErrorCode::kInvalid, "a step has at least one tick");
  steps_left_ = ticks;
  steps_done_ = std::move(done);
  begin(last_now_);
  controllers_.begin_again(last_now_);
  return {};
}

Status LockstepPace::set_speed(double factor, Moment now) {
  if (factor != 0 && !is_speed(factor)) return no_speed();
  options_.speed = factor;
  begin(now);
  return {};
}

void LockstepPace::end_steps() {
  if (auto done = std::exchange(steps_done_, nullptr)) done(place_.tick);
}

void LockstepPace::begin(Moment now) {
  origin_ = now;
  origin_tick_ = place_.tick;
}

Moment LockstepPace::pace_due() const {
  if (options_.speed <= 0 || !horizons_.empty()) return Moment{};
  const double wall = seconds(Duration((place_.tick - origin_tick_) * nanos(options_.tick_length))) / options_.speed;
  return origin_ + Duration(static_cast<std::int64_t>(wall * 1e9));
}

std::vector<std::string> LockstepPace::awaited() const {
  if (last_now_ < pace_due()) return {};
  return controllers_.owing();
}

void LockstepPace::tick_begins(Moment now, const std::set<Owner>& guests) {
  if (options_.speed > 0 && now - pace_due() > kMaxLag) begin(now);  // too slow for it: no sprint to catch up
  controllers_.opened(now, guests);
  tick_begun_ = now;
  opened_ = {place_.run, place_.tick};
}

Status LockstepPace::program_done(Owner from, ByteView payload) {
  TickDone message;
  if (!load(payload, message)) return fail(ErrorCode::kInvalid, "a TickDone frame is malformed");
  // One for an earlier tick comes too late to matter: its deadline was missed.
  if (opened_ == std::pair{message.run, message.tick}) controllers_.done(from);
  return {};
}

void LockstepPace::tick_done() {
  if (steps_left_ == 0 || --steps_left_ > 0) return;
  options_.paused = true;
  end_steps();
}

void LockstepPace::run_reset() {
  for (auto& [owner, through] : horizons_) through = 0;  // a host that holds the world holds the new run, too
  controllers_.forgive();
  begin(last_now_);
}

bool LockstepPace::held_back() const {
  return std::any_of(horizons_.begin(), horizons_.end(), [&](const auto& h) { return h.second <= place_.tick; });
}

Result<std::optional<Allow>> LockstepPace::allow(Owner from, ByteView payload) {
  Allow asked;
  if (!load(payload, asked)) return fail(ErrorCode::kInvalid, "an Allow frame is malformed");
  if (!asked.through) return let_go(from), std::nullopt;
  if (asked.run != place_.run) return std::nullopt;  // of before a reset: it holds the new run's first boundary
  const bool begins = horizons_.count(from) == 0;
  horizons_[from] = std::max(*asked.through, place_.next_tick());
  if (begins || *asked.through < place_.next_tick()) return Allow{place_.run, horizons_[from]};
  return std::nullopt;
}

// The world goes on at its own pace only when no host holds it any more.
void LockstepPace::let_go(Owner host) {
  if (horizons_.erase(host) > 0 && horizons_.empty()) begin(last_now_);
}

}  // namespace convoy
