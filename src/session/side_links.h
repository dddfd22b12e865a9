// The links that a member has beside its control link: one for assets, one for signs of life.
#pragma once

#include "session/asset_server.h"
#include "session/life_links.h"
#include "wire/datagram.h"

namespace convoy {

enum class SideLink : std::uint8_t { kBulk, kLife };

// What a client sends first on such a link.
Bytes side_hello(SideLink what, Owner connection, const Token& token);

class SideLinks {
 public:
  // Network and drops outlive it.
  SideLinks(Network& network, Drops& drops, std::size_t most_open_requests)
      : assets_(network, drops, most_open_requests), life_(network, drops) {}

  AssetServer& assets() { return assets_; }
  const AssetServer& assets() const { return assets_; }
  LifeLinks& life() { return life_; }
  const LifeLinks& life() const { return life_; }

  // Whose link it is; nothing: it is none of them.
  std::optional<Owner> peer_of(LinkId link) const {
    const auto peer = assets_.peer_of(link);
    return peer ? peer : life_.peer_of(link);
  }
  bool has(Owner peer) const { return assets_.has(peer) || life_.has(peer); }
  // The link must be one of them.
  void on_bytes(LinkId link, ByteView bytes) {
    assets_.peer_of(link) ? assets_.on_bytes(link, bytes) : life_.on_bytes(link, bytes);
  }
  void on_closed(LinkId link) { assets_.peer_of(link) ? assets_.on_closed(link) : life_.on_closed(link); }
  // Closes the peer's.
  void drop(Owner peer) {
    assets_.drop(peer);
    life_.drop(peer);
  }

 private:
  AssetServer assets_;
  LifeLinks life_;
};

}  // namespace convoy
