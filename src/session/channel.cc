#include "session/channel.h"

namespace convoy {

void Channel::attach(Network& network, LinkId link, std::uint32_t peer_received) {
  network_ = &network;
  link_ = link;
  out_.clear();
  while (!rules_.resend_all && !unacked_.empty() && unacked_.front().seq <= peer_received) {
    unacked_bytes_ -= unacked_.front().payload.size();
    unacked_.pop_front();
  }
  if (!rules_.resend) return;
  for (const Kept& kept : unacked_) {
    put_frame(out_, kept.type, kept.seq, received_, {kept.payload, kept.hash});
    ++resent_;
  }
}

void Channel::send(FrameType type, const Payload& payload) {
  send(type, Bytes(payload.bytes.begin(), payload.bytes.end()), payload.hash);
}

void Channel::send(FrameType type, Bytes payload, std::uint64_t hash) {
  const std::uint32_t seq = next_seq_++;
  if (network_) put_frame(out_, type, seq, received_, {payload, hash});
  unacked_bytes_ += payload.size();
  unacked_.push_back({seq, type, std::move(payload), hash});
}

void Channel::send_loose(FrameType type, const Payload& payload) {
  if (network_) put_frame(out_, type, 0, received_, payload);
}

void Channel::flush() {
  if (!network_ || out_.empty()) return;
  network_->send(link_, out_);
  bytes_sent_ += out_.size();
  out_.clear();
}

Channel::Verdict Channel::accept(const FrameHeader& header) {
  while (!unacked_.empty() && unacked_.front().seq <= header.ack) {
    unacked_bytes_ -= unacked_.front().payload.size();
    unacked_.pop_front();
  }
  if (header.seq == 0) return Verdict::kDeliver;
  if (header.seq <= received_) {
    ++duplicates_;
    return rules_.drop_duplicates ? Verdict::kDuplicate : Verdict::kDeliver;
  }
  if (header.seq != received_ + 1 && rules_.refuse_gaps) return Verdict::kGap;
  received_ = header.seq;
  return Verdict::kDeliver;
}

}  // namespace convoy
