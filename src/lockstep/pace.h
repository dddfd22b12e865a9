// When the next tick of a run in lockstep may begin: speed, pause and steps, programs that a tick waits for, and hosts
// that hold the world back.
//
// There is no pace while a host holds the world back for programs of its own: they set it.
#pragma once

#include <map>
#include <optional>

#include "lockstep/controllers.h"
#include "lockstep/place.h"
#include "run/time_control.h"
#include "wire/lockstep.h"

namespace convoy {

struct LockstepPaceOptions {
  double speed = 0;     // simulated seconds per second; 0: as fast as possible
  bool paused = false;  // start so
  Duration tick_length{};
};

class LockstepPace final : public TimeControl {
 public:
  // `place` is kept up to date by its owner.
  LockstepPace(LockstepPaceOptions options, const LockstepPlace& place, Controllers& controllers)
      : options_(options), place_(place), controllers_(controllers) {}

  Tick pause() override;
  bool paused() const override { return options_.paused; }
  void resume(Moment now) override;
  Status step(std::uint64_t ticks, std::function<void(Tick)> done) override;
  Status set_speed(double factor, Moment now) override;
  double speed() const override { return options_.speed; }

  // Time goes on from here at its speed.
  void begin(Moment now);
  void observe(Moment now) { last_now_ = now; }
  // When the last tick began.
  Moment tick_begun() const { return tick_begun_; }
  const Controllers& controllers() const { return controllers_; }
  // Nothing begins, however much time passes: paused, or held back by a host.
  bool at_rest() const { return (options_.paused && steps_left_ == 0) || held_back(); }
  // When the next tick may begin by pace and by programs' deadlines; in the past if nothing holds it.
  Moment due() const { return std::max(pace_due(), controllers_.until()); }
  // The programs that the next tick waits for, now that nothing else holds it.
  std::vector<std::string> awaited() const;

  void tick_begins(Moment now, const std::set<Owner>& guests);
  void tick_done();  // at the new boundary
  void run_over() { end_steps(); }
  void run_reset();

  // A program is done with a tick.
  Status program_done(Owner from, ByteView payload);
  // A host's word on how far it lets the world go; the answer, if it is to know where the world is for it.
  Result<std::optional<Allow>> allow(Owner from, ByteView payload);
  // It holds the world back no longer.
  void let_go(Owner host);

 private:
  Moment pace_due() const;
  bool held_back() const;
  void end_steps();

  LockstepPaceOptions options_;
  const LockstepPlace& place_;
  Controllers& controllers_;
  Moment origin_{};       // from where pace counts, in time
  Tick origin_tick_ = 0;  // and in ticks
  Moment last_now_{}, tick_begun_{};
  std::optional<std::pair<std::uint32_t, Tick>> opened_;  // run and tick that began last
  std::uint64_t steps_left_ = 0;
  std::function<void(Tick)> steps_done_;
  std::map<Owner, Tick> horizons_;  // of hosts that hold the world back
};

}  // namespace convoy
