// Sends a question of the server to all hosts and collects the answers. The content is opaque here.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <vector>

#include "core/ports.h"
#include "wire/lockstep.h"

namespace convoy {

class Questions {
 public:
  using Done = std::function<void(std::vector<Bytes>)>;  // answers by owner, without hosts that left or were late
  using Send = std::function<void(Owner, FrameType, const Payload&)>;

  // Hosts that have not answered by `until` are late.
  void ask(const std::vector<Owner>& hosts, Bytes question, Moment until, Done done, const Send& send);
  void on_time(Moment now);
  Moment deadline() const;
  Status answered(Owner from, ByteView payload);
  void left(Owner owner);

 private:
  struct PendingQuestion {
    std::set<Owner> waiting;
    std::map<Owner, Bytes> answers;
    Done done;
    Moment until = kNever;
  };
  void settle(std::uint64_t id);

  std::map<std::uint64_t, PendingQuestion> open_;
  std::uint64_t next_ = 1;
};

}  // namespace convoy
