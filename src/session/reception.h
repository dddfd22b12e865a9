// Links that have not said yet who they are, and what is said to those that are not let in.
//
//   reception.open(link, from, listening.time());
//   if (reception.has(link))
//     if (const auto hello = reception.read(link, bytes)) ...   // whole: greet, then leave() or decline()
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/ports.h"
#include "session/audit.h"
#include "session/drops.h"
#include "session/listening.h"
#include "wire/frame.h"

namespace convoy {

// Codes in Decline, beside the text.
enum class DeclineCode : std::uint32_t {
  kMalformed = 1,
  kProtocol = 2,
  kBuild = 3,
  kFingerprint = 4,
  kFull = 5,
  kName = 6,
  kCredentials = 7,
  kRole = 8,
  kToken = 9,
  kEnded = 10,
  kCode = 11,      // after Ready: another build of users' code than the others have
  kNameHeld = 12,  // for now: dial again
};

// A wrong secret is answered so much later, in listened time: guessing takes that long for each of the links that an
// address may have half open.
inline constexpr Duration kWrongSecretDelay = std::chrono::seconds(1);

struct ReceptionRules {
  std::size_t max_links = 256;         // half open; one more closes the oldest
  std::size_t max_links_of_peer = 16;  // of one address, if it is not this machine's
  Duration timeout = std::chrono::seconds(5);
};

class Reception {
 public:
  // `audit` may be null.
  Reception(ReceptionRules rules, Network& network, Drops& drops, Log& log, Audit* audit)
      : rules_(rules), network_(network), drops_(drops), log_(log), audit_(audit) {}

  // `now` and all times here: of Listening::time().
  void open(LinkId link, const Endpoint& from, Duration now);
  bool has(LinkId link) const { return links_.count(link) > 0; }
  // The payload of its Hello, which lives until leave() or decline(). Nothing: more must come, or it has been declined.
  std::optional<ByteView> read(LinkId link, ByteView bytes);
  // It is somebody: its reader goes on with it, and the bytes behind the Hello.
  FrameReader leave(LinkId link);
  void forget(LinkId link) { links_.erase(link); }

  // Says why, and that it is worth dialling again for so long beyond the usual (0: no longer), and closes it.
  void decline_for_now(LinkId link, DeclineCode code, const std::string& text, Duration longer);
  // Says why, and closes it. `at`: not before then.
  void decline(LinkId link, DeclineCode code, const std::string& text, Duration at = {});
  void on_time(Moment now, Duration listened);
  // When on_time() has something to do for the links; `most`: that one pass adds to the listened time.
  Moment deadline(const Listening& listening, Duration most) const;

 private:
  struct Link {
    Endpoint from;  // without the port
    FrameReader reader;
    Duration since{};
    std::optional<Bytes> declined;  // the frame that waits for `due`; what it says is read no more
    Duration due{};
  };
  using Links = std::map<LinkId, Link>;
  void close_oldest(const Endpoint* from);  // of this address, or of all
  void count_decline(LinkId link, const std::string& text);

  ReceptionRules rules_;
  Network& network_;
  Drops& drops_;
  Log& log_;
  Audit* audit_;
  Links links_;
  Moment next_period_{};
  std::uint64_t declined_lately_ = 0;  // since the last period of log lines began
};

}  // namespace convoy
