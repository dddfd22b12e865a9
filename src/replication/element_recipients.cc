#include "replication/element_recipients.h"

#include <algorithm>

namespace convoy {

void ElementRecipients::note(const ElementChanged& change) {
  const ElementKey key{change.connection, change.id};
  if (change.reach.to.empty()) addressed_.erase(key);
  else addressed_[key] = change.reach;
}

bool ElementRecipients::reaches(const ElementKey& key, Owner member) const {
  if (key.connection == member) return false;
  const auto addressed = addressed_.find(key);
  if (addressed == addressed_.end()) return true;
  const auto name = names_->find(member);
  return name != names_->end() && is_addressed_to(addressed->second, name->second);
}

ElementChanged ElementRecipients::checked(ElementChanged change) const {
  if (!others_.inside) return change;
  for (const std::string& name : change.reach.to) {
    const auto is_called = [&](const auto& member) { return member.second == name; };
    if (name != kEverybody && !others_.inside(name) && std::none_of(names_->begin(), names_->end(), is_called))
      others_.unknown(change, name);
  }
  return change;
}

}  // namespace convoy
