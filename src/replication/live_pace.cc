#include "replication/live_pace.h"

#include <algorithm>

#include "core/speed.h"

namespace convoy {

namespace {

constexpr std::uint64_t kMostTicks = 1'000'000'000;  // of one step

std::int64_t count(Moment moment) { return moment.time_since_epoch().count(); }

}  // namespace

void LivePace::start(Moment now) {
  last_now_ = begun_ = now;
  fastest_ = options_.speed;
  timeline_.emplace(options_.tick_length,
                    Pace{run_, 0, count(last_now_ + options_.lead), options_.speed, options_.paused ? 0 : limit()});
}

void LivePace::restart(std::uint32_t run) {
  run_ = run;
  holding_ = false;
  steps_to_ = 0;
  begun_ = last_now_;
  fastest_ = options_.speed;
  end_step(0);
  set({run_, 0, count(last_now_ + options_.lead), options_.speed, options_.paused ? 0 : limit()});
}

// The first tick that begins after the moment.
Tick LivePace::tick_after(Moment moment) const {
  return nanos(timeline_->sim_at(moment)) / nanos(options_.tick_length) + 1;
}

Instant LivePace::farthest() const {
  const double ns = static_cast<double>((last_now_ - begun_).count()) * fastest_;
  return std::max(now(), instant(static_cast<std::int64_t>(std::min(ns, 4e18))));
}

void LivePace::set(const Pace& pace) {
  fastest_ = std::max(fastest_, pace.speed);
  timeline_->set(pace);
  send_(pace);
}

void LivePace::end_step(Tick reached) {
  if (auto done = std::exchange(steps_done_, nullptr)) done(reached);
}

Tick LivePace::pause() {
  if (!timeline_) return 0;
  if (options_.paused) return timeline_->last().limit;
  options_.paused = true;
  holding_ = false;  // a resume does not wait for any host
  const Tick at = tick_after(last_now_ + options_.lead);
  if (at >= timeline_->last().limit) return timeline_->last().limit;  // it stops there anyway
  set({run_, at, count(timeline_->begin_of(at)), options_.speed, at});
  return at;
}

void LivePace::resume(Moment now) {
  options_.paused = holding_ = false;
  steps_to_ = 0;
  end_step(tick());
  const Pace& last = timeline_->last();
  const std::int64_t at = std::max(count(now + options_.lead), last.at);
  const Tick from = last.limit == Pace::kEndless ? tick_after(now) : last.limit;
  set({run_, from, at, options_.speed, limit()});
}

Status LivePace::step(std::uint64_t ticks, std::function<void(Tick)> done) {
  if (!options_.paused) return fail(ErrorCode::kState, "not paused: step needs a paused run");
  if (steps_done_) return fail(ErrorCode::kState, "a step is in progress");
  if (ticks == 0) return fail(ErrorCode::kInvalid, "a step has at least one tick");
  const Pace last = timeline_->last();
  steps_to_ = std::min(last.limit + static_cast<Tick>(std::min(ticks, kMostTicks)), limit());
  steps_done_ = std::move(done);
  set({run_, last.limit, std::max(count(last_now_ + options_.lead), last.at), options_.speed, steps_to_});
  return {};
}

Status LivePace::set_speed(double factor, Moment now) {
  if (factor == 0) return fail(ErrorCode::kInvalid, "free mode has a pace: the speed is a factor above 0");
  if (!is_speed(factor)) return no_speed();
  options_.speed = factor;
  if (options_.paused || !timeline_) return {};
  const Tick at = tick_after(now + options_.lead);
  const Moment begins = timeline_->begin_of(at);
  if (begins != kNever) set({run_, at, count(begins), factor, timeline_->last().limit});
  return {};
}

void LivePace::finish() {
  if (!timeline_ || std::exchange(finishing_, true)) return;
  const Pace last = timeline_->last();
  const Tick at = options_.paused ? std::min(last.limit, tick() + 1) : tick_after(last_now_ + options_.lead);
  if (options_.end > 0 && options_.end <= at) return;  // about to end by itself
  options_.end = at;
  if (options_.paused) return;
  const Moment begins = timeline_->begin_of(options_.end);
  set({run_, options_.end, count(begins == kNever ? last_now_ : begins), options_.speed, options_.end});
}

void LivePace::hold() {
  const Tick at = tick_after(last_now_ + options_.lead);
  const Moment begins = timeline_->begin_of(at);
  if (begins == kNever) return;
  holding_ = true;
  held_at_ = at;
  set({run_, held_at_, count(begins), options_.speed, held_at_});
}

void LivePace::release() {
  EXPECTS(holding_);
  holding_ = false;
  set({run_, held_at_, count(last_now_ + options_.lead), options_.speed, limit()});
}

}  // namespace convoy
