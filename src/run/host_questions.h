// The server's questions to a host about its robots: answered at once, or at the next boundary where they are about what a
// robot feels and senses.
#pragma once

#include <functional>
#include <vector>

#include "agent/fleet.h"
#include "wire/lockstep.h"

namespace convoy {

class HostQuestions {
 public:
  using Send = std::function<void(Bytes)>;  // the payload of an answer
  explicit HostQuestions(Send send) : send_(std::move(send)) {}
  // The payload of a question. `fleet`: null before there is a world.
  Status take(ByteView payload, Fleet* fleet);
  // Where the fleet's world shows the boundary at which its agents are.
  void at_boundary(Fleet& fleet);

 private:
  Send send_;
  std::vector<Ask> waiting_;
};

}  // namespace convoy
