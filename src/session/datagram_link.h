// Sequence numbers of the datagrams between two peers: duplicates, acknowledgements sent, acknowledgements received.
//
//   sending:    link.stamp(datagram)                 fills seq, ack and ack bits
//   receiving:  if (!link.take(datagram)) drop       seen before, or too old to know
//               link.acked(datagram, [](seq) {...})  each sent datagram that the peer has now, once
//               link.keep(datagram)                  its content was used: acknowledge it
//
// Bit i of the ack bits acknowledges seq ack - 1 - i.
#pragma once

#include <cstdint>

#include "wire/datagram.h"

namespace convoy {

class DatagramLink {
 public:
  static constexpr std::uint32_t kWindow = 64;  // of numbers below the newest that can still be distinguished

  void stamp(Datagram& datagram) {
    datagram.seq = ++sent_;
    datagram.ack = kept_newest_;
    datagram.ack_bits = static_cast<std::uint32_t>(kept_ >> 1);
  }
  std::uint32_t sent() const { return sent_; }
  std::uint32_t newest() const { return newest_; }

  bool take(const Datagram& datagram) {
    if (datagram.seq == 0) return false;
    if (datagram.seq > newest_) {
      const std::uint32_t ahead = datagram.seq - newest_;
      seen_ = ahead < kWindow ? seen_ << ahead : 0;
      seen_ |= 1;
      newest_ = datagram.seq;
      return true;
    }
    const std::uint32_t behind = newest_ - datagram.seq;
    if (behind >= kWindow || (seen_ >> behind & 1) != 0) return false;
    seen_ |= std::uint64_t{1} << behind;
    return true;
  }
  // Acknowledges a datagram that was taken. Not for one whose content came too early or too late: it must be sent
  // again.
  void keep(const Datagram& datagram) {
    if (datagram.seq > kept_newest_) {
      const std::uint32_t ahead = datagram.seq - kept_newest_;
      kept_ = ahead < kWindow ? kept_ << ahead : 0;
      kept_newest_ = datagram.seq;
    }
    const std::uint32_t behind = kept_newest_ - datagram.seq;
    if (behind < kWindow) kept_ |= std::uint64_t{1} << behind;
  }

  template <class Acked>
  void acked(const Datagram& datagram, const Acked& each) {
    if (datagram.ack == 0 || datagram.ack > sent_) return;  // of something that was never sent
    if (datagram.ack > acked_) {
      const std::uint32_t ahead = datagram.ack - acked_;
      acked_bits_ = ahead < kWindow ? acked_bits_ << ahead : 0;
      acked_ = datagram.ack;
    }
    for (std::uint32_t i = 0; i <= 32 && i < datagram.ack; ++i) {
      if (i > 0 && (datagram.ack_bits >> (i - 1) & 1) == 0) continue;
      const std::uint32_t seq = datagram.ack - i, behind = acked_ - seq;
      if (behind >= kWindow || (acked_bits_ >> behind & 1) != 0) continue;
      acked_bits_ |= std::uint64_t{1} << behind;
      each(seq);
    }
  }

 private:
  std::uint32_t sent_ = 0;
  std::uint32_t newest_ = 0;  // received
  std::uint64_t seen_ = 0;    // bit i: newest_ - i
  std::uint32_t kept_newest_ = 0;
  std::uint64_t kept_ = 0;        // bit i: kept_newest_ - i
  std::uint32_t acked_ = 0;       // newest sent datagram that the peer has
  std::uint64_t acked_bits_ = 0;  // bit i: acked_ - i was reported
};

}  // namespace convoy
