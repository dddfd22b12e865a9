// The sessions of one host's doors: each has a name, and ends when it has been silent for longer than its timeout.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "control/refusal.h"
#include "convoy/time.h"

namespace convoy::control {

using SessionId = std::string;  // empty: a caller without a session

inline constexpr std::size_t kMaxSessions = 1000;
inline constexpr std::size_t kMaxSessionsOfOne = 100;  // that come by one connection

// How much of a robot an observation has: positions and velocities; also activations and sensors; also controls.
enum class Level : std::uint8_t { kNone, kMinimal, kStandard, kFull };

struct Session {
  Duration timeout{};  // of wall time
  Level level = Level::kStandard;
  Moment heard{};      // of it, last
  std::string peer;    // the connection that it was opened by
  std::string holder;  // as whom it holds leases
};

class Sessions {
 public:
  // `nonce`: in the names of sessions, another in each process.
  explicit Sessions(std::uint64_t nonce) : nonce_(nonce) {}

  bool full() const { return sessions_.size() >= kMaxSessions; }
  std::size_t size() const { return sessions_.size(); }
  // Refused where there are kMaxSessions already, or kMaxSessionsOfOne of `peer`: none is thrown out. `peer` is any text
  // that tells connections apart; empty: not known.
  // `holder`: valid_holder(), or empty: session:1 and so on, by the sessions opened here so far. Two of one name hold
  // together.
  Checked<SessionId> open(Duration timeout, Level level, Moment now, const std::string& peer = {},
                          const std::string& holder = {});
  void close(const SessionId& id) { sessions_.erase(id); }
  // Null: there is no such session, or no longer.
  const Session* find(const SessionId& id) const;
  const std::string& holder(const SessionId& id) const;  // empty: of none
  // Has another session that holder's name?
  bool shared(const SessionId& id) const;
  // It has sent something, or waits for an answer. False: there is no such session.
  bool hear(const SessionId& id, Moment now);
  // Those that have been silent for longer than their time.
  std::vector<SessionId> silent(Moment now) const;

 private:
  std::uint64_t nonce_, made_ = 0;
  std::map<SessionId, Session> sessions_;
};

}  // namespace convoy::control
