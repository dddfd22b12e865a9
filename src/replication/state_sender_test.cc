#include "replication/state_sender.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace state_sender_test {

using namespace convoy;

namespace {

// A world of entities as a mirror shows them, and a peer that gets datagrams or not.
struct Fixture {
  explicit Fixture(std::size_t n = 3) : shown(n) {
    for (std::size_t i = 0; i < n; ++i) {
      shown[i].number = static_cast<WorldNumber>(i + 1);
      change(i);
      wanted.push_back({static_cast<Slot>(i), 0});
    }
  }

  void change(std::size_t i, std::int64_t stamp = 0, BatchOrigin origin = {}) {
    MirroredState& s = shown[i];
    ++s.version, s.received = true, s.stamp = instant(stamp), s.origin = origin;
    State state;
    state.pose.p = {origin.x + 0.001 * s.version, origin.y + 0.0, 0};
    EXPECTS(quantize(state, s.number, origin, s.bytes.data()));
  }

  // One round; what left, as text: a datagram a bracket, and in it the numbers, a bar between batches. Nothing for the
  // datagram that only reports how far the sender is.
  std::string round(std::size_t budget = 1 << 20) {
    std::string text;
    bool first = true;
    dut.want(shown, wanted);
    dut.write({shown, joints}, {instant(kReached), budget, true}, [&](ByteView payload) {
      std::vector<Batch> batches;
      EXPECTS(read_batches(payload, batches));
      CHECK(payload.size() <= kMaxDatagramPayload);
      if (std::exchange(first, false)) CHECK(batches[0].stamp == instant(kReached));
      std::string in;
      for (const Batch& batch : batches) {
        if (!in.empty()) in += "|";
        for (std::size_t i = 0; i < batch.size(); ++i) {
          const std::uint8_t* record = batch.record(i);
          in += (i ? " " : "") + std::to_string(number_of(record).value());
          const MirroredState& s = shown[number_of(record).value() - 1];
          CHECK(s.stamp == batch.stamp);
          CHECK(s.origin == batch.origin);
          CHECK(std::equal(s.bytes.begin(), s.bytes.end(), record));
          const ByteView mine = MirroredStates{shown, joints}.joints_of(s), theirs = batch.joints_of(i);
          CHECK(std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end()));
          got.insert(number_of(record));
        }
      }
      ++sent;
      if (!in.empty()) text += "[" + in + "]";
      return sent;
    });
    return text;
  }
  void ack_all() {
    for (std::uint32_t i = 1; i <= sent; ++i) dut.acked(i);
  }

  static constexpr std::int64_t kReached = 987654321;
  StateSender dut;
  std::vector<MirroredState> shown;
  Bytes joints;
  std::vector<StateSender::Wanted> wanted;
  std::uint32_t sent = 0;
  std::set<WorldNumber> got;
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "what was acknowledged is not sent again until it changes") {
  CHECK(round() == "[1 2 3]");
  CHECK_FALSE(dut.complete());
  ack_all();

  for (int i = 0; i < 20; ++i) CHECK(round() == "");
  CHECK(dut.complete());
  change(1);
  CHECK(round() == "[2]");
}

TEST_CASE_FIXTURE(Fixture, "what was lost goes out again after a few rounds, in its latest form") {
  CHECK(round() == "[1 2 3]");
  CHECK(round() == "");  // on its way
  change(0);
  CHECK(round() == "[1]");
  dut.acked(1);  // the peer has 2 and 3, and an old form of 1

  std::string later;
  for (int i = 0; i < 6; ++i) later += round();

  CHECK(later == "[1]");
  CHECK_FALSE(dut.complete());
  for (std::uint32_t i = 2; i <= sent; ++i) dut.acked(i);
  CHECK(round() == "");
  CHECK(dut.complete());
}

TEST_CASE_FIXTURE(Fixture, "the acknowledgement of an older form is none of the newer") {
  round();
  change(2);
  round();
  dut.acked(1);

  std::string later;
  for (int i = 0; i < 4; ++i) later += round();

  CHECK(later == "[3]");
}

TEST_CASE_FIXTURE(Fixture, "what was never received, and what is not wanted, is not sent; wanted again, it is") {
  shown[1].received = false;
  wanted = {{Slot(0), 0}, {Slot(1), 0}};
  CHECK(round() == "[1]");
  ack_all();
  wanted = {{Slot(1), 0}};
  CHECK(round() == "");
  wanted = {{Slot(0), 0}, {Slot(1), 0}, {Slot(2), 0}};

  CHECK(round() == "[1 3]");  // whether the peer still has 1 is unknown
}

TEST_CASE_FIXTURE(Fixture, "after clear() all is sent anew") {
  round();
  ack_all();

  dut.clear();

  CHECK(round() == "[1 2 3]");
}

TEST_CASE_FIXTURE(Fixture, "a budget keeps back the far ones first, and reports it") {
  wanted = {{Slot(0), 50}, {Slot(1), 1}, {Slot(2), 5}};

  CHECK(round(2 * kQuantizedSize) == "[2 3]");
  CHECK(dut.deferred() == 1);
  CHECK(round(2 * kQuantizedSize) == "[1]");  // nothing else is due
  ack_all();
  CHECK(round(2 * kQuantizedSize) == "");
}

TEST_CASE("under a budget that is never enough no entity starves") {
  Fixture f(40);
  for (std::size_t i = 0; i < 40; ++i) f.wanted[i].distance = static_cast<float>(i);  // 39: forty times less urgent
  std::map<WorldNumber, int> times;

  for (int i = 0; i < 400; ++i) {
    for (std::size_t e = 0; e < 40; ++e) f.change(e, i);  // all move all the time
    f.got.clear();
    f.round(8 * kQuantizedSize);
    f.ack_all();
    for (WorldNumber number : f.got) ++times[number];
  }

  CHECK(times.size() == 40);
  CHECK(times[WorldNumber(1)] > 2 * times[WorldNumber(40)]);
  for (const auto& entry : times) CHECK_MESSAGE(entry.second >= 10, "number ", entry.first);
}

TEST_CASE("without one acknowledgement a small budget still reaches all entities") {
  Fixture f(30);

  for (int i = 0; i < 12; ++i) f.round(5 * kQuantizedSize);

  CHECK(f.got.size() == 30);
}

TEST_CASE_FIXTURE(Fixture, "states of one instant and origin are in one batch, and all batches in one datagram") {
  change(0, 100), change(1, 200), change(2, 100);
  CHECK(round() == "[1 3|2]");

  change(0, 300), change(1, 300, {1000, 0}), change(2, 300, {1000, -2000});
  CHECK(round() == "[1|2|3]");
}

TEST_CASE("more instants than are searched for a group: all are sent") {
  Fixture f(60);
  for (std::size_t i = 0; i < 60; ++i) f.change(i, static_cast<std::int64_t>(i % 20));

  f.round();

  CHECK(f.got.size() == 60);
  f.ack_all();
  CHECK(f.round() == "");
  CHECK(f.dut.complete());
}

TEST_CASE("joints go with their states, in batches of their own, and are left out for who does not want them") {
  Fixture f(4);
  for (std::size_t i : {1, 3}) {
    f.shown[i].joints = 2, f.shown[i].joints_received = true,
    f.shown[i].joints_at = static_cast<std::uint32_t>(f.joints.size());
    f.joints.resize(f.joints.size() + 2 * kJointSize, static_cast<std::uint8_t>(i));
  }
  CHECK(f.round() == "[1 3|2 4]");

  std::size_t with_joints = 0;
  for (std::size_t i = 0; i < 4; ++i) f.change(i);
  f.dut.write({f.shown, f.joints}, {instant(0), 1000, false}, [&](ByteView payload) {
    std::vector<Batch> batches;
    EXPECTS(read_batches(payload, batches));
    for (const Batch& batch : batches) with_joints += batch.joints;
    return 9u;
  });
  CHECK(with_joints == 0);
}

TEST_CASE("an entity that only passes by is sent once, again if that was lost, and not what it does next") {
  Fixture f(3);
  f.wanted[1].passing = true;
  CHECK(f.round() == "[1 2 3]");
  f.ack_all();
  for (std::size_t i = 0; i < 3; ++i) f.change(i);
  CHECK(f.round() == "[1 3]");

  f.wanted = {{Slot(0), 0, false}};
  f.round();
  f.wanted = {{Slot(0), 0, false}, {Slot(1), 0, true}};
  CHECK(f.round() == "[2]");  // came by again
  std::string later;
  for (int i = 0; i < 4; ++i) f.change(1), later += f.round();
  CHECK(later.find('2') != std::string::npos);  // it did not acknowledge it
}

TEST_CASE("what does not fit into one datagram goes in several, each acknowledged for itself") {
  Fixture f(2 * kStatesInDatagram + 3);
  f.round();
  CHECK(f.sent == 3);
  CHECK(f.got.size() == f.shown.size());
  f.got.clear();
  f.dut.acked(1), f.dut.acked(3);

  for (int i = 0; i < 4; ++i) f.round();

  CHECK(f.got.size() >= kStatesInDatagram);
  CHECK(f.got.size() <= kStatesInDatagram + 1);  // there is a little more room behind the first
  CHECK(f.got.begin()->value() == kStatesInDatagram + 1);
}

TEST_CASE("a peer that has no endpoint yet is sent states when it has one") {
  Fixture f;
  f.dut.want(f.shown, f.wanted);
  f.dut.write({f.shown, f.joints}, {instant(0), 1000, true}, [](ByteView) { return 0u; });  // nothing left
  f.dut.acked(0);

  CHECK(f.round() == "[1 2 3]");
}

}  // namespace state_sender_test
