// Questions of the server to all hosts, whose answers come back together. What they are about is nobody's business here.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <vector>

#include "wire/lockstep.h"

namespace convoy {

class Questions {
 public:
  using Done = std::function<void(std::vector<Bytes>)>;  // by owner; of those that have left, nothing
  using Send = std::function<void(Owner, FrameType, const Payload&)>;

  void ask(const std::vector<Owner>& hosts, Bytes question, Done done, const Send& send);
  Status answered(Owner from, ByteView payload);
  void left(Owner owner);

 private:
  struct Open {
    std::set<Owner> waiting;
    std::map<Owner, Bytes> answers;
    Done done;
  };
  void settle(std::uint64_t id);

  std::map<std::uint64_t, Open> open_;
  std::uint64_t next_ = 1;
};

}  // namespace convoy
