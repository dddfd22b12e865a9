#include "wire/live.h"

#include <doctest/doctest.h>

#include <limits>

#include "core/approx.h"
#include "core/random.h"

namespace live_test {

using namespace convoy;

namespace {

// Three batches: how far the sender is, two states without joints, one with two.
Bytes three_batches() {
  QuantizedState state;
  REQUIRE(quantize(State{}, WorldNumber(7), {}, state.data()));
  Bytes joints(2 * kJointSize);
  const double tail[] = {1, 2, 3, 4};
  REQUIRE(pack_joints(tail, joints.data()));
  BatchWriter writer;
  writer.write_reached(instant(5));
  REQUIRE(writer.add(instant(6), {1000, -1000}, state, {}));
  REQUIRE(writer.add(instant(6), {1000, -1000}, state, {}));
  REQUIRE(writer.add(instant(6), {1000, -1000}, state, joints));
  return {writer.payload().begin(), writer.payload().end()};
}

}  // namespace

TEST_CASE("batches are read as they were written") {
  const Bytes payload = three_batches();
  std::vector<Batch> batches;
  REQUIRE(read_batches(payload, batches));

  REQUIRE(batches.size() == 3);
  CHECK(batches[0].stamp == instant(5));
  CHECK(batches[0].size() == 0);
  CHECK(batches[1].size() == 2);
  CHECK(batches[1].origin == BatchOrigin{1000, -1000});
  CHECK(batches[2].size() == 1);
  CHECK(batches[2].joints == 2);
  CHECK(number_of(batches[2].record(0)) == WorldNumber(7));
  double tail[4] = {};
  unpack_joints(batches[2].joints_of(0), std::chrono::milliseconds(500), tail);
  CHECK(tail[0] == approx(2.5));  // 1 rad, and half a second of 3 rad/s
  CHECK(tail[1] == approx(4));
  CHECK(tail[2] == approx(3));
  CHECK(tail[3] == approx(4));
}

TEST_CASE("a payload that is cut short is refused whole, but between two batches") {
  const Bytes payload = three_batches();
  std::vector<Batch> batches;
  std::vector<std::size_t> taken;
  for (std::size_t n = 0; n < payload.size(); ++n)
    if (read_batches(ByteView(payload).first(n), batches)) taken.push_back(n);
    else CHECK(batches.empty());

  CHECK(taken == std::vector<std::size_t>{kBatchHeader, 2 * kBatchHeader + 2 * kQuantizedSize});
}

TEST_CASE("a payload with a flipped bit is refused or read within its bounds") {
  const Bytes payload = three_batches();
  std::vector<Batch> batches;
  for (std::size_t bit = 0; bit < payload.size() * 8; ++bit) {
    Bytes bent = payload;
    bent[bit / 8] = static_cast<std::uint8_t>(bent[bit / 8] ^ (1u << bit % 8));
    if (!read_batches(bent, batches)) continue;
    std::size_t size = 0;
    for (const Batch& batch : batches) size += kBatchHeader + batch.records.size();
    CHECK(size == bent.size());
  }
}

TEST_CASE("a datagram takes as many states as it has room for, and reports how many") {
  QuantizedState state;
  REQUIRE(quantize(State{}, WorldNumber(1), {}, state.data()));
  BatchWriter writer;
  writer.write_reached(instant(1));
  std::size_t states = 0;
  while (writer.add(instant(2), {}, state, {})) ++states;

  CHECK(states == kStatesInDatagram);
  CHECK(writer.payload().size() <= kMaxDatagramPayload);
  const std::size_t before = writer.payload().size();
  CHECK_FALSE(writer.add(instant(2), {}, state, {}));
  CHECK(writer.payload().size() == before);
  writer.clear();
  writer.write_reached(instant(1));
  CHECK(writer.add(instant(2), {}, state, Bytes(kMostJoints * kJointSize)));
}

TEST_CASE("joints: single precision and hundredths, clamped; what is not finite is neither packed nor taken") {
  Random random{stream_key(1, 0, "joints")};
  for (int i = 0; i < 1000; ++i) {
    const double position = random.uniform(-1e4, 1e4);
    const double velocity = random.uniform(-300, 300);
    const double tail[] = {position, velocity};
    Bytes bytes(kJointSize);
    REQUIRE(pack_joints(tail, bytes.data()));
    double back[2] = {};
    unpack_joints(bytes, Duration{0}, back);
    CHECK(std::abs(back[0] - position) <= 5e-4);
    CHECK(std::abs(back[1] - velocity) <= 0.005 + 1e-9);
  }
  Bytes bytes(kJointSize);
  double back[2] = {};
  const double fast[] = {0, -1e6};
  REQUIRE(pack_joints(fast, bytes.data()));
  unpack_joints(bytes, Duration{0}, back);
  CHECK(back[1] == approx(-327.67));
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e300}) {
    const double tail[] = {bad, 0};
    CHECK_FALSE(pack_joints(tail, bytes.data()));
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(bytes.data(), &nan, sizeof nan);
  unpack_joints(bytes, Duration{0}, back);
  CHECK(back[0] == 0);
}

}  // namespace live_test
