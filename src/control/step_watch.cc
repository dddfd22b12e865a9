#include "control/step_watch.h"

#include <algorithm>

#include "control/run_status.h"

namespace convoy::control {

void StepWatch::on_time(Moment now) {
  now_ = now;
  if (std::exchange(ticked_, false)) last_tick_ = now;
  bool slow = false;
  requests_.give_up([&](const Request& request) -> std::optional<Refusal> {
    const Session* session = sessions_.find(request.session);
    if (!session) return std::nullopt;
    slow = slow || waited(request) > kSlowStep;
    if (waited(request) <= session->timeout) return std::nullopt;
    stepping_.give_up(request.session);
    return Refusal{Reason::kStepTimeout, "no tick for as long as the session's timeout: others hold the world"};
  });
  if (slow && question_ == 0) question_ = requests_.wish({0, GatewayWish::Kind::kQuery, {}, 0, doors_});
}

void StepWatch::answered(const GatewayAnswer& answer) {
  if (answer.id != question_) return;
  question_ = 0;
  if (!read_status(answer.text).paused) return;
  requests_.give_up([&](const Request& request) -> std::optional<Refusal> {
    if (!sessions_.find(request.session) || waited(request) < kSlowStep) return std::nullopt;
    stepping_.give_up(request.session);
    return Refusal{Reason::kPaused, "the run is paused"};
  });
}

}  // namespace convoy::control
