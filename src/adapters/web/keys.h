// Who may come in by a page: tokens of links, which are exchanged for sessions that expire.
//
// A token stands in a link's fragment, which browsers send to nobody; the session that it gives stands in messages.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "convoy/time.h"
#include "core/access.h"

namespace convoy::web {

inline constexpr Duration kSessionLasts = std::chrono::hours(12);  // from the exchange on
inline constexpr std::size_t kMaxSessions = 10'000;                // then the oldest goes

struct Token {
  std::string text;
  Access access = Access::kView;
};

class Keys {
 public:
  // `draw`: a new secret.
  Keys(std::vector<Token> tokens, std::function<std::string()> draw)
      : tokens_(std::move(tokens)), draw_(std::move(draw)) {}

  struct Session {
    std::string id;
    Access access;
  };
  // What the bearer of a token may; nothing: there is no such token.
  std::optional<Access> access_of_token(const std::string& token) const;
  // Nothing: no such token.
  std::optional<Session> exchange(const std::string& token, Moment now);
  // What the bearer of a session may; nothing: there is none, or it has expired.
  std::optional<Access> access_of(const std::string& session, Moment now) const;

 private:
  struct Lasting {
    Access access;
    Moment until;
  };
  std::vector<Token> tokens_;
  std::function<std::string()> draw_;
  std::map<std::string, Lasting> sessions_;
};

}  // namespace convoy::web
