// Agents on their way from one owner to another, before an edit that needs them on one host.
//
// An agent is never split: what is attached to another host's robot moves to that host first, with its inner state. The
// edit waits, and all behind it, until the owner has answered or is lost.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "agent/software.h"
#include "wire/lockstep.h"

namespace convoy {

// What has to move before an edit can be carried out.
struct HandOverNeed {
  Owner from = kNobody, to = kNobody;
  std::vector<WorldNumber> agents;  // ascending
};

// Nothing: the edit needs no agents anywhere else, or will be refused.
std::optional<HandOverNeed> hand_over_for(const World& world, const Edit& edit);

class HandOver {
 public:
  bool under_way() const { return need_.has_value(); }
  bool concerns(Owner owner) const { return need_ && (need_->from == owner || need_->to == owner); }
  void begin(HandOverNeed need) {
    EXPECTS(!need_);
    need_ = std::move(need);
  }
  void cancel() {
    need_.reset();
    inner_.clear();
  }
  // Inner bytes of agents, as `from` sends them: the moves to be made, once they are all there. Those that are
  // no longer waited for are late, not wrong.
  std::vector<Move> take(Owner from, InnerBytes& more);

 private:
  std::optional<HandOverNeed> need_;
  std::map<WorldNumber, Bytes> inner_;
};

}  // namespace convoy
