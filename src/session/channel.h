// A channel: numbered frames to one peer, in order and once, over links that may break and be replaced.
//
// Unacknowledged frames are kept and sent again on the next link; the peer drops duplicates by their number. Frames of
// one callback leave together, at flush(). Bounded: overflowed() is true when more than kMaxUnacked bytes are
// unacknowledged, or the 32-bit frame count is used up; the owner then ends the connection.
#pragma once

#include <deque>

#include "core/ports.h"
#include "wire/frame.h"

namespace convoy {

inline constexpr std::size_t kMaxUnacked = 256 * 1024 * 1024;

// Switches that tests turn off to see that the tests notice. All on in every product.
struct ChannelRules {
  bool drop_duplicates = true;
  bool refuse_gaps = true;  // a skipped number ends the link
  bool resend = true;       // on a new link, what the peer lacks
  // Not a bug, but harder on the peer: send again everything unacknowledged, even what the peer has confirmed.
  bool resend_all = false;
};

class Channel {
 public:
  explicit Channel(ChannelRules rules = {}) : rules_(rules) {}

  // A link is there; the peer has all counted frames up to `peer_received`. Sends the rest again.
  void attach(Network& network, LinkId link, std::uint32_t peer_received);
  void detach() { network_ = nullptr, out_.clear(); }
  bool attached() const { return network_ != nullptr; }
  LinkId link() const { return link_; }

  void send(FrameType type, const Payload& payload);             // counted; kept until acknowledged
  void send(FrameType type, Bytes payload, std::uint64_t hash);  // the same, without a copy
  void send_loose(FrameType type, const Payload& payload);       // uncounted; lost if there is no link
  void flush();

  // What to do with a frame that came in over the attached link.
  enum class Verdict : std::uint8_t { kDeliver, kDuplicate, kGap };
  Verdict accept(const FrameHeader& header);

  std::uint32_t received() const { return received_; }
  bool overflowed() const { return unacked_bytes_ > kMaxUnacked || next_seq_ == 0xffffffffu; }
  std::size_t unacked_bytes() const { return unacked_bytes_; }
  std::uint64_t bytes_sent() const { return bytes_sent_; }
  std::uint64_t resent() const { return resent_; }
  std::uint64_t duplicates() const { return duplicates_; }

 private:
  struct Kept {
    std::uint32_t seq;
    FrameType type;
    SharedBytes payload;
    std::uint64_t hash;
  };
  void put(const Kept& kept);

  ChannelRules rules_;
  Network* network_ = nullptr;
  LinkId link_ = 0;
  Bytes out_;
  std::deque<Kept> unacked_;
  std::size_t unacked_bytes_ = 0;
  std::uint32_t next_seq_ = 1;
  std::uint32_t received_ = 0;
  std::uint64_t bytes_sent_ = 0, resent_ = 0, duplicates_ = 0;
};

}  // namespace convoy
