// A tick that is open and cannot begin yet, with the frames that come meanwhile: others send what they made of theirs.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "wire/lockstep.h"

namespace convoy {

class HeldTick {
 public:
  void hold(Open open) { open_ = std::move(open); }
  bool any() const { return open_.has_value(); }
  Open take() { return *std::exchange(open_, std::nullopt); }
  // True: it is one that has to wait, and is kept.
  bool keeps(FrameType type, const Payload& payload) {
    static constexpr FrameType kKept[] = {FrameType::kImage, FrameType::kStates, FrameType::kMessages,
                                          FrameType::kAsk,   FrameType::kAllow,  FrameType::kFinish,
                                          FrameType::kEdits, FrameType::kOpen};
    if (!open_ || std::find(std::begin(kKept), std::end(kKept), type) == std::end(kKept)) return false;
    frames_.emplace_back(type, payload.shared());
    return true;
  }
  // The next of them, in their order; nothing: there is none.
  std::optional<std::pair<FrameType, Payload>> next() {
    if (frames_.empty()) return {};
    auto out = std::move(frames_.front());
    frames_.pop_front();
    return out;
  }

 private:
  std::optional<Open> open_;
  std::deque<std::pair<FrameType, Payload>> frames_;
};

}  // namespace convoy
