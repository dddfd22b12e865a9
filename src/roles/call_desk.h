// Takes members' calls: each is carried out once and answered once, and who makes many is kept from holding up who
// makes few. At most kCallsOfTurn of a member are carried out in a turn, which lasts kTurn or as long as its calls take;
// what is more waits for the next one, and calls that came from others meanwhile go first.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "convoy/control.pb.h"
#include "roles/calls.h"
#include "roles/evictions.h"
#include "roles/file_desk.h"
#include "roles/lease_book.h"
#include "roles/model_desk.h"
#include "roles/replies.h"
#include "run/run.h"
#include "session/membership.h"

namespace convoy {

inline constexpr int kCallsOfTurn = 64;  // of one member, between two of another
inline constexpr Duration kTurn = std::chrono::milliseconds(1);
// Not answered yet, of one connection; a host's are those of all programs at its doors. A lone call is always taken.
inline constexpr std::size_t kOpenCalls = 1024, kOpenCallsOfHost = 16'384;
inline constexpr std::size_t kOpenCallBytes = std::size_t{4} << 20;

class CallDesk {
 public:
  // `audit` and `judges` may be null. All outlive it.
  CallDesk(Run& run, Membership& membership, Evictions& evictions, Audit* audit, ModelJudge judge, Handlers* judges)
      : run_(run),
        membership_(membership),
        evictions_(evictions),
        audit_(audit),
        files_(run),
        models_(run, files_, std::move(judge), judges) {}
  CallDesk(const CallDesk&) = delete;

  void take(Member& member, ByteView payload, Moment now);
  // The next turn: calls that wait, of each member in its turn.
  void proceed(Moment now);
  // Of the next turn; kNever: no call waits for one.
  Moment deadline() const;
  // Sends the answers to hosts, each after the edit that it reports.
  void reply_to_hosts();
  void left(Owner member);
  // A line for each member that makes more calls than are carried out, or brings more files than it may; of one member
  // now and then.
  std::vector<std::string> take_news(Moment now);

 private:
  struct Waiting {
    proto::Request request;
    std::size_t bytes = 0;
  };
  struct Caller {
    std::deque<Waiting> queue;
    int carried_out = 0;  // in this turn
    std::size_t open = 0, open_bytes = 0;
    std::uint64_t refused = 0, refused_named = 0;
    Moment behind_since = kNever, named = kNever;
  };
  void begin(Member& member, const proto::Request& request, std::size_t bytes, Moment now);
  void kick(const proto::Request& request, const Answer& answer);
  void add_file(const proto::Request& request, Owner from, const Answer& answer);
  void reply(Owner to, std::uint64_t id, const std::string& serialized);

  Run& run_;
  Membership& membership_;
  Evictions& evictions_;
  Audit* audit_;
  FileDesk files_;
  ModelDesk models_;
  Replies replies_;
  Moment turn_ends_{};
  std::map<Owner, Caller> callers_;
  std::map<Owner, std::string> doors_;  // what hosts report of theirs
  LeaseBook leases_;
};

}  // namespace convoy
