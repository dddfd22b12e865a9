#include "session/clock_sync.h"

#include <algorithm>

namespace convoy {

std::uint32_t ClockSync::probe(Moment now) {
  const std::uint32_t number = next_number_++;
  probes_[number % kWindow] = {number, now, true};
  next_probe_ = now + (number < kQuickProbes ? kQuick : answers_ < kQuickProbes ? kAgain : kSteady);
  return number;
}

bool ClockSync::answer(std::uint32_t number, Moment server, Moment now) {
  Probe& probe = probes_[number % kWindow];
  if (!probe.open || probe.number != number) return false;
  probe.open = false;
  const Duration delay = now - probe.sent;
  if (delay.count() < 0 || delay > kLongest) return false;
  const Moment middle = probe.sent + delay / 2;
  const Exchange heard{server - middle, delay};
  const bool jumped = exchanged_ > 0 && std::chrono::abs(heard.offset - target_) > (heard.delay + delay_) / 2 + kJump;
  if (jumped) exchanged_ = 0;
  exchanges_[exchanged_++ % kWindow] = heard;
  ++answers_;
  const auto end = exchanges_.begin() + static_cast<std::ptrdiff_t>(std::min(exchanged_, kWindow));
  const Exchange best = *std::min_element(exchanges_.begin(), end,
                                          [](const Exchange& a, const Exchange& b) { return a.delay < b.delay; });
  server_time(now);  // what has passed was slewed towards the old target
  target_ = best.offset;
  delay_ = best.delay;
  if (!offset_ || jumped) offset_ = target_, slewed_ = now;
  return true;
}

Moment ClockSync::server_time(Moment now) {
  if (offset_ && now > slewed_) {
    const auto most = Duration(static_cast<std::int64_t>(static_cast<double>((now - slewed_).count()) * kSlew));
    *offset_ += std::clamp(target_ - *offset_, -most, most);
    slewed_ = now;
  }
  given_ = std::max(given_, now + offset());
  return given_;
}

}  // namespace convoy
