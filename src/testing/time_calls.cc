#include "testing/time_calls.h"

#include "testing/requests.h"
#include "testing/virtual_log.h"

namespace convoy::testing {

void TimeCalls::ask(const proto::Request& request) {
  net_.at(net_.now() + millis(random_.uniform(0, 80)), [this, request] { caller_.send(request); });
}

void TimeCalls::begin() {
  if (phase_ != Phase::kIdle) return;
  phase_ = Phase::kPausing;
  steps_left_ = random_.below(4);
  ask(just([](Request& r) { r.mutable_pause(); }));
}

void TimeCalls::listen() {
  for (; received_ < caller_.replies(); ++received_) {
    const bool fine = caller_.reply_at(received_).error() == 0;  // else the run is over
    pauses_ += fine && phase_ == Phase::kPausing;
    steps_ += fine && phase_ == Phase::kStepping;
    if (phase_ == Phase::kResuming) {
      phase_ = Phase::kIdle;
    } else if (fine && steps_left_ > 0) {
      phase_ = Phase::kStepping;
      --steps_left_;
      ask(step(1 + random_.below(7)));
    } else {
      phase_ = Phase::kResuming;
      ask(just([](Request& r) { r.mutable_resume(); }));
    }
  }
}

}  // namespace convoy::testing
