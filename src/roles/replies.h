// Replies to calls that were answered, of each connection: a repeated call is answered again, not done again.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "convoy/ids.h"

namespace convoy {

// Of one connection. The oldest go first; the newest stays, however large, and so do calls without an answer yet.
inline constexpr std::size_t kKeptReplies = 1024;
inline constexpr std::size_t kKeptReplyBytes = std::size_t{4} << 20;

class Replies {
 public:
  struct Later {
    Owner to;
    std::uint64_t id;
    std::string serialized;
  };

  // Null: the call is new, and is carried out from now on. Else its reply; empty while it is being carried out.
  const std::string* known(Owner caller, std::uint64_t id);
  // False: the caller is gone.
  bool keep(Owner caller, std::uint64_t id, const std::string& serialized);
  void forget(Owner caller) { callers_.erase(caller); }

  // Replies to hosts wait here for the edits that they report.
  void later(Later reply) { later_.push_back(std::move(reply)); }
  std::vector<Later> take_later() { return std::exchange(later_, {}); }

 private:
  struct Caller {
    std::deque<std::pair<std::uint64_t, std::string>> replies;  // by id; "" while it is being carried out
    std::size_t bytes = 0;
  };
  std::map<Owner, Caller> callers_;
  std::vector<Later> later_;
};

}  // namespace convoy
