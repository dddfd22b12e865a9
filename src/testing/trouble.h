// Makes trouble in a simulated network, from a seed. What it does is shorter than what makes a peer be given up: whatever
// comes of it, nobody is lost.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "testing/sim_net.h"

namespace convoy::testing {

enum class Mischief : std::uint8_t {
  kCut,
  kStall,
  kRefuse,      // the next that dials
  kHalfOpen,    // found by silence: needs a liveness limit
  kStopServer,  // for longer than the liveness limit, too
  kStopClient,  // the process as a whole
  kBusyClient,  // its thread alone, also for longer than the limit: signs of life go on
  kJumpClock,   // of the server or of a client
  kCount,
};
// About half of them, each with the same chance; one at least.
std::vector<Mischief> some_mischief(Random& random);

class Troublemaker {
 public:
  struct Options {
    std::uint64_t seed = 0;
    Duration every{};     // mean
    Duration liveness{};  // of the server; 0: off
    std::vector<Mischief> kinds{};
    bool verbose = false;
  };
  // Whom it may hit: its client in the network, and that of its signs of life.
  struct Victim {
    std::string name;
    std::size_t client = 0;
    std::optional<std::size_t> signs{};
  };

  Troublemaker(Options options, SimNet& net) : options_(std::move(options)), net_(net), random_{options_.seed, 0} {}

  void add(Victim victim) { victims_.push_back({.who = std::move(victim)}); }
  // From now on, until end().
  void begin();
  void end() { over_ = true; }
  // The link of the given victim, or of the next one that has a link.
  void cut_near(std::size_t victim);
  // When all has come to rest: what stands still goes on, and a clock that was ahead is true again.
  Duration aftermath() const { return 3 * limit() + jumped_; }
  // How often it kept a client busy for longer than the liveness limit.
  std::uint64_t busy_for_long() const { return busy_for_long_; }

 private:
  struct Hit {
    Victim who;
    Moment quiet_until{};  // no more trouble before: silence may not add up to the liveness limit
    std::optional<Moment> cut_last{}, cut_before{};  // the last two cuts
  };
  void make();
  void cut(Hit& hit);
  Duration limit() const {
    return options_.liveness.count() > 0 ? options_.liveness : Duration(std::chrono::seconds(2));
  }

  Options options_;
  SimNet& net_;
  Random random_;
  std::vector<Hit> victims_;
  Moment busy_until_{};
  Moment server_quiet_until_{};  // each pause in which it did not listen counts a little as everybody's silence
  bool over_ = false;
  std::uint64_t busy_for_long_ = 0;
  Duration jumped_{};  // all clocks together
};

}  // namespace convoy::testing
