#include "session/channel.h"

#include <doctest/doctest.h>

#include "session/fake_network.h"

namespace channel_test {

using namespace convoy;
using namespace convoy::testing;

TEST_CASE("frames leave together, numbered from 1, and stay until they are acknowledged") {
  FakeNetwork network;
  Channel channel;
  channel.attach(network, 1, 0);

  channel.send(FrameType::kOpen, as_bytes("a"));
  channel.send_loose(FrameType::kHeartbeat, {});
  channel.send(FrameType::kOpen, as_bytes("bc"));
  CHECK(network.out[1].empty());
  channel.flush();

  const auto frames = network.take(1);
  REQUIRE(frames.size() == 3);
  CHECK(frames[0].header.seq == 1);
  CHECK(frames[1].header.seq == 0);
  CHECK(frames[2].header.seq == 2);
  CHECK(channel.unacked_bytes() == 3);
  CHECK(channel.accept({0, FrameType::kHeartbeat, 0, 0, 1}) == Channel::Verdict::kDeliver);
  CHECK(channel.unacked_bytes() == 2);
}

TEST_CASE("what was sent without a link, or lost with one, goes out on the next; loose frames do not") {
  FakeNetwork network;
  Channel channel;
  channel.send(FrameType::kOpen, as_bytes("early"));
  channel.attach(network, 1, 0);
  channel.send(FrameType::kOpen, as_bytes("not flushed"));
  channel.send_loose(FrameType::kHeartbeat, {});
  channel.detach();
  channel.send_loose(FrameType::kHeartbeat, {});
  channel.attach(network, 2, 1);
  channel.flush();

  const auto frames = network.take(2);
  REQUIRE(frames.size() == 1);
  CHECK(as_text(frames[0].payload) == "not flushed");
  CHECK(channel.resent() == 2);
}

TEST_CASE("frames are delivered once and in order: duplicates and gaps are distinguished") {
  Channel channel;
  const auto accept = [&](std::uint32_t seq) { return channel.accept({0, FrameType::kOpen, 0, seq, 0}); };

  CHECK(accept(1) == Channel::Verdict::kDeliver);
  CHECK(accept(1) == Channel::Verdict::kDuplicate);
  CHECK(accept(3) == Channel::Verdict::kGap);
  CHECK(accept(0) == Channel::Verdict::kDeliver);
  CHECK(accept(2) == Channel::Verdict::kDeliver);
  CHECK(channel.received() == 2);
  CHECK(channel.duplicates() == 1);
}

TEST_CASE("the planted bugs deliver what must not be delivered") {
  Channel twice({.drop_duplicates = false}), holes({.refuse_gaps = false});
  twice.accept({0, FrameType::kOpen, 0, 1, 0});

  CHECK(twice.accept({0, FrameType::kOpen, 0, 1, 0}) == Channel::Verdict::kDeliver);
  CHECK(holes.accept({0, FrameType::kOpen, 0, 5, 0}) == Channel::Verdict::kDeliver);
}

TEST_CASE("a generous channel sends again what the peer has already") {
  FakeNetwork network;
  Channel channel({.resend_all = true});
  channel.send(FrameType::kOpen, as_bytes("a"));
  channel.send(FrameType::kOpen, as_bytes("b"));

  channel.attach(network, 1, 2);
  channel.flush();

  CHECK(network.take(1).size() == 2);
}

}  // namespace channel_test
