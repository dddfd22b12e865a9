// Assets on the bulk link, and garbage on every link.
#include <doctest/doctest.h>

#include "core/random.h"
#include "session/fake_door.h"

namespace assets_test {

using namespace convoy;
using namespace convoy::testing;

namespace {

LinkId bulk_link(Door& door, ByteView request) {
  proto::Hello h;
  h.set_protocol(kProtocolVersion);
  const Token token = door.token_of(Owner(1));
  h.mutable_bulk()->set_connection(1);
  h.mutable_bulk()->set_token(token.data(), token.size());
  const LinkId link = door.knock(h);
  if (!request.empty()) door.bytes(link, FrameType::kAssetRequest, request);
  return link;
}

Bytes request(std::uint64_t hash, std::uint64_t offset) {
  Bytes out;
  Writer w(out);
  w.u64(hash), w.u64(offset);
  return out;
}

}  // namespace

TEST_CASE("an asset comes in chunks from where the peer asks, as fast as its queue drains") {
  Door door;
  const auto asset = std::make_shared<const Bytes>(3 * kMaxChunk + 10, std::uint8_t{5});
  door.membership->side().assets().offer(99, asset);
  door.knock(Door::hello("host0"));

  const LinkId whole = bulk_link(door, request(99, 0));
  CHECK(FakeNetwork::names(door.network.take(whole)) == "asset_chunk asset_chunk asset_chunk asset_chunk");
  const LinkId rest = bulk_link(door, request(99, 3 * kMaxChunk));
  const auto frames = door.network.take(rest);
  REQUIRE(FakeNetwork::names(frames) == "asset_chunk");
  CHECK(frames[0].payload.size() == 24 + 10);
  CHECK(door.network.closed.count(whole) == 1);  // one bulk link a member

  const LinkId full = bulk_link(door, {});
  door.network.queue_full.insert(full);
  door.bytes(full, FrameType::kAssetRequest, request(99, 0));
  CHECK(door.network.take(full).empty());
  door.network.queue_full.clear();
  door.membership->on_time(at(std::chrono::milliseconds(1)));
  CHECK(door.network.take(full).size() == 4);
}

TEST_CASE("a new bulk link gets nothing of what was asked for on the old one") {
  Door door;
  door.membership->side().assets().offer(99, std::make_shared<const Bytes>(2 * kMaxChunk));
  door.knock(Door::hello("host0"));
  const LinkId old = bulk_link(door, {});
  door.network.queue_full.insert(old);
  door.bytes(old, FrameType::kAssetRequest, request(99, 0));

  const LinkId next = bulk_link(door, {});  // its request is still on the way
  door.membership->on_time(at(std::chrono::milliseconds(1)));

  CHECK(door.network.take(next).empty());
}

TEST_CASE("requests for unknown assets and nonsense on the bulk link are counted") {
  Door door;
  door.membership->side().assets().offer(99, std::make_shared<const Bytes>(10));
  door.knock(Door::hello("host0"));
  const LinkId link = bulk_link(door, request(98, 0));
  door.bytes(link, FrameType::kAssetRequest, request(99, 11));
  CHECK(door.drops(Drop::kAssetUnknown) == 2);
  door.bytes(link, FrameType::kAssetRequest, as_bytes("short"));
  CHECK(door.drops(Drop::kMalformed) == 1);
  door.bytes(link, FrameType::kStates, {});
  CHECK(door.drops(Drop::kUnexpected) == 1);
  proto::Hello h;
  h.set_protocol(kProtocolVersion);
  h.mutable_bulk()->set_connection(1);
  h.mutable_bulk()->set_token("0123456789abcdef");
  CHECK(door.declined(door.knock(h)) == "9: unknown connection number or wrong token");
}

TEST_CASE("ten megabytes of garbage are counted and forgotten") {
  Door door;
  Random random{1, 0};
  Bytes garbage(10 << 20);
  for (std::uint8_t& byte : garbage) byte = static_cast<std::uint8_t>(random.bits());

  for (std::size_t from = 0; from < garbage.size(); from += 4096) {  // each piece on a link of its own
    const LinkId link = door.network.connect();
    door.membership->on_opened(link, {});
    door.membership->on_bytes(link, ByteView(garbage).subspan(from, 4096), {});
    door.network.out.clear();
  }
  for (std::size_t from = 0; from + 1000 <= garbage.size(); from += 1000)
    door.membership->on_datagram({0, 1, 1000}, ByteView(garbage).subspan(from, 1000), {});
  const LinkId link = door.knock(Door::hello("host0"));
  for (std::size_t from = 0; from < garbage.size(); from += 4096)
    door.membership->on_bytes(link, ByteView(garbage).subspan(from, 4096), {});

  CHECK(door.drops(Drop::kDeclined) == 2560);
  CHECK(door.drops(Drop::kTooLarge) + door.drops(Drop::kMalformed) >= 2560);
  CHECK(door.drops(Drop::kBadChecksum) == 10485);
  CHECK(door.membership->members().size() == 1);
  CHECK(door.network.closed.count(link) == 1);
}

}  // namespace assets_test
