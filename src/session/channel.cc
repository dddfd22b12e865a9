#include "session/channel.h"

#include "core/check.h"

namespace convoy {

namespace {

constexpr std::size_t kSharedFrom = 4096;  // bytes: a copy costs less than a piece of its own below it

}  // namespace

void Channel::attach(Network& network, LinkId link, std::uint32_t peer_received) {
  EXPECTS(link != 0);
  network_ = &network;
  link_ = link;
  out_.clear();
  while (!rules_.resend_all && !unacked_.empty() && unacked_.front().seq <= peer_received) {
    unacked_bytes_ -= unacked_.front().payload->size();
    unacked_.pop_front();
  }
  if (!rules_.resend) return;
  for (const Kept& kept : unacked_) {
    put(kept);
    ++resent_;
  }
}

void Channel::send(FrameType type, const Payload& payload) {
  const Payload shared = payload.shared();
  unacked_bytes_ += shared.bytes.size();
  unacked_.push_back({next_seq_++, type, shared.owner, shared.hash});
  if (network_) put(unacked_.back());
}

void Channel::send(FrameType type, Bytes payload, std::uint64_t hash) {
  send(type, Payload(std::make_shared<const Bytes>(std::move(payload)), hash));
}

// What is small is gathered; what is large and may go to many is handed on as it is.
void Channel::put(const Kept& kept) {
  const Payload payload(kept.payload, kept.hash);
  if (kept.payload->size() < kSharedFrom) return put_frame(out_, kept.type, kept.seq, received_, payload);
  put_frame_header(out_, kept.type, kept.seq, received_, payload);
  flush();
  network_->send_shared(link_, kept.payload);
  bytes_sent_ += kept.payload->size();
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
    unacked_bytes_ -= unacked_.front().payload->size();
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
