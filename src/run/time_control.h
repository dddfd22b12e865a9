// How people and programs govern a run's time: pause, resume, step, speed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "convoy/result.h"
#include "convoy/time.h"
#include "core/ports.h"

namespace convoy {

class TimeControl {
 public:
  virtual ~TimeControl() = default;
  virtual Tick pause() = 0;  // the boundary at which time will pause
  virtual bool paused() const = 0;
  virtual void resume(Moment now) = 0;
  // n more ticks, then paused again; `done` gets the boundary reached. Only while paused.
  virtual Status step(std::uint64_t ticks, std::function<void(Tick)> done) = 0;
  // Simulated seconds per second.
  virtual Status set_speed(double factor, Moment now) = 0;
  virtual double speed() const = 0;
};

}  // namespace convoy
