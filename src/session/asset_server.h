// The server's side of bulk links: assets (large content, such as the setup) by their hash, in pieces, as fast as the
// peer takes them.
//
// A peer has one bulk link, and asks on it for an asset from an offset on (u64 hash, u64 offset). If the link breaks, it
// opens another one and asks for the rest.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "convoy/ids.h"
#include "core/ports.h"
#include "session/drops.h"
#include "session/peer_links.h"
#include "wire/frame.h"

namespace convoy {

class AssetServer {
 public:
  // At most `most_open` requests are open at once. Network and drops outlive it.
  AssetServer(Network& network, Drops& drops, std::size_t most_open)
      : network_(network), drops_(drops), most_open_(most_open), links_(network) {}

  void offer(std::uint64_t hash, std::shared_ptr<const Bytes> bytes) { assets_[hash] = std::move(bytes); }

  // The peer's bulk link from now on; a former one is closed. The reader may hold requests that have arrived.
  void open(Owner peer, LinkId link, FrameReader reader);
  // Whose bulk link it is; nothing: it is none.
  std::optional<Owner> peer_of(LinkId link) const { return links_.peer_of(link); }
  bool has(Owner peer) const { return links_.has(peer); }
  void on_bytes(LinkId link, ByteView bytes);  // the link must be a bulk link
  void on_closed(LinkId link);                 // the same
  // Closes the peer's bulk link, if it has one.
  void drop(Owner peer);
  // Sends more to every peer whose queue is short.
  void serve();
  bool idle() const { return open_.empty(); }  // everything that was asked for has been sent

 private:
  struct Request {
    Owner from;
    std::uint64_t hash;
    std::size_t offset;
  };
  void read(Owner from);
  void request(Owner from, ByteView payload);
  void serve(Owner to, LinkId link);
  void forget_requests(Owner peer);

  Network& network_;
  Drops& drops_;
  std::size_t most_open_;
  std::map<std::uint64_t, std::shared_ptr<const Bytes>> assets_;
  PeerLinks links_;
  std::vector<Request> open_;
};

}  // namespace convoy
