#include "session/direct_links.h"

#include <algorithm>

#include "convoy/control.pb.h"
#include "session/membership.h"
#include "session/secret.h"

namespace convoy {

DirectLinks::DirectLinks(Network& network, PeerNetwork* peers, DirectEvents& events, Drops& drops, Log& log,
                         std::function<Token()> new_token)
    : network_(network),
      peers_(peers),
      events_(events),
      drops_(drops),
      new_token_(std::move(new_token)),
      reception_({.max_links = 64, .timeout = kLimit}, network, drops, log, nullptr),
      links_(network) {}

std::optional<Token> DirectLinks::offer(Owner peer, Moment now) {
  if (!peers_ || !new_token_ || links_.has(peer)) return {};
  Offer& offer = offers_[peer];
  if (now < offer.next) return {};
  offer.next = now + offer.pause;
  offer.pause = std::min(2 * offer.pause, kLongestPause);
  return offer.secret = new_token_();
}

void DirectLinks::open(Owner me, Owner peer, const Endpoint& where, const Token& secret) {
  if (!peers_) return;
  if (links_.has(peer)) lose(peer);
  std::erase_if(dialed_, [&](const auto& one) {
    if (one.second.peer == peer) network_.close(one.first);
    return one.second.peer == peer;
  });
  dialed_[peers_->connect_to(where)] = {me, peer, secret};
}

void DirectLinks::send(Owner peer, FrameType type, const Payload& payload) {
  Bytes out;
  put_frame_header(out, type, 0, 0, payload);
  const LinkId link = links_.find(peer)->link;
  network_.send(link, out);
  network_.send(link, payload);
}

bool DirectLinks::has(LinkId link) const {
  return dialed_.contains(link) || reception_.has(link) || links_.peer_of(link).has_value();
}

void DirectLinks::on_opened(LinkId link, Moment now) {
  const auto dialed = dialed_.find(link);
  if (dialed == dialed_.end()) {
    listening_.pass(now, kLimit);
    return reception_.open(link, network_.peer(link), listening_.time());
  }
  const Dialed to = dialed->second;
  dialed_.erase(dialed);
  FrameReader reader;
  reader.set_limit(kMaxFrame);
  links_.open(to.peer, link, std::move(reader));
  proto::Hello hello;
  hello.set_protocol(kProtocolVersion);
  hello.mutable_direct()->set_connection(to.me.value());
  hello.mutable_direct()->set_token(to.secret.data(), to.secret.size());
  send(to.peer, FrameType::kHello, as_bytes(hello.SerializeAsString()));
}

void DirectLinks::on_bytes(LinkId link, ByteView bytes, Moment now) {
  if (reception_.has(link)) {
    if (const auto hello = reception_.read(link, bytes)) greet(link, *hello, now);
  } else if (const auto peer = links_.peer_of(link)) {
    links_.find(*peer)->reader.feed(bytes);
    read(*peer, now);
  }
}

void DirectLinks::greet(LinkId link, ByteView bytes, Moment now) {
  proto::Hello hello;
  const bool sound = hello.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  const auto offer = offers_.find(Owner(hello.direct().connection()));
  if (!sound || hello.protocol() != kProtocolVersion || offer == offers_.end() || !offer->second.secret ||
      !same_secret(*offer->second.secret, as_bytes(hello.direct().token()))) {
    drops_.count(Drop::kBadToken);
    return reception_.decline(link, DeclineCode::kToken, "no link was offered to this peer, or with another secret");
  }
  offer->second = {};
  const Owner peer = offer->first;
  if (links_.has(peer)) lose(peer);
  links_.open(peer, link, reception_.leave(link));
  read(peer, now);
}

void DirectLinks::read(Owner peer, Moment now) {
  FrameHeader header;
  ByteView payload;
  const LinkId link = links_.find(peer)->link;
  const auto same = [&] { return links_.has(peer) && links_.find(peer)->link == link; };
  while (same() && links_.find(peer)->reader.next(header, payload)) {
    if (header.type && events_.direct_frame(peer, *header.type, payload, now)) continue;
    drops_.count(Drop::kUnexpected);
    if (same()) lose(peer);
  }
  if (!same()) return;
  const auto trouble = links_.find(peer)->reader.trouble();
  if (trouble == FrameReader::Trouble::kNone) return;
  drops_.count(drop_of(trouble));
  lose(peer);
}

void DirectLinks::lose(Owner peer) {
  links_.close(peer);
  events_.direct_lost(peer);
}

void DirectLinks::on_closed(LinkId link) {
  reception_.forget(link);
  dialed_.erase(link);
  if (const auto peer = links_.peer_of(link)) {
    links_.forget(*peer);
    events_.direct_lost(*peer);
  }
}

void DirectLinks::on_time(Moment now) {
  listening_.pass(now, kLimit);
  reception_.on_time(now, listening_.time());
}

}  // namespace convoy
