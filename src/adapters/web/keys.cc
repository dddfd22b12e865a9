#include "adapters/web/keys.h"

#include <algorithm>

namespace convoy::web {

namespace {

// In a time that does not tell where they differ.
bool same(const std::string& a, const std::string& b) {
  unsigned different = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    different |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return different == 0;
}

}  // namespace

std::optional<Access> Keys::access_of_token(const std::string& token) const {
  std::optional<Access> found;
  for (const Token& one : tokens_)
    if (same(one.text, token)) found = one.access;
  return found;
}

std::optional<Keys::Session> Keys::exchange(const std::string& token, Moment now) {
  const std::optional<Access> access = access_of_token(token);
  if (!access) return std::nullopt;
  std::erase_if(sessions_, [&](const auto& s) { return s.second.until <= now; });
  if (sessions_.size() >= kMaxSessions)
    sessions_.erase(std::min_element(sessions_.begin(), sessions_.end(),
                                     [](const auto& a, const auto& b) { return a.second.until < b.second.until; }));
  std::string id = draw_();
  sessions_[id] = {*access, now + kSessionLasts};
  return Session{std::move(id), *access};
}

std::optional<Access> Keys::access_of(const std::string& session, Moment now) const {
  const auto found = sessions_.find(session);
  if (found == sessions_.end() || found->second.until <= now) return std::nullopt;
  return found->second.access;
}

}  // namespace convoy::web
