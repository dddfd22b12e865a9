#include "session/asset_server.h"

#include <algorithm>

#include "core/check.h"

namespace convoy {

namespace {

constexpr std::size_t kWindow = 1024 * 1024;  // bytes queued towards one peer

}  // namespace

void AssetServer::open(Owner peer, LinkId link, FrameReader reader) {
  EXPECTS(peer != kNobody && link != 0 && !by_link_.count(link));
  drop(peer);
  by_link_[link] = peer;
  Peer& opened = peers_[peer];
  opened = {link, std::move(reader)};
  read(peer, opened);
}

std::optional<Owner> AssetServer::peer_of(LinkId link) const {
  const auto it = by_link_.find(link);
  return it == by_link_.end() ? std::nullopt : std::optional(it->second);
}

void AssetServer::on_bytes(LinkId link, ByteView bytes) {
  const auto peer = peer_of(link);
  EXPECTS(peer);
  Peer& from = peers_.at(*peer);
  from.reader.feed(bytes);
  read(*peer, from);
}

void AssetServer::read(Owner from, Peer& peer) {
  FrameHeader header;
  ByteView payload;
  while (peer.reader.next(header, payload)) {
    if (header.type == FrameType::kAssetRequest) request(from, payload);
    else drops_.count(header.type ? Drop::kUnexpected : Drop::kUnknownType);
  }
  if (const auto trouble = peer.reader.trouble(); trouble != FrameReader::Trouble::kNone) {
    drops_.count(drop_of(trouble));
    return drop(from);
  }
  serve(from, peer.link);
}

void AssetServer::request(Owner from, ByteView payload) {
  Reader r(payload);
  const std::uint64_t hash = r.u64(), offset = r.u64();
  if (!r.done()) return drops_.count(Drop::kMalformed);
  const auto asset = assets_.find(hash);
  if (asset == assets_.end() || offset > asset->second->size()) return drops_.count(Drop::kAssetUnknown);
  std::erase_if(open_, [&](const Request& one) { return one.from == from && one.hash == hash; });
  if (open_.size() < most_open_) open_.push_back({from, hash, offset});
}

void AssetServer::on_closed(LinkId link) {
  const auto peer = peer_of(link);
  EXPECTS(peer);
  forget(*peer);
}

void AssetServer::drop(Owner peer) {
  const auto it = peers_.find(peer);
  if (it == peers_.end()) return;
  network_.close(it->second.link);
  forget(peer);
}

// What was asked for goes with the link: on the next one the peer asks again.
void AssetServer::forget(Owner peer) {
  by_link_.erase(peers_.at(peer).link);
  peers_.erase(peer);
  std::erase_if(open_, [&](const Request& one) { return one.from == peer; });
}

void AssetServer::serve() {
  if (open_.empty()) return;
  for (const auto& [owner, peer] : peers_) serve(owner, peer.link);
}

// A piece is u64 hash, u64 offset, u64 total, bytes.
void AssetServer::serve(Owner to, LinkId link) {
  for (Request& one : open_) {
    if (one.from != to) continue;
    const Bytes& asset = *assets_.at(one.hash);
    while (network_.backlog(link) < kWindow) {
      const std::size_t n = std::min(kMaxChunk, asset.size() - one.offset);
      Bytes piece, out;
      Writer w(piece);
      w.u64(one.hash), w.u64(one.offset), w.u64(asset.size());
      w.bytes(ByteView(asset).subspan(one.offset, n));
      put_frame(out, FrameType::kAssetChunk, 0, 0, piece);
      network_.send(link, out);
      one.offset += n;
      if (one.offset == asset.size()) break;
    }
  }
  std::erase_if(open_, [&](const Request& one) { return one.offset == assets_.at(one.hash)->size(); });
}

}  // namespace convoy
