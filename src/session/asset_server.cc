#include "session/asset_server.h"

#include <algorithm>

#include "core/check.h"

namespace convoy {

namespace {

constexpr std::size_t kWindow = 1024 * 1024;  // bytes queued towards one peer

}  // namespace

void AssetServer::open(Owner peer, LinkId link, FrameReader reader) {
  drop(peer);
  links_.open(peer, link, std::move(reader));
  read(peer);
}

void AssetServer::on_bytes(LinkId link, ByteView bytes) {
  const auto peer = peer_of(link);
  EXPECTS(peer);
  links_.find(*peer)->reader.feed(bytes);
  read(*peer);
}

void AssetServer::read(Owner from) {
  FrameReader& reader = links_.find(from)->reader;
  FrameHeader header;
  ByteView payload;
  while (reader.next(header, payload)) {
    if (header.type == FrameType::kAssetRequest) request(from, payload);
    else drops_.count(header.type ? Drop::kUnexpected : Drop::kUnknownType);
  }
  if (const auto trouble = reader.trouble(); trouble != FrameReader::Trouble::kNone) {
    drops_.count(drop_of(trouble));
    return drop(from);
  }
  serve(from, links_.find(from)->link);
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
  links_.forget(*peer);
  forget_requests(*peer);
}

void AssetServer::drop(Owner peer) {
  if (links_.close(peer)) forget_requests(peer);
}

// What was asked for goes with the link: on the next one the peer asks again.
void AssetServer::forget_requests(Owner peer) {
  std::erase_if(open_, [&](const Request& one) { return one.from == peer; });
}

void AssetServer::serve() {
  if (open_.empty()) return;
  for (const auto& [owner, one] : links_.all()) serve(owner, one.link);
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
