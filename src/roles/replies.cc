#include "roles/replies.h"

#include <algorithm>

namespace convoy {

namespace {

// The oldest answer, but for that to `id`. Never a call that is being carried out: sent again, it would be done again.
template <class Caller>
bool drop_oldest(Caller& of, std::uint64_t id) {
  const auto oldest = std::find_if(of.replies.begin(), of.replies.end(),
                                   [&](const auto& reply) { return reply.first != id && !reply.second.empty(); });
  if (oldest == of.replies.end()) return false;
  of.bytes -= oldest->second.size();
  of.replies.erase(oldest);
  return true;
}

}  // namespace

const std::string* Replies::known(Owner caller, std::uint64_t id) {
  Caller& of = callers_[caller];
  for (const auto& [known, text] : of.replies)
    if (known == id) return &text;
  of.replies.emplace_back(id, "");
  if (of.replies.size() > kKeptReplies) drop_oldest(of, id);
  return nullptr;
}

bool Replies::keep(Owner caller, std::uint64_t id, const std::string& serialized) {
  const auto found = callers_.find(caller);
  if (found == callers_.end()) return false;
  Caller& of = found->second;
  for (auto& [known, text] : of.replies) {
    if (known != id) continue;
    of.bytes += serialized.size() - text.size();
    text = serialized;
  }
  while (of.bytes > kKeptReplyBytes && drop_oldest(of, id)) {}
  return true;
}

}  // namespace convoy
