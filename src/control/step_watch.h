// Ends steps for which no tick comes, because another host holds the world or the run is paused.
#pragma once

#include <string>

#include "control/requests.h"
#include "control/stepping.h"

namespace convoy::control {

inline constexpr Duration kSlowStep = std::chrono::milliseconds(100);  // without a tick: is the run paused?

class StepWatch {
 public:
  // `doors`: what the server is sent with each question. All outlive it.
  StepWatch(Requests& requests, Stepping& stepping, const Sessions& sessions, const std::string& doors)
      : requests_(requests), stepping_(stepping), sessions_(sessions), doors_(doors) {}

  void ticked() { ticked_ = true; }
  void on_time(Moment now);
  void answered(const GatewayAnswer& answer);

 private:
  Duration waited(const Request& request) const { return now_ - std::max(request.since, last_tick_); }

  Requests& requests_;
  Stepping& stepping_;
  const Sessions& sessions_;
  const std::string& doors_;
  std::uint64_t question_ = 0;  // the wish that asks whether the run is paused; 0: none is on its way
  bool ticked_ = false;         // since the last on_time()
  Moment now_{}, last_tick_{};
};

}  // namespace convoy::control
