// The server's clock as a client knows it: probes, a minimum-delay filter, and a slew that never goes backwards.
//
// Each probe carries the client's time out and the server's time back. The offset of one exchange is
//   server - (sent + received) / 2,  wrong by at most half of what the two ways differ in length,
// and the exchange with the shortest round trip of the last kWindow is trusted. The clock that is read moves towards
// it at no more than kSlew, so that it neither jumps nor stops; only the first answer sets it at once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "convoy/time.h"

namespace convoy {

class ClockSync {
 public:
  static constexpr std::size_t kWindow = 16;  // exchanges that are remembered
  static constexpr int kQuickProbes = 8;      // at login, before the steady rate; more if none was answered
  static constexpr Duration kQuick = std::chrono::milliseconds(20);
  // While fewer than these were answered: the first ones are lost if they overtake the register datagram. kWindow of
  // them last longer than kLongest, so that slow answers still find their probe.
  static constexpr Duration kAgain = std::chrono::milliseconds(150);
  static constexpr Duration kSteady = std::chrono::seconds(1);
  static constexpr double kSlew = 0.01;                             // at most 10 ms a second
  static constexpr Duration kJump = std::chrono::milliseconds(50);  // beyond both errors: more than drift in the window
  static constexpr Duration kLongest = std::chrono::seconds(2);     // round trips beyond this are ignored

  // When the next probe is due.
  Moment next_probe() const { return next_probe_; }
  // A probe leaves now: its number, to be echoed.
  std::uint32_t probe(Moment now);
  // The answer to probe `number`: the server's clock when it answered. Unknown and repeated numbers are ignored
  // (false).
  bool answer(std::uint32_t number, Moment server, Moment now);

  bool synchronised() const { return offset_.has_value(); }
  // The server's clock now. Never less than what it gave before: after a jump back it stands until it is true again.
  Moment server_time(Moment now);

  Duration offset() const { return offset_ ? *offset_ : Duration{0}; }  // as read, server - local
  Duration target() const { return target_; }                           // as measured
  Duration delay() const { return delay_; }                             // round trip of the trusted exchange
  Duration error_bound() const { return delay_ / 2; }
  std::uint64_t answers() const { return answers_; }

 private:
  struct Probe {
    std::uint32_t number = 0;
    Moment sent{};
    bool open = false;
  };
  struct Exchange {
    Duration offset{}, delay{};
  };
  std::array<Probe, kWindow> probes_{};
  std::array<Exchange, kWindow> exchanges_{};
  std::size_t exchanged_ = 0;
  std::uint32_t next_number_ = 1;
  Moment next_probe_{};
  std::optional<Duration> offset_;
  Duration target_{}, delay_{};
  Moment slewed_{};
  Moment given_ = Moment::min();
  std::uint64_t answers_ = 0;
};

}  // namespace convoy
