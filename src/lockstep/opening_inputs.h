// Inputs that take effect when the next tick opens, in the order in which they came.
#pragma once

#include <vector>

#include "convoy/result.h"
#include "lockstep/place.h"
#include "lockstep/watchers.h"

namespace convoy {

// Of one tick; more are refused, so that Open stays a frame.
inline constexpr std::size_t kMaxInputs = 8192;
inline constexpr std::size_t kMaxInputBytes = 768 * 1024;

class OpeningInputs {
 public:
  // Refused when there are kMaxInputs, or kMaxInputBytes of them.
  Status add(Input input) {
    const std::size_t bytes = 1 + std::visit([](const auto& one) { return save(one).size(); }, input);
    if (inputs_.size() >= kMaxInputs || bytes_ + bytes > kMaxInputBytes)
      return fail(ErrorCode::kUnavailable, "too many commands for one tick");
    bytes_ += bytes;
    add_journalled(std::move(input));
    return {};
  }
  void add_journalled(Input input) { inputs_.push_back(std::move(input)); }  // was let in once
  void clear() { inputs_.clear(), bytes_ = 0; }
  // For the tick that opens; they are journalled.
  std::vector<Input> take(const LockstepPlace& place, RunWatchers& watchers) {
    bytes_ = 0;
    for (const Input& input : inputs_) watchers.entered({place.run, place.tick, input});
    return std::exchange(inputs_, {});
  }

 private:
  std::vector<Input> inputs_;
  std::size_t bytes_ = 0;  // of those that were added
};

}  // namespace convoy
