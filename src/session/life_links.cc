#include "session/life_links.h"

#include <algorithm>

#include "core/check.h"

namespace convoy {

namespace {

bool is_plain(ByteView text) {
  return text.size() <= kMaxBusyText &&
         std::none_of(text.begin(), text.end(), [](std::uint8_t byte) { return byte < 0x20 || byte == 0x7f; });
}

}  // namespace

void LifeLinks::open(Owner peer, LinkId link, FrameReader reader) {
  drop(peer);
  links_.open(peer, link, std::move(reader));
  read(peer);
}

void LifeLinks::on_bytes(LinkId link, ByteView bytes) {
  const auto peer = peer_of(link);
  EXPECTS(peer);
  links_.find(*peer)->reader.feed(bytes);
  read(*peer);
}

void LifeLinks::read(Owner from) {
  FrameReader& reader = links_.find(from)->reader;
  FrameHeader header;
  ByteView payload;
  while (reader.next(header, payload)) {
    if (header.type != FrameType::kHeartbeat) drops_.count(header.type ? Drop::kUnexpected : Drop::kUnknownType);
    else if (is_plain(payload)) busy_with_[from] = as_text(payload);
    else drops_.count(Drop::kMalformed);
  }
  if (const auto trouble = reader.trouble(); trouble != FrameReader::Trouble::kNone) {
    drops_.count(drop_of(trouble));
    drop(from);
  }
}

void LifeLinks::on_closed(LinkId link) {
  const auto peer = peer_of(link);
  EXPECTS(peer);
  links_.forget(*peer);
  busy_with_.erase(*peer);
}

void LifeLinks::drop(Owner peer) {
  if (links_.close(peer)) busy_with_.erase(peer);
}

std::string LifeLinks::busy_with(Owner peer) const {
  const auto it = busy_with_.find(peer);
  return it == busy_with_.end() ? "" : it->second;
}

Bytes life_sign(std::string_view busy_with) {
  Bytes out;
  put_frame(out, FrameType::kHeartbeat, 0, 0, as_bytes(busy_with.substr(0, kMaxBusyText)));
  return out;
}

}  // namespace convoy
