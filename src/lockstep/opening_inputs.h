// Inputs that take effect when the next tick opens, in the order in which they came.
#pragma once

#include <vector>

#include "convoy/result.h"
#include "lockstep/place.h"
#include "lockstep/watchers.h"

namespace convoy {

// Of one tick; more are refused, so that Open stays a frame.
inline constexpr std::size_t kMaxInputs = 8192;

class OpeningInputs {
 public:
  // Refused when there are kMaxInputs.
  Status add(Input input) {
    if (inputs_.size() >= kMaxInputs) return fail(ErrorCode::kUnavailable, "too many commands for one tick");
    add_journalled(std::move(input));
    return {};
  }
  void add_journalled(Input input) { inputs_.push_back(std::move(input)); }  // was let in once
  void clear() { inputs_.clear(); }
  // For the tick that opens; they are journalled.
  std::vector<Input> take(const LockstepPlace& place, RunWatchers& watchers) {
    for (const Input& input : inputs_) watchers.entered({place.run, place.tick, input});
    return std::exchange(inputs_, {});
  }

 private:
  std::vector<Input> inputs_;
};

}  // namespace convoy
