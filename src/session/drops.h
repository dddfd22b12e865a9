// The reasons for which input from a peer is dropped, each with a name and a count.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "wire/frame.h"

namespace convoy {

enum class Drop : std::uint8_t {
  kTooLarge,  // a frame or datagram above its bound
  kBadChecksum,
  kMalformed,          // cannot be parsed
  kUnknownType,        // first byte names no message
  kUnexpected,         // a message that this state or role may not send
  kNotAllowed,         // a message that these credentials do not let it send
  kHandshakeTimeout,   // connected, sent nothing in time
  kDeclined,           // refused with a reason
  kFull,               // too many links or half-open ones
  kUdpTimeout,         // numbered, but no datagram came
  kUnknownConnection,  // number neither pending nor registered
  kBadToken,
  kWrongEndpoint,  // right number, other address, nonce not answered
  kBadNonce,
  kOldRun,    // a datagram of a run before the reset
  kReplayed,  // sequence seen or too old
  kFutureStamp,
  kStaleStamp,  // not newer than what is stored
  kWrongElementType,
  kUnknownElementType,
  kForeignElement,   // an element in another connection's name
  kTooManyElements,  // a bound on elements or their bytes
  kElementGone,      // sent before the newest full list, which does not have it
  kOldList,          // of a list before the newest complete one
  kBadList,          // contradicts its list's other parts
  kForNobody,        // an element names somebody whom there is not; the others that it names get it
  kUnknownEntity,    // a state of no known entity; it may be of the entity's last moments
  kNotOwner,         // a state of an entity that another host runs
  kNotFinite,        // NaN or infinity
  kDuplicateFrame,
  kGap,        // a counted frame was skipped
  kSlowPeer,   // its queue was full
  kQueueFull,  // elements that no handler had got to yet when newer ones came; their sender sends them again
  kAssetUnknown,
  kCount,
};
const char* name_of(Drop reason);
// Why a stream ended. There must be trouble.
Drop drop_of(FrameReader::Trouble trouble);

class Drops {
 public:
  void count(Drop reason, std::uint64_t n = 1) { counts_[static_cast<std::size_t>(reason)] += n; }
  std::uint64_t of(Drop reason) const { return counts_[static_cast<std::size_t>(reason)]; }
  std::uint64_t total() const;
  // Reasons that have occurred, by name.
  std::map<std::string, std::uint64_t> named() const;

 private:
  std::array<std::uint64_t, static_cast<std::size_t>(Drop::kCount)> counts_{};
};

}  // namespace convoy
