#include "record/boundary.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/random.h"

namespace boundary_test {

using namespace convoy;

namespace {

constexpr Duration kTick = std::chrono::milliseconds(10);

struct Fleet {
  Snapshot snapshot;
  std::vector<AgentHash> hashes;
};

Boundary boundary(std::uint32_t run, Tick tick, const Fleet& fleet) {
  Boundary b;
  take(run, tick, instant(tick * nanos(kTick)), fleet.snapshot, fleet.hashes, b);
  return b;
}

// Robots that drive straight, in circles, stay, jump and swing through zero; some come and go.
std::vector<Boundary> journey(Tick ticks) {
  Fleet fleet;
  Random random;
  std::vector<Boundary> out;
  for (Tick k = 0; k < ticks; ++k) {
    if (k == 0 || k == 20)
      for (int i = 0; i < 5; ++i) {
        const auto n = WorldNumber(fleet.snapshot.size() == 0 ? 1 : fleet.snapshot.numbers().back().value() + 1);
        fleet.snapshot.append(n, State{}, static_cast<std::size_t>(i));
        fleet.hashes.emplace_back();
      }
    if (k == 30) fleet.snapshot.erase(Slot(2)), fleet.hashes.erase(fleet.hashes.begin() + 2);
    for (Slot slot : SlotRange(fleet.snapshot.size())) {
      State& s = fleet.snapshot.state(slot);
      const double t = static_cast<double>(k) * 0.01;
      if (slot != Slot(3)) s.stamp = instant(k * nanos(kTick));  // that one is not advanced
      if (slot == Slot(0)) s.pose.p.x = 3 + 0.22 * t;
      if (slot == Slot(1)) s.pose.p = {std::cos(t), std::sin(t), 0}, s.twist.v = {-std::sin(t), std::cos(t), 0};
      if (slot == Slot(4))
        s.pose.p.x = std::ldexp(static_cast<double>(random.bits() >> 11), -60 + static_cast<int>(k % 50)),
        ++s.discontinuity;
      if (slot == Slot(5))
        s.pose.p.y = k % 2 ? std::numeric_limits<double>::max() : -std::numeric_limits<double>::denorm_min();
      for (double& joint : fleet.snapshot.tail(slot)) joint += 0.1;
      fleet.hashes[slot.index()].inner = slot == Slot(3) ? 0 : random.bits();
      fleet.hashes[slot.index()].sent = k % 7 ? 0 : random.bits();
    }
    out.push_back(boundary(k < 40 ? 0 : 1, k < 40 ? k : k - 40, fleet));
  }
  return out;
}

}  // namespace

TEST_CASE("every boundary comes back bit for bit, from any key on") {
  const std::vector<Boundary> want = journey(60);
  BoundaryCoder out, in, late;
  Bytes bytes;
  for (std::size_t k = 0; k < want.size(); ++k) {
    out.encode(want[k], k % 25 == 0, bytes);
    Boundary got;
    REQUIRE(in.decode(bytes, got).has_value());
    CHECK(got == want[k]);
    CHECK(late.decode(bytes, got).has_value() == (k == 0 || k >= 25));
    if (k >= 25) CHECK(got == want[k]);
    if (k == 0) late = BoundaryCoder();  // it has missed the first key
    BoundaryHead head;
    REQUIRE(peek(bytes, head));
    CHECK(head.tick == want[k].tick);
    CHECK(head.run == want[k].run);
    CHECK(head.key == (k % 25 == 0));
  }
}

TEST_CASE("a robot at constant speed costs its hash, its mask and a byte or two") {
  Fleet fleet;
  fleet.snapshot.append(WorldNumber(1), State{}, 0);
  fleet.hashes.resize(1);
  BoundaryCoder coder;
  Bytes bytes;
  double x = 3;
  for (Tick k = 0; k < 100; ++k) {
    State& s = fleet.snapshot.state(Slot(0));
    s.stamp = instant(k * nanos(kTick));
    s.pose.p.x = x += 0.22 * 0.01;
    fleet.hashes[0].inner = static_cast<std::uint64_t>(k) * 0x9e3779b97f4a7c15u;
    coder.encode(boundary(0, k, fleet), false, bytes);
    if (k > 2) CHECK(bytes.size() <= 25 + 3 + 8 + 2);
  }
}

TEST_CASE("a boundary cut short or with flipped bits is refused or is another; nothing is read outside") {
  const std::vector<Boundary> want = journey(3);
  BoundaryCoder out;
  Bytes key, next;
  out.encode(want[0], true, key);
  out.encode(want[1], false, next);
  const auto decode = [&](ByteView first, ByteView second, Boundary& got) {
    BoundaryCoder in;
    return in.decode(first, got).has_value() && in.decode(second, got).has_value();
  };
  Boundary got;
  REQUIRE(decode(key, next, got));
  for (std::size_t n = 0; n < key.size(); ++n) CHECK_FALSE(decode(ByteView(key).first(n), next, got));
  for (std::size_t n = 0; n < next.size(); ++n) CHECK_FALSE(decode(key, ByteView(next).first(n), got));
  const auto flipped = [](Bytes bytes, std::size_t bit) {
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    return bytes;
  };
  for (std::size_t bit = 0; bit < 8 * key.size(); ++bit)
    if (BoundaryCoder().decode(flipped(key, bit), got)) CHECK_FALSE(got == want[0]);
  for (std::size_t bit = 0; bit < 8 * next.size(); ++bit)
    if (decode(key, flipped(next, bit), got)) CHECK_FALSE(got == want[1]);
}

TEST_CASE("a boundary that would take gigabytes is refused") {
  Bytes bomb;
  Writer w(bomb);
  w.u32(0), w.i64(0), w.i64(0), w.u8(3), w.u32(1'000'000);
  for (std::uint32_t i = 1; i <= 1'000'000; ++i) w.u32(i), w.u16(65535);
  bomb.resize(bomb.size() + 1'000'000);
  Boundary got;
  BoundaryCoder in;
  CHECK_FALSE(in.decode(bomb, got));
}

}  // namespace boundary_test
