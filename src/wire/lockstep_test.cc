#include "wire/lockstep.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/random.h"

namespace lockstep_test {

using namespace convoy;

namespace {

constexpr Instant kStamp = instant(20'000'000);

Setup setup(int robots) {
  Setup s;
  s.models = built_in_models();
  for (int i = 0; i < robots; ++i) {
    EntitySpec spec;
    spec.name = "r" + std::to_string(i);
    spec.model = i % 3 == 2 ? "box" : "turtlebot3_burger";
    spec.pose.p.x = i;
    s.entities.push_back(spec);
  }
  return s;
}

struct Batch {
  explicit Batch(int robots, std::uint64_t seed = 1)
      : from(*World::make(setup(robots))), to(*World::make(setup(robots))) {
    Random random{seed, 0};
    for (Slot slot : SlotRange(from.entities().size())) {
      slots.push_back(slot);
      State& state = from.next().state(slot);
      state.stamp = kStamp;
      if (slot.value() % 4 != 3) state.pose.p = {random.normal(), random.normal(), 0};
      if (slot.value() % 2 == 0) state.twist.v.x = random.normal();
      if (slot.value() % 5 == 4) ++state.discontinuity, state.stamp = instant(1);
      for (double& value : from.next().tail(slot)) value = random.below(2) == 0 ? value : random.normal();
      hashes.push_back({random.bits(), random.below(2) == 0 ? 0 : random.bits()});
    }
    frames = encode_states({0, 1, Owner(1)}, from, from.next(), slots, hashes, kStamp);
    got.resize(slots.size());
  }
  Status take(ByteView frame) { return decode_states(frame, to, slots, kStamp, got, done); }
  bool untouched() const { return const_cast<World&>(to).next() == to.snapshot(); }

  World from, to;
  std::vector<Slot> slots;
  std::vector<AgentHash> hashes, got;
  std::vector<Bytes> frames;
  std::uint32_t done = 0;
};

// What decodes as itself when whole must not decode when cut, and must not crash when damaged.
template <class T>
void torture(const T& message) {
  const Bytes bytes = save(message);
  T back;
  CHECK(load(bytes, back));
  CHECK(save(back) == bytes);
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    T cut;
    CHECK(!load(ByteView(bytes).first(n), cut));
  }
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {  // the frame's checksum is what sees these
    Bytes damaged = bytes;
    damaged[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    T other;
    if (load(damaged, other)) CHECK(save(other).size() <= bytes.size() + 8);
  }
}

}  // namespace

TEST_CASE("states come out as they went in, bit by bit") {
  for (int robots : {1, 2, 7, 40}) {
    Batch batch(robots, static_cast<std::uint64_t>(robots));
    for (const Bytes& frame : batch.frames) REQUIRE(batch.take(frame));

    CHECK(batch.done == batch.slots.size());
    CHECK(batch.to.next() == batch.from.next());
    CHECK(batch.got == batch.hashes);
  }
}

TEST_CASE("many states take several frames, each within its bound, taken in order only") {
  Batch batch(2000);
  REQUIRE(batch.frames.size() > 2);
  for (const Bytes& frame : batch.frames) CHECK(frame.size() <= kMaxChunk + 1024);

  CHECK(!batch.take(batch.frames[1]));
  CHECK(batch.untouched());
  REQUIRE(batch.take(batch.frames[0]));
  CHECK(!batch.take(batch.frames[0]));  // again
  for (std::size_t i = 1; i < batch.frames.size(); ++i) CHECK(batch.take(batch.frames[i]));
  CHECK(batch.to.next() == batch.from.next());
}

TEST_CASE("a States frame cut short at any byte, or too long, leaves nothing behind") {
  Batch batch(7);
  const Bytes& frame = batch.frames[0];

  for (std::size_t n = 0; n < frame.size(); ++n) CHECK(!batch.take(ByteView(frame).first(n)));
  Bytes longer = frame;
  longer.push_back(0);
  CHECK(!batch.take(longer));

  CHECK(batch.untouched());
  CHECK(batch.done == 0);
  CHECK(batch.got == std::vector<AgentHash>(batch.slots.size()));
}

TEST_CASE("a States frame with any bit flipped is refused whole, or is other states: no crash, nothing half done") {
  Batch batch(7);
  for (std::size_t bit = 0; bit < 8 * batch.frames[0].size(); ++bit) {
    Batch victim(7);
    Bytes damaged = batch.frames[0];
    damaged[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    if (!victim.take(damaged)) {
      CHECK(victim.untouched());
      CHECK(victim.done == 0);
    }
  }
}

TEST_CASE("NaN, infinity and -0 are refused") {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -0.0}) {
    Batch batch(3);
    Snapshot next = batch.from.next();
    next.state(Slot(1)).pose.p.y = bad;
    const auto frames = encode_states({0, 1, Owner(1)}, batch.from, next, batch.slots, batch.hashes, kStamp);
    CHECK(batch.take(frames[0]).error().text == "a state holds NaN, infinity or -0");
    CHECK(batch.untouched());

    next = batch.from.next();
    next.tail(Slot(0))[1] = bad;
    const auto joints = encode_states({0, 1, Owner(1)}, batch.from, next, batch.slots, batch.hashes, kStamp);
    CHECK(!batch.take(joints[0]));
    CHECK(batch.untouched());
  }
}

TEST_CASE("more records than the owner has entities are out of place") {
  Batch batch(3);
  std::vector<Slot> fewer{Slot(0), Slot(1)};
  std::uint32_t done = 0;

  CHECK(decode_states(batch.frames[0], batch.to, fewer, kStamp, {}, done).error().text ==
        "a States frame is out of place");
}

TEST_CASE("the messages of lockstep survive a round trip, and no cut") {
  const Edit spawn = Spawn{setup(1).entities[0], Owner(2)};
  Open open{{1,
             5,
             {{Owner(1), 2, 3}, {Owner(4), 5, 6}},
             {7, WorldNumber(8)},
             {spawn, Delete{WorldNumber(3)}, SetState{WorldNumber(1), {}, Twist{}},
              Attach{WorldNumber(1), WorldNumber(2)}, Detach{WorldNumber(2)}}},
            77,
            {DriveCommand{WorldNumber(1), {}, std::chrono::seconds(1)}},
            3,
            4};
  torture(open);
  torture(open.edits);
  torture(Messages{1,
                   5,
                   {{WorldNumber(1), WorldNumber(2), 3, kStamp, "topic", {1, 2, 3}},
                    {WorldNumber(4), kNoEntity, 5, kStamp, "", {}}}});
  torture(Push{1, {ElementId(2), ElementId(3)}, {{4, {5, 6}}, {7, {}}}});
  torture(
      Taken{1, 5, {{"alice", Owner(2), ElementId(3), ElementChanged::Kind::kChanged, "convoy.Note", 4, {5, 6}}, {}}});
  torture(TickDone{1, 5});
  torture(Allow{1, 5});
  torture(Allow{1, std::nullopt});
  torture(Done{1, 5, 2, 3, 4, 5, 6, 7});
  torture(InnerBytes{1, 5, {{WorldNumber(1), {1, 2, 3}}, {WorldNumber(2), {}}}, {{WorldNumber(2), {4}}}, true});
  torture(OwnEdit{PutBody{WorldNumber(1), {{1, 2, 3}, {}}, {}, {1, 2}, {}, std::chrono::seconds(1), {1, 2}}});
  torture(HostReport{
      1, 2, 3, 4, 5, {{"zmq_received", 6, true}}, {{WorldNumber(1), 2.5, 3, 4, 5, std::chrono::seconds(6)}}, true});
  torture(ImagePiece{1, 5, 10, 20, {1, 2, 3}});
}

TEST_CASE("elements of one boundary take as many frames as they need, and come out in order") {
  std::vector<ElementChanged> changes;
  std::vector<Push::Set> set;
  for (std::uint32_t id = 0; id < 300; ++id) {
    changes.push_back(
        {"owner", Owner(1), ElementId(id), ElementChanged::Kind::kAppeared, "convoy.Note", id, Bytes(id * 200, 7)});
    set.push_back({id, Bytes(id * 200, 7)});
  }

  std::vector<ElementChanged> taken;
  std::vector<ElementId> gone;
  std::vector<std::uint32_t> types;
  for (const Bytes& frame : encode_taken(2, 9, changes)) {
    Taken some;
    REQUIRE(load(frame, some));
    CHECK(frame.size() < 3 * kMaxChunk);
    CHECK((some.run == 2 && some.tick == 9));
    taken.insert(taken.end(), some.changes.begin(), some.changes.end());
  }
  for (const Bytes& frame : encode_push(2, {ElementId(5), ElementId(6)}, set)) {
    Push some;
    REQUIRE(load(frame, some));
    CHECK(frame.size() < 3 * kMaxChunk);
    CHECK((types.empty() || some.gone.empty()));  // what goes, goes first
    gone.insert(gone.end(), some.gone.begin(), some.gone.end());
    for (const auto& one : some.set) types.push_back(one.type);
  }

  CHECK(taken == changes);
  CHECK(elements_hash(taken) == elements_hash(changes));
  CHECK(gone == std::vector<ElementId>{ElementId(5), ElementId(6)});
  CHECK(types.size() == 300);
  CHECK(std::is_sorted(types.begin(), types.end()));
  CHECK(encode_push(2, {}, {}).empty());
  CHECK(encode_taken(2, 9, {}).empty());
}

TEST_CASE("a count that the bytes cannot hold is refused before memory is taken") {
  Bytes bytes;
  Writer w(bytes);
  w.u32(0), w.i64(0);
  w.u32(0xffffffff);  // so many messages
  Messages messages;

  CHECK(!load(bytes, messages));
  CHECK(messages.messages.capacity() < 1000);
}

TEST_CASE("exact states come out as they are, and what does not fit leaves nothing behind") {
  Batch batch(2000);
  std::swap(batch.from.snapshot(), batch.from.next());
  const auto pieces = encode_exact(batch.from);
  REQUIRE(pieces.size() > 2);
  const Snapshot before = batch.to.snapshot();
  Bytes cut(pieces[1].begin(), pieces[1].end() - 1), longer = pieces[1], beyond = pieces[1];
  longer.push_back(0);
  beyond[3] = 0xff;  // a first slot far away
  for (const Bytes& bad : {Bytes{}, cut, longer, beyond}) CHECK_FALSE(decode_exact(bad, batch.to));
  CHECK(batch.to.snapshot() == before);
  for (const Bytes& piece : pieces) {
    CHECK(piece.size() <= kMaxChunk + 8);
    REQUIRE(decode_exact(piece, batch.to));
  }
  CHECK(batch.to.snapshot() == batch.from.snapshot());
}

}  // namespace lockstep_test
