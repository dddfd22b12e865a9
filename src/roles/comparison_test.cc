// What --verify compares: every word of every boundary, joints too, what is inside, what was sent; and that a
// checkpoint holds all that the run goes on with.
#include "roles/comparison.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "roles/recorded_run.h"

namespace comparison_test {

using namespace convoy;
using namespace convoy::testing;

namespace {

// The recording with one boundary altered, `before` its edits or after them.
Bytes with_boundary(const Bytes& file, Tick tick, const std::function<void(Boundary&)>& alter,
                    const char* before = topic::kReached) {
  BoundaryCoder in, out;
  bool done = false;
  Bytes other = rewritten(file, [&](const std::string& name, Bytes& data) {
    if (name != topic::kReached && name != topic::kEdited) return true;
    BoundaryHead head;
    Boundary boundary;
    REQUIRE(peek(data, head));
    REQUIRE(in.decode(data, boundary).has_value());
    if (name == before && boundary.tick == tick) alter(boundary), done = true;
    out.encode(boundary, head.key, data);
    return true;
  });
  REQUIRE(done);
  return other;
}

std::string difference(const Bytes& file, int hosts = 1) {
  const Again again = replay(file, hosts);
  CHECK_FALSE(again.refused);
  return again.difference.value_or("equal");
}

constexpr std::size_t kWho = 2;  // robot2, a burger that walks

std::string where(Tick tick, const std::string& field) {
  return fmt::format("tick {} ({:.9g} s), entity robot2, {}: ", tick, static_cast<double>(tick) / 100, field);
}

}  // namespace

TEST_CASE("one bit of one joint that was recorded otherwise is named: position and velocity, at any boundary") {
  const Trial dut = run(room(), {});
  const std::vector<std::string> joints = built_in_models()[0].joints;
  REQUIRE(joints.size() == 2);
  REQUIRE(difference(with_boundary(dut.file, 40, [](Boundary&) {})) == "equal");

  for (Tick tick : {40, 50}) {  // one is a checkpoint's
    for (std::size_t i = 0; i < 2 * joints.size(); ++i) {
      const Bytes file = with_boundary(dut.file, tick, [&](Boundary& b) {
        REQUIRE(b.begin[kWho + 1] - b.begin[kWho] == kStateWords + 2 * joints.size());
        b.words[b.begin[kWho] + kStateWords + i] ^= 1;
      });
      const std::string field = "joint " + joints[i % 2] + (i < 2 ? " position" : " velocity");
      CHECK(difference(file).rfind(where(tick, field), 0) == 0);
    }
  }
  CHECK(difference(with_boundary(dut.file, 40, [](Boundary& b) { b.words[b.begin[kWho] + kStateWords] ^= 1; }), 3)
            .rfind(where(40, "joint " + joints[0] + " position"), 0) == 0);
}

TEST_CASE("one bit of each word of a state that was recorded otherwise is named with its robot") {
  const Trial dut = run(room(), {});
  for (std::size_t word = 0; word < kStateWords; ++word) {
    const std::string text =
        difference(with_boundary(dut.file, 40, [&](Boundary& b) { b.words[b.begin[kWho] + word] ^= 1; }));
    CAPTURE(word);
    CHECK_MESSAGE(text.rfind("tick 40 (0.4 s), entity robot2, ", 0) == 0, text);
  }
}

TEST_CASE(
    "other hashes of what was sent, or of what is inside, are named, though all states and digests are the same") {
  const Trial dut = run(room(), {});
  const auto with_hash = [&](std::uint64_t AgentHash::*which, Tick tick) {
    return difference(with_boundary(dut.file, tick, [&](Boundary& b) { b.hashes[kWho].*which ^= 1; }));
  };
  for (Tick tick : {1, 40, 50}) {
    CHECK(with_hash(&AgentHash::sent, tick).rfind(where(tick, "messages sent"), 0) == 0);
    CHECK(with_hash(&AgentHash::inner, tick).rfind(where(tick, "inner state"), 0) == 0);
  }
}

TEST_CASE("an entity of another number is named as missing") {
  const Trial dut = run(room(), {});
  const std::string text = difference(
      with_boundary(dut.file, 40, [](Boundary& b) { b.numbers.back() = WorldNumber(b.numbers.back().value() + 100); }));
  CHECK_MESSAGE(text == "tick 40 (0.4 s), entity robot7, existence: does not exist recorded, exists replayed", text);
}

TEST_CASE("a checkpoint holds the messages that are on their way, and a run goes on from each alike") {
  Setup setup = room();
  setup.network.delay = std::chrono::milliseconds(3);
  for (EntitySpec& e : setup.entities) {
    e.driver.kind = DriverKind::kRightOfWay;
    e.driver.period = setup.tick;  // so that they send in every tick
  }
  const Trial dut = run(setup, {});

  const auto recording = Recording::open(dut.file);
  REQUIRE(recording.has_value());
  std::size_t marks = 0;
  for (const Recording::Mark& mark : recording->marks()) {
    if (mark.place.tick == 0) continue;
    const auto standing = resume_point(*recording, mark);
    REQUIRE(standing.has_value());
    CHECK(standing->checkpoint.messages.size() == setup.entities.size());
    ++marks;
  }
  CHECK(marks == 5);
  for (double from : {0.25, 0.5, 0.75, 1.0, 1.25}) {
    check_equal(dut, 1, from);
    check_equal(dut, 3, from);
    CHECK(replay(dut.file, 2, from).began.tick == static_cast<Tick>(from * 100 + 0.5));
  }
}

}  // namespace comparison_test
