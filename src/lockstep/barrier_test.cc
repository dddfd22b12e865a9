// The barrier notices what does not fit: frames altered or lost between the server and its hosts.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <deque>

#include "lockstep/barrier_rig.h"
#include "wire/live.h"

namespace barrier_test {

using namespace convoy;
using namespace convoy::testing;

namespace {

using Frame = BarrierRig::Frame;

bool from_first_host(const Frame& frame, FrameType type) {
  return !frame.to_host && frame.who == Owner{1} && frame.type == type;
}

// What is found when the first host's frames of this type are altered from tick 3 on.
std::string found_when(FrameType type, const std::function<void(BarrierRig&, Frame&)>& alter) {
  BarrierRig dut;
  dut.on_way = [&](Frame& frame) {
    if (dut.conductor.tick() >= 3 && from_first_host(frame, type)) alter(dut, frame);
    return true;
  };
  dut.settle();
  return dut.trouble;
}

std::string found_when_done(const std::function<void(Done&)>& alter) {
  return found_when(FrameType::kDone, [&](BarrierRig&, Frame& frame) {
    Done done;
    REQUIRE(load(frame.bytes, done));
    alter(done);
    frame.bytes = save(done);
  });
}

template <class T>
void put(Bytes& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// A States frame without a record.
Bytes no_states(std::uint32_t run, Tick tick, std::uint32_t owner, std::uint32_t first) {
  Bytes out;
  Writer w(out);
  w.u32(run), w.i64(tick), w.u32(owner), w.u32(first), w.u32(0);
  return out;
}

const std::string kOtherBoundary = "server: States for another boundary than the next";
const std::string kDoesNotFit = "server: Done does not fit what came before: ";

}  // namespace

TEST_CASE("with its frames as they are, a run comes to its end without fault") {
  BarrierRig dut;
  dut.settle();
  CHECK(dut.trouble == "");
  CHECK(dut.conductor.over());
  CHECK(dut.conductor.tick() == 20);
}

TEST_CASE("the server takes the States of the tick that runs, and of no other, run or owner") {
  const auto found = [](const std::function<void(Frame&)>& alter) {
    return found_when(FrameType::kStates, [&](BarrierRig&, Frame& frame) { alter(frame); });
  };
  CHECK(found([](Frame& f) { put(f.bytes, 0, std::uint32_t{1}); }) == kOtherBoundary);
  for (Tick other : {-1, 1}) {
    CAPTURE(other);
    CHECK(found([&](Frame& f) {
            Tick tick = 0;
            std::memcpy(&tick, f.bytes.data() + 4, sizeof tick);
            put(f.bytes, 4, tick + other);
          }) == kOtherBoundary);
  }
  CHECK(found([](Frame& f) { put(f.bytes, 12, std::uint32_t{2}); }) == kOtherBoundary);
}

TEST_CASE("after its Done a host has no more States of that tick, not even empty ones") {
  BarrierRig dut;
  dut.on_way = [&](Frame& frame) {  // the second host is not done yet: the tick runs
    return dut.conductor.tick() < 3 || frame.to_host || frame.who == Owner{1};
  };
  dut.settle();
  REQUIRE(dut.trouble == "");
  REQUIRE(dut.conductor.phase() == Conductor::Phase::kTick);
  const Tick next = dut.conductor.tick() + 1;

  SUBCASE("an empty frame") { dut.deliver({false, Owner{1}, FrameType::kStates, no_states(0, next, 1, 2)}); }
  SUBCASE("one of the beginning") { dut.deliver({false, Owner{1}, FrameType::kStates, no_states(0, next, 1, 0)}); }

  CHECK(dut.trouble == kOtherBoundary);
}

TEST_CASE("a second Done, and Messages and Inputs behind it, are refused") {
  BarrierRig dut;
  dut.on_way = [&](Frame& frame) { return dut.conductor.tick() < 3 || frame.to_host || frame.who == Owner{1}; };
  dut.settle();
  const Tick next = dut.conductor.tick() + 1;

  dut.deliver({false, Owner{1}, FrameType::kDone, save(Done{0, next, 0, 0, 0, 0, 0})});
  CHECK(dut.trouble == "server: Done for another boundary than the next");
  dut.deliver({false, Owner{1}, FrameType::kMessages, save(Messages{0, next, {}})});
  CHECK(dut.trouble == "server: Messages for another boundary than the next");
  dut.deliver({false, Owner{1}, FrameType::kInputs, save(Inputs{0, {}})});
  CHECK(dut.trouble == "server: Inputs for another tick than the one that runs");
}

TEST_CASE("the server compares what a host reports of its States with those that came: hash, frames, messages, tick") {
  CHECK(found_when_done([](Done& d) { d.hash ^= 1; }) == kDoesNotFit + "2 of 2 states");
  CHECK(found_when_done([](Done& d) { ++d.frames; }) == kDoesNotFit + "2 of 2 states");
  CHECK(found_when_done([](Done& d) { ++d.messages; }) == kDoesNotFit + "2 of 2 states");
  CHECK(found_when_done([](Done& d) { ++d.tick; }) == "server: Done for another boundary than the next");
  CHECK(found_when_done([](Done& d) { ++d.run; }) == "server: Done for another boundary than the next");
}

TEST_CASE("one bit of a host's States that is another at the server is noticed there, whichever bit it is") {
  // The last eight bytes are the inner hash of its last robot: no number, and no other host reads it.
  for (std::size_t from_end : {1, 5, 8}) {
    const std::string found = found_when(
        FrameType::kStates, [&](BarrierRig&, Frame& frame) { frame.bytes[frame.bytes.size() - from_end] ^= 4; });
    CHECK(found == kDoesNotFit + "2 of 2 states");
  }
}

TEST_CASE("a Done without all of its host's robots is refused, though it reports nothing of States") {
  BarrierRig dut;
  dut.on_way = [&](Frame& frame) {
    if (dut.conductor.tick() < 3) return true;
    if (from_first_host(frame, FrameType::kStates)) return false;
    if (from_first_host(frame, FrameType::kDone)) frame.bytes = save(Done{0, dut.conductor.tick() + 1, 0, 0, 0, 0, 0});
    return true;
  };
  dut.settle();
  CHECK(dut.trouble == kDoesNotFit + "0 of 2 states");
}

namespace {

// What the first host finds when frames to it are altered, or lost, from tick 3 on.
std::string host_finds(const std::function<bool(Frame&)>& on_way) {
  BarrierRig dut;
  dut.on_way = [&](Frame& frame) {
    const bool mine = frame.to_host && frame.who == Owner{1};
    return dut.conductor.tick() < 3 || !mine || on_way(frame);
  };
  dut.settle();
  return dut.trouble;
}

// The same when Open reports something else of the second host's States.
std::string host_finds_in_open(const std::function<void(Manifest&)>& alter, bool without_states = false) {
  return host_finds([&](Frame& frame) {
    if (frame.type == FrameType::kStates) return !without_states;
    if (frame.type != FrameType::kOpen) return true;
    Open open;
    REQUIRE(load(frame.bytes, open));
    for (Manifest& manifest : open.edits.states)
      if (manifest.owner == Owner{2}) alter(manifest);
    frame.bytes = save(open);
    return true;
  });
}

const std::string kNotTheServers = "host: the states of connection 2 for tick 3 are not those that the server has";

}  // namespace

TEST_CASE("a host notices one bit of the others' States that is another than at the server, whichever bit it is") {
  for (std::size_t from_end : {1, 5, 8}) {  // bytes of a hash that the host makes no use of
    const std::string found = host_finds([&](Frame& frame) {
      if (frame.type == FrameType::kStates) frame.bytes[frame.bytes.size() - from_end] ^= 4;
      return true;
    });
    CHECK(found == kNotTheServers);
  }
}

TEST_CASE("a host compares what the server reports of the others' States with those that it got") {
  CHECK(host_finds_in_open([](Manifest& m) { m.hash ^= 1; }) == kNotTheServers);
  CHECK(host_finds_in_open([](Manifest& m) { ++m.frames; }) == kNotTheServers);
  CHECK(host_finds([](Frame& frame) { return frame.type != FrameType::kStates; }) == kNotTheServers);
  // Even if both agree that there was nothing: the other host has robots.
  CHECK(host_finds_in_open([](Manifest& m) { m.frames = 0, m.hash = 0; }, true) == kNotTheServers);
}

TEST_CASE("a host takes the States of the next boundary only") {
  const auto found = [](Tick other) {
    return host_finds([&](Frame& frame) {
      Tick tick = 0;
      if (frame.type != FrameType::kStates) return true;
      std::memcpy(&tick, frame.bytes.data() + 4, sizeof tick);
      put(frame.bytes, 4, tick + other);
      return true;
    });
  };
  CHECK(found(1) == "host: States for another boundary than the next");
  CHECK(found(-1) == "host: States for another boundary than the next");
}

TEST_CASE("messages are handed over by sender and then by number, whichever host was first") {
  BarrierRig dut({.end = 6});
  std::vector<std::pair<WorldNumber, std::uint32_t>> at_host;
  const auto message_from = [](WorldNumber from, std::uint32_t index) {
    return Message{from, kNoEntity, index, instant(0), "word", {}};
  };
  std::deque<Frame> late;
  dut.on_way = [&](Frame& frame) {
    if (frame.to_host && frame.type == FrameType::kMessages && frame.who == Owner{1}) {
      Messages messages;
      REQUIRE(load(frame.bytes, messages));
      for (const Message& m : messages.messages) at_host.emplace_back(m.from, m.index);
    }
    if (dut.conductor.tick() != 3 || frame.to_host || frame.type != FrameType::kDone) return true;
    Done done;
    REQUIRE(load(frame.bytes, done));
    const bool first = frame.who == Owner{1};
    Messages more{0, done.tick, {}};
    if (first)
      more.messages = {message_from(WorldNumber{3}, 1), message_from(WorldNumber{1}, 5),
                       message_from(WorldNumber{1}, 6)};
    else more.messages = {message_from(WorldNumber{4}, 0), message_from(WorldNumber{2}, 7)};
    done.messages = static_cast<std::uint32_t>(more.messages.size());
    const Frame before{false, frame.who, FrameType::kMessages, save(more)},
        after{false, frame.who, frame.type, save(done)};
    if (first && late.empty()) {  // the first host's come last
      late = {before, after};
    } else {
      dut.deliver(before), dut.deliver(after);
      for (const Frame& f : std::exchange(late, {})) dut.deliver(f);
    }
    return false;
  };
  dut.settle();

  REQUIRE(dut.trouble == "");
  REQUIRE(dut.conductor.over());
  const std::vector<std::pair<WorldNumber, std::uint32_t>> wanted{
      {WorldNumber{1}, 5}, {WorldNumber{1}, 6}, {WorldNumber{2}, 7}, {WorldNumber{3}, 1}, {WorldNumber{4}, 0}};
  CHECK(at_host == wanted);
  std::vector<std::pair<WorldNumber, std::uint32_t>> watched;
  for (const Message& m : dut.diary.handed_over) watched.emplace_back(m.from, m.index);
  CHECK(watched == wanted);
}

TEST_CASE("of a host that is lost in a tick nothing of it counts: neither its States nor what its agents sent") {
  BarrierRig dut({.end = 6});
  const auto message_from = [&](WorldNumber from) {
    return save(Messages{0, dut.conductor.tick() + 1, {{from, kNoEntity, 0, instant(0), "word", {}}}});
  };
  dut.on_way = [&](Frame& frame) {
    if (dut.conductor.tick() != 3 || frame.to_host) return true;
    if (frame.who == Owner{2}) return frame.type != FrameType::kDone;  // it never is
    if (frame.type != FrameType::kDone) return true;
    Done done;
    REQUIRE(load(frame.bytes, done));
    done.messages = 1;
    dut.deliver({false, Owner{1}, FrameType::kMessages, message_from(WorldNumber{1})});
    dut.deliver({false, Owner{2}, FrameType::kMessages, message_from(WorldNumber{2})});
    dut.deliver({false, Owner{1}, FrameType::kDone, save(done)});
    return false;
  };
  dut.settle();
  REQUIRE(dut.conductor.tick() == 3);
  REQUIRE(dut.conductor.phase() == Conductor::Phase::kTick);

  dut.conductor.leave(Owner{2});
  dut.settle();

  REQUIRE(dut.trouble == "");
  REQUIRE(dut.conductor.over());
  REQUIRE(dut.diary.handed_over.size() == 1);
  CHECK(dut.diary.handed_over[0].from == WorldNumber{1});
  REQUIRE(!dut.diary.journal.empty());
  const auto* lost = std::get_if<Lost>(&dut.diary.journal[0].what);
  REQUIRE(lost);
  CHECK(lost->agents == std::vector{WorldNumber{2}, WorldNumber{4}});
  CHECK(dut.diary.journal[0].tick == 4);
}

TEST_CASE(
    "who was reset, put or frozen counts with nothing inside in the digest of that boundary, the others as they are") {
  const WorldNumber who{2};
  const auto inside_after = [&](const Edit& edit) {
    BarrierRig dut;
    dut.settle();  // the run is over: once more, with a pause in it
    BarrierRig again({.end = 20, .paused = true});
    again.settle();
    REQUIRE(again.conductor.time().step(5, nullptr));
    again.settle();
    REQUIRE(again.conductor.tick() == 5);
    again.conductor.submit(edit, [](const auto& outcome) { REQUIRE(outcome.has_value()); });
    again.conductor.time().resume(again.now);
    again.settle();
    REQUIRE(again.trouble == "");
    REQUIRE(again.diary.digests.size() == 21);
    for (std::size_t i = 0; i < 4; ++i)
      if (i != 1) CHECK(again.diary.digests[5].inside[i] == dut.diary.digests[5].inside[i]);
    CHECK(dut.diary.digests[5].inside[1].inner != 0);
    return again.diary.digests[5].inside[1];
  };

  CHECK(inside_after(Reset{{who}}) == AgentHash{});
  CHECK(inside_after(Freeze{who}) == AgentHash{});
  PutBody body;
  body.entity = who, body.tail.assign(tail_size(built_in_models()[0]), 0);
  CHECK(inside_after(body) == AgentHash{});
  CHECK(inside_after(SetState{who, {{1, 5, 0}, {}}, {}}) != AgentHash{});  // its software goes on
}

TEST_CASE("a reset of the whole world forgets what waits for its first tick: commands and messages") {
  BarrierRig dut({.end = 20, .paused = true});
  std::vector<Open> opened;
  dut.on_way = [&](Frame& frame) {
    if (frame.to_host && frame.type == FrameType::kOpen && frame.who == Owner{1})
      REQUIRE(load(frame.bytes, opened.emplace_back()));
    if (!from_first_host(frame, FrameType::kDone) || dut.conductor.run() > 0) return true;
    Done done;
    REQUIRE(load(frame.bytes, done));
    done.messages = 1;
    dut.deliver({false, Owner{1}, FrameType::kMessages,
                 save(Messages{0, done.tick, {{WorldNumber{1}, kNoEntity, 0, instant(0), "word", {}}}})});
    dut.deliver({false, Owner{1}, FrameType::kDone, save(done)});
    return false;
  };
  dut.settle();
  REQUIRE(dut.conductor.time().step(2, nullptr));
  dut.settle();
  DriveCommand drive{WorldNumber{1}, {{0.1, 0, 0}, {}}, {}};

  REQUIRE(dut.conductor.submit(drive));
  dut.conductor.submit(Reset{}, nullptr);
  dut.conductor.time().resume(dut.now);
  dut.settle();

  REQUIRE(dut.trouble == "");
  REQUIRE(dut.conductor.over());
  CHECK(dut.conductor.run() == 1);
  REQUIRE(opened.size() == 22);
  CHECK(opened[1].messages == 1);
  CHECK(opened[2].edits.run == 1);
  CHECK(opened[2].inputs.empty());
  CHECK(opened[2].messages == 0);
  for (const JournalEntry& entry : dut.diary.journal) CHECK(!std::holds_alternative<Input>(entry.what));
  BarrierRig fresh;
  fresh.settle();
  CHECK(dut.conductor.digest() == fresh.conductor.digest());
}

TEST_CASE("commands of one tick have a bound in bytes, so that every host can be told of them in a frame") {
  BarrierRig dut({.end = 8, .paused = true});
  dut.settle();
  const PublishMessage long_one{WorldNumber{1}, "/words", "std_msgs/msg/String", std::string(kMaxPublishedText, 'x')};
  int taken = 0;
  while (taken < 100 && dut.conductor.submit(long_one)) ++taken;
  CHECK(taken == 11);

  REQUIRE(dut.conductor.time().step(1, nullptr));
  dut.settle();

  CHECK(dut.conductor.submit(long_one));
  dut.conductor.time().resume(dut.now);
  dut.settle();
  CHECK(dut.trouble == "");
  CHECK(dut.conductor.over());
}

TEST_CASE("commands of every kind are in the journal with their tick, of callers and of a host's own programs") {
  const DriveCommand drive{WorldNumber{1}, {{0.1, 0, 0}, {}}, {}};
  const SetParameter parameter{WorldNumber{3}, kControllerNode, "actions", "5", ControlSource::kDashboard};
  const SetControls controls{WorldNumber{1}, {{0, 0.5}, {1, -0.5}}, ControlSource::kDashboard};
  const std::vector<Input> wanted{controls, drive, parameter, controls};
  BarrierRig dut({.end = 8, .paused = true});

  SUBCASE("a caller's") {
    dut.settle();
    REQUIRE(dut.conductor.time().step(3, nullptr));
    dut.settle();
    for (const Input& input : wanted) REQUIRE(dut.conductor.submit(input));
  }
  SUBCASE("a host's own") {
    dut.on_way = [&](Frame& frame) {
      if (dut.conductor.tick() == 3 && from_first_host(frame, FrameType::kStates))
        dut.deliver({false, Owner{1}, FrameType::kInputs, save(Inputs{0, wanted})});
      return true;
    };
  }
  dut.conductor.time().resume(dut.now);
  dut.settle();

  REQUIRE(dut.trouble == "");
  REQUIRE(dut.conductor.over());
  std::vector<Input> found;
  for (const JournalEntry& entry : dut.diary.journal) {
    CHECK(entry.tick == 3);
    REQUIRE(std::holds_alternative<Input>(entry.what));
    found.push_back(std::get<Input>(entry.what));
  }
  CHECK(found == wanted);
}

}  // namespace barrier_test
