// Questions of the server to all hosts, whose answers come back together. What they are about is nobody's business here.
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
  using Done = std::function<void(std::vector<Bytes>)>;  // by owner; of those that have left or are late, nothing
  using Send = std::function<void(Owner, FrameType, const Payload&)>;

  // Hosts that have not answered by `until` are late.
  void ask(const std::vector<Owner>& hosts, Bytes question, Moment until, Done done, const Send& send);
  void on_time(Moment now);
  Moment deadline() const;
  Status answered(Owner from, ByteView payload);
  void left(Owner owner);

 private:
  struct Open {
    std::set<Owner> waiting;
    std::map<Owner, Bytes> answers;
    Done done;
    Moment until = kNever;
  };
  void settle(std::uint64_t id);

  std::map<std::uint64_t, Open> open_;
  std::uint64_t next_ = 1;
};

}  // namespace convoy
