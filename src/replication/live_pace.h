// How time goes in free mode, as the server has it: at a speed, paused, by steps, waiting for hosts that are behind.
//
// Every change holds from a named tick on, on all hosts, by the paces of the Timeline. A pace reaches the hosts before
// its tick begins: it is sent `lead` ahead.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "run/time_control.h"
#include "session/timeline.h"

namespace convoy {

enum class DriftPolicy : std::uint8_t {
  kDegrade = 0,  // a host that falls behind is named, and the others go on
  kSlow = 1,     // the world waits for it
};

struct LivePaceOptions {
  Tick end = 0;                                    // boundary at which the run is over; 0: never by itself
  double speed = 1;                                // simulated seconds per second, > 0
  bool paused = false;                             // start so
  Duration lead = std::chrono::milliseconds(100);  // from sending a pace to its tick: longer than a frame takes
  Duration tick_length{};
};

class LivePace final : public TimeControl {
 public:
  // `send`: a pace to all peers.
  LivePace(LivePaceOptions options, std::function<void(const Pace&)> send)
      : options_(options), send_(std::move(send)) {}

  Tick pause() override;
  bool paused() const override { return options_.paused; }
  void resume(Moment now) override;
  Status step(std::uint64_t ticks, std::function<void(Tick)> done) override;
  Status set_speed(double factor, Moment now) override;
  double speed() const override { return options_.speed; }
  // The run ends at the next boundary of which all can still be notified in time.
  void finish();

  void start(Moment now);
  bool started() const { return timeline_.has_value(); }
  void restart(std::uint32_t run);  // a reset of the whole world
  void observe(Moment now) { last_now_ = std::max(last_now_, now); }
  Moment last_now() const { return last_now_; }
  Instant now() const { return timeline_ ? timeline_->sim_at(last_now_) : instant(0); }
  Tick tick() const { return nanos(now()) / nanos(options_.tick_length); }
  Tick end() const { return options_.end; }
  // It is time to end, if hosts have got there.
  bool end_due() const { return (options_.end > 0 || finishing_) && tick() >= options_.end; }
  // Where a host may be that no pause of this run has reached: frames may take long.
  Instant farthest() const;
  // What a member that comes in has to know.
  std::span<const Pace> paces() const { return timeline_->from(tick()); }
  void forget_past() { timeline_->forget_before(tick()); }

  // The boundary at which a step ends, while it lasts.
  std::optional<Tick> step_ends() const { return steps_done_ ? std::optional(steps_to_) : std::nullopt; }
  void end_step(Tick reached);

  // The world waits for hosts that are behind, from a tick on that held_at() names, until release().
  void hold();
  std::optional<Tick> held_at() const { return holding_ ? std::optional(held_at_) : std::nullopt; }
  void release();

 private:
  void set(const Pace& pace);
  Tick tick_after(Moment moment) const;
  Tick limit() const { return options_.end > 0 ? options_.end : Pace::kEndless; }

  LivePaceOptions options_;
  std::function<void(const Pace&)> send_;
  std::optional<Timeline> timeline_;
  std::uint32_t run_ = 0;
  bool holding_ = false, finishing_ = false;
  Tick held_at_ = 0, steps_to_ = 0;
  std::function<void(Tick)> steps_done_;
  Moment begun_{};      // the run
  double fastest_ = 1;  // speed in it
  Moment last_now_{};
};

}  // namespace convoy
