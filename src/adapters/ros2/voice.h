// Who speaks for a run: of its clients in this domain the lowest-numbered that lives has /clock, /map and the services at the
// root.
//
//   outside     --enter()-->                                             listening
//   listening   --it is the lowest, and no process of the run speaks-->  speaking
//   speaking    --a lower one has lived for kLetsGoAfter-->              listening
//   any         --leave()-->                                             outside
//
// Who lives is what DDS has discovered: each process of a run has the run and its client's number in its USER_DATA, and its
// client's node is told of once it has a world. It is gone when it says so, or when its lease is over. So a client takes
// the voice only once the one before it has none any more, and a lower one that comes back waits until it was let go.
#pragma once

#include <optional>

#include "adapters/ros2/domain.h"

namespace convoy::ros2 {

inline constexpr Duration kLetsGoAfter = std::chrono::seconds(1);  // one that comes and goes is no reason
inline constexpr std::uint32_t kFirstClient = 1;

struct VoiceOptions {
  std::uint32_t number = kFirstClient;  // of the client
  Duration limit{};                     // within it all that live are discovered, and the lost are given up
};

class Voice {
 public:
  // The domain outlives it; `party` is the client's in it.
  Voice(Domain& domain, Party party, VoiceOptions options) : domain_(domain), party_(party), options_(options) {}
  ~Voice() { leave(); }
  Voice(const Voice&) = delete;

  // The client has a world. `begins`: and the run is at its beginning, so that nobody has spoken yet.
  void enter(Moment now, bool begins);
  void leave();
  bool entered() const { return settled_.has_value(); }
  // Looks who is there. True: this client speaks, from now on or still.
  bool follow(Moment now);

 private:
  void look();

  Domain& domain_;
  Party party_;
  VoiceOptions options_;
  std::optional<Moment> settled_;      // when all others are discovered
  std::optional<Moment> lower_since_;  // lives one that comes before this
  bool spoken_ = false;                // another has been heard of that speaks: the others are discovered
  struct Seen {
    std::optional<std::uint64_t> version;  // of the graph
    bool lower = false, speaks = false;    // among other processes
  } seen_;
};

}  // namespace convoy::ros2
