#include "control/sessions.h"

#include <fmt/format.h>

#include <algorithm>

namespace convoy::control {

Checked<SessionId> Sessions::open(Duration timeout, Level level, Moment now, const std::string& peer,
                                  const std::string& holder) {
  if (full()) return refuse(Reason::kTooManySessions, fmt::format("{} sessions are open already", kMaxSessions));
  const auto same = [&](const auto& one) { return one.second.peer == peer; };
  if (!peer.empty() &&
      std::count_if(sessions_.begin(), sessions_.end(), same) >= static_cast<std::ptrdiff_t>(kMaxSessionsOfOne))
    return refuse(Reason::kTooManySessions,
                  fmt::format("{} sessions of this connection are open already", kMaxSessionsOfOne));
  SessionId id = fmt::format("{:x}-{}", nonce_, ++made_);
  sessions_.emplace(id, Session{timeout, level, now, peer, holder.empty() ? fmt::format("session:{}", made_) : holder});
  return id;
}

const Session* Sessions::find(const SessionId& id) const {
  const auto it = sessions_.find(id);
  return it == sessions_.end() ? nullptr : &it->second;
}

const std::string& Sessions::holder(const SessionId& id) const {
  static const std::string kNobody;
  const Session* session = find(id);
  return session ? session->holder : kNobody;
}

bool Sessions::shared(const SessionId& id) const {
  return std::any_of(sessions_.begin(), sessions_.end(),
                     [&](const auto& one) { return one.first != id && one.second.holder == holder(id); });
}

bool Sessions::hear(const SessionId& id, Moment now) {
  const auto it = sessions_.find(id);
  if (it == sessions_.end()) return false;
  it->second.heard = now;
  return true;
}

std::vector<SessionId> Sessions::silent(Moment now) const {
  std::vector<SessionId> out;
  for (const auto& [id, session] : sessions_)
    if (now - session.heard > session.timeout) out.push_back(id);
  return out;
}

}  // namespace convoy::control
