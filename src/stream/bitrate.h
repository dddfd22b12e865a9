// How many bits a stream may have, by what its players lose: the worst of them decides, within bounds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace convoy::stream {

// What a player's receiver says of our packets (RTCP).
struct PlayerReport {
  bool given = false;
  std::uint64_t lost = 0;    // packets, since it came
  double fraction_lost = 0;  // 0 to 1, since its last report
  double round_trip_s = 0;
};

class Bitrate {
 public:
  static constexpr double kMuch = 0.1, kLittle = 0.02;  // fractions lost: less from the first on, more up to the second
  static constexpr double kLess = 0.7, kMore = 1.08;    // at a time
  static constexpr std::uint32_t kFloor = 8;            // of the most: its part that is never taken away

  explicit Bitrate(std::uint32_t most) : most_(most), kbit_(most) {}

  std::uint32_t kbit() const { return static_cast<std::uint32_t>(kbit_); }
  // Once a second. True: it is another now.
  bool take(std::span<const PlayerReport> reports);
  // What it is, where that is worth a line: at most half of what was said last, or all that there may be again.
  std::optional<std::uint32_t> news();

 private:
  std::uint32_t most_, said_ = most_;
  double kbit_;
};

}  // namespace convoy::stream
