#include "session/relay_links.h"

#include <utility>

#include "core/check.h"

namespace convoy {

void RelayLinks::open(Owner peer, LinkId link, FrameReader reader) {
  if (links_.has(peer)) lose(peer);
  links_.open(peer, link, std::move(reader));
  if (const auto waiting = waiting_.extract(peer))
    for (const Bytes& frame : waiting.mapped().frames) network_.send(link, frame);
  read(peer);
}

void RelayLinks::on_bytes(LinkId link, ByteView bytes) {
  const auto peer = peer_of(link);
  EXPECTS(peer);
  links_.find(*peer)->reader.feed(bytes);
  read(*peer);
}

void RelayLinks::read(Owner from) {
  FrameHeader header;
  ByteView payload;
  const LinkId link = links_.find(from)->link;
  const auto same = [&] { return links_.has(from) && links_.find(from)->link == link; };
  while (same() && links_.find(from)->reader.next(header, payload)) {
    if (header.type && events_ && events_->relay_frame(from, *header.type, payload)) continue;
    drops_.count(header.type ? Drop::kUnexpected : Drop::kUnknownType);
    if (same()) return lose(from);
  }
  if (!same()) return;
  const auto trouble = links_.find(from)->reader.trouble();
  if (trouble == FrameReader::Trouble::kNone) return;
  drops_.count(drop_of(trouble));
  lose(from);
}

void RelayLinks::lose(Owner peer) {
  links_.close(peer);
  if (events_) events_->relay_lost(peer);
}

void RelayLinks::on_closed(LinkId link) {
  const auto peer = peer_of(link);
  EXPECTS(peer);
  links_.forget(*peer);
  if (events_) events_->relay_lost(*peer);
}

void RelayLinks::drop(Owner peer) {
  links_.close(peer);
  waiting_.erase(peer);
}

RelayLinks::Passing RelayLinks::pass(Owner to, FrameType type, ByteView payload) {
  Bytes frame;
  put_frame(frame, type, 0, 0, payload);
  if (const PeerLinks::Link* link = links_.find(to)) {
    if (network_.backlog(link->link) + frame.size() <= kMostQueued)
      return network_.send(link->link, frame), Passing::kSent;
    links_.close(to);
    return Passing::kLost;
  }
  Waiting& waiting = waiting_[to];
  if (waiting.bytes + frame.size() > kMostWaiting) return Passing::kLost;
  waiting.bytes += frame.size();
  waiting.frames.push_back(std::move(frame));
  return waiting.frames.size() == 1 ? Passing::kFirstWaits : Passing::kWaits;
}

}  // namespace convoy
