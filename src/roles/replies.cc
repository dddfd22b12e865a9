#include "roles/replies.h"

#include <algorithm>

namespace convoy {

namespace {

template <class Caller>
void drop_oldest(Caller& of) {
  of.bytes -= of.replies.front().second.size();
  of.replies.pop_front();
}

}  // namespace

const std::string* Replies::known(Owner caller, std::uint64_t id) {
  Caller& of = callers_[caller];
  for (const auto& [known, text] : of.replies)
    if (known == id) return &text;
  of.replies.emplace_back(id, "");
  if (of.replies.size() <= kKeptReplies) return nullptr;
  // Never one that is being carried out: sent again, it would be done again.
  const auto answered =
      std::find_if(of.replies.begin(), of.replies.end(), [](const auto& r) { return !r.second.empty(); });
  if (answered != of.replies.end()) of.bytes -= answered->second.size(), of.replies.erase(answered);
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
  while (of.bytes > kKeptReplyBytes && of.replies.size() > 1 && of.replies.front().first != id) drop_oldest(of);
  return true;
}

}  // namespace convoy
