#include "replication/mirror.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/approx.h"
#include "world/dead_reckoning.h"

namespace mirror_test {

using namespace convoy;
using namespace std::chrono_literals;

namespace {

constexpr Owner kMe{99};  // who runs none of them
const auto unseen = [](Slot, const std::uint8_t*) {};
Instant at(std::int64_t ms) { return instant(ms * 1'000'000); }

World three_robots() {
  Setup setup;
  setup.models = built_in_models();
  for (const char* name : {"a", "b", "c"}) {
    EntitySpec spec;
    spec.name = name, spec.model = "turtlebot3_burger";
    spec.pose.p.x = static_cast<double>(setup.entities.size());
    setup.entities.push_back(spec);
  }
  return *World::make(setup);
}

State moving(double x, double v = 0, std::uint64_t discontinuity = 0) {
  State s;
  s.pose.p = {x, 1, 0};
  s.twist.v.x = v;
  s.discontinuity = discontinuity;
  return s;
}

// A payload on its way, of batches of one instant; it must outlive what is read from it.
struct Sent {
  explicit Sent(Instant at) : stamp(at) { writer.write_reached(at); }
  Sent& add(WorldNumber number, const State& state, std::span<const double> tail = {}) {
    QuantizedState record;
    EXPECTS(quantize(state, number, {}, record.data()));
    Bytes joints(tail.size() / 2 * kJointSize);
    EXPECTS(pack_joints(tail, joints.data()));
    EXPECTS(writer.add(stamp, {}, record, joints));
    return *this;
  }
  Batch batch() const {
    std::vector<Batch> out;
    EXPECTS(read_batches(writer.payload(), out));
    EXPECTS(out.size() == 1);
    return out[0];
  }
  Instant stamp;
  BatchWriter writer;
};

struct Fixture {
  World world = three_robots();
  Mirror dut{Mirror::Rules{}};
  Drops drops;
  Fixture() { dut.follow(world); }
  Mirror::Taken last;
  std::size_t take(const Sent& sent, Instant now) {
    last = dut.take(sent.batch(), now, kNobody, kMe, drops, unseen);
    return last.states;
  }
  void apply(const Edit& edit) {
    REQUIRE(world.check(edit));
    world.apply(edit, at(0));
    world.settle();
    dut.follow(world);
  }
  double x(WorldNumber number) { return world.snapshot().state(world.slot_of(number)).pose.p.x; }
  // Where it is at `now`, carried on.
  double reckoned(WorldNumber number, Instant now) {
    dut.reckon(world, world.slot_of(number), now);
    return x(number);
  }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a new state is taken, one as old or older is stale, and each is counted once") {
  CHECK(take(Sent(at(100)).add(WorldNumber(1), moving(5)).add(WorldNumber(2), moving(6)), at(100)) == 2);
  CHECK(take(Sent(at(100)).add(WorldNumber(1), moving(7)), at(110)) == 0);  // the same again
  CHECK(take(Sent(at(90)).add(WorldNumber(1), moving(8)), at(110)) == 0);   // older, came late
  CHECK(take(Sent(at(120)).add(WorldNumber(1), moving(9)), at(130)) == 1);

  CHECK(drops.of(Drop::kStaleStamp) == 2);
  CHECK(drops.total() == 2);
  CHECK(last.whole);
  CHECK(dut.shown().states[0].version == 2);
  CHECK(dut.shown().states[1].version == 1);
  CHECK(dut.shown().states[2].version == 0);
  CHECK(reckoned(WorldNumber(1), at(130)) == approx(9));
  CHECK(reckoned(WorldNumber(2), at(130)) == approx(6));
}

TEST_CASE("with stamps unchecked, as seeds plant it, the older state wins") {
  World world = three_robots();
  Mirror dut{{.check_stamps = false}};
  Drops drops;
  dut.follow(world);
  const Sent newer = Sent(at(100)).add(WorldNumber(1), moving(5)), older = Sent(at(90)).add(WorldNumber(1), moving(4));

  CHECK(dut.take(newer.batch(), at(100), kNobody, kMe, drops, unseen).states == 1);
  CHECK(dut.take(older.batch(), at(100), kNobody, kMe, drops, unseen).states == 1);

  CHECK(dut.shown().states[0].stamp == at(90));
}

TEST_CASE_FIXTURE(Fixture, "a stamp beyond now and the bound is refused, one before the beginning is malformed") {
  CHECK(take(Sent(at(601)).add(WorldNumber(1), moving(5)).add(WorldNumber(2), moving(5)), at(100)) == 0);
  CHECK_FALSE(last.whole);  // it will be right when time has come there
  CHECK(take(Sent(at(700)), at(100)) == 0);
  CHECK(take(Sent(at(-1)).add(WorldNumber(1), moving(5)), at(100)) == 0);
  CHECK(last.whole);
  CHECK(take(Sent(at(600)).add(WorldNumber(1), moving(5)), at(100)) == 1);

  CHECK(drops.of(Drop::kFutureStamp) == 3);
  CHECK(drops.of(Drop::kMalformed) == 1);
}

TEST_CASE_FIXTURE(Fixture,
                  "states of nobody and from somebody who does not own the robot are refused, the others taken") {
  const Sent sent =
      Sent(at(10)).add(WorldNumber(1), moving(5)).add(WorldNumber(77), moving(5)).add(WorldNumber(2), moving(6));
  world.set_owner(Slot(1), Owner(7));
  dut.follow(world);

  last = dut.take(sent.batch(), at(10), Owner(7), kNobody, drops, unseen);
  CHECK(last.states == 1);

  CHECK(drops.of(Drop::kUnknownEntity) == 1);
  CHECK(drops.of(Drop::kNotOwner) == 1);
  CHECK_FALSE(last.whole);
  CHECK_FALSE(dut.shown().states[0].received);
  CHECK(dut.shown().states[1].received);
}

TEST_CASE_FIXTURE(
    Fixture,
    "after an edit, what was said before it is no longer taken, and what is said after it is, whatever its stamp") {
  take(Sent(at(100)).add(WorldNumber(1), moving(5)), at(100));

  apply(SetState{WorldNumber(1), {{8, 0, 0}, {}}, {}, false});

  CHECK_FALSE(dut.shown().states[0].received);
  CHECK(dut.shown().states[0].version == 1);      // goes on, so that a peer that was sent version 1 is sent the next
  CHECK(reckoned(WorldNumber(1), at(200)) == 8);  // nothing received: where the edit put it, exactly
  CHECK(take(Sent(at(150)).add(WorldNumber(1), moving(5.1, 0, 0)), at(200)) ==
        0);  // from before the edit, on its way meanwhile
  CHECK_FALSE(last.whole);
  CHECK(take(Sent(at(90)).add(WorldNumber(1), moving(8.1, 0, 1)), at(200)) == 1);
  CHECK(last.whole);
  CHECK(dut.shown().states[0].version == 2);
  CHECK(reckoned(WorldNumber(1), at(200)) == approx(8.1));
  CHECK(drops.of(Drop::kStaleStamp) == 1);
}

TEST_CASE_FIXTURE(Fixture, "a state that overtakes the edit before it is not taken, and is known not to be") {
  CHECK(take(Sent(at(100)).add(WorldNumber(1), moving(8, 0, 1)), at(100)) ==
        0);  // its header: after one edit, which is unknown here

  CHECK_FALSE(last.whole);
  apply(SetState{WorldNumber(1), {{8, 0, 0}, {}}, {}, false});
  CHECK(take(Sent(at(100)).add(WorldNumber(1), moving(8, 0, 1)), at(133)) == 1);
  CHECK(last.whole);
}

TEST_CASE_FIXTURE(
    Fixture, "entries follow their entities through spawns and deletions, and a number is never taken for another") {
  take(Sent(at(100)).add(WorldNumber(1), moving(5)).add(WorldNumber(2), moving(6)).add(WorldNumber(3), moving(7)),
       at(100));
  Spawn spawn;
  spawn.spec.name = "d", spawn.spec.model = "box";

  apply(spawn);
  apply(Delete{WorldNumber(2)});

  REQUIRE(dut.size() == 3);
  CHECK(dut.slot_of(WorldNumber(2)) == kNoSlot);
  CHECK(dut.slot_of(WorldNumber(99)) == kNoSlot);
  CHECK(dut.shown().states[dut.slot_of(WorldNumber(1)).index()].version == 1);
  CHECK(dut.shown().states[dut.slot_of(WorldNumber(3)).index()].received);
  CHECK_FALSE(dut.shown().states[dut.slot_of(WorldNumber(4)).index()].received);
  CHECK(reckoned(WorldNumber(3), at(100)) == approx(7));
  CHECK(take(Sent(at(200)).add(WorldNumber(2), moving(1)), at(200)) == 0);
  CHECK(drops.of(Drop::kUnknownEntity) == 1);
  CHECK(take(Sent(at(200)).add(WorldNumber(4), moving(1)), at(200)) == 1);
}

TEST_CASE_FIXTURE(Fixture, "after clear() everything counts anew, as after a reset") {
  take(Sent(at(5000)).add(WorldNumber(1), moving(5)), at(5000));

  dut.clear();
  dut.follow(world);

  CHECK_FALSE(dut.shown().states[0].received);
  CHECK(dut.shown().states[0].version == 0);
  CHECK(take(Sent(at(10)).add(WorldNumber(1), moving(2)), at(10)) == 1);
}

TEST_CASE_FIXTURE(Fixture, "where a robot is by now is the arc from what was received, and keeps the edits' count") {
  apply(SetState{WorldNumber(1), {{0, 1, 0}, {}}, {}, false});
  take(Sent(at(100)).add(WorldNumber(1), moving(5, 0.5, 1)), at(100));

  for (const std::int64_t ms : {100, 150, 300, 100'000}) {  // beyond a quarter of a second nothing is guessed
    const double age = std::min(0.25, 0.001 * static_cast<double>(ms - 100));
    CHECK(reckoned(WorldNumber(1), at(ms)) == approx(5 + 0.5 * age));
    CHECK(world.snapshot().state(Slot(0)).stamp == at(ms));
    CHECK(world.snapshot().state(Slot(0)).discontinuity == 1);
  }
  CHECK_FALSE(dut.reckon(world, Slot(1), at(100)));  // nothing received: it stays as the edits left it
  CHECK(x(WorldNumber(2)) == 1);
}

TEST_CASE_FIXTURE(Fixture,
                  "each() sees what was known before and the record, and what was known is read when asked for") {
  take(Sent(at(100)).add(WorldNumber(1), moving(5)), at(100));
  take(Sent(at(120)).add(WorldNumber(1), moving(5.25)), at(120));
  double before = 0, after = 0;
  const Sent next = Sent(at(140)).add(WorldNumber(1), moving(5.5));

  dut.take(next.batch(), at(140), kNobody, kMe, drops, [&](Slot slot, const std::uint8_t* record) {
    CHECK(slot == Slot(0));
    CHECK(dut.known(slot).stamp == at(120));
    before = dut.known(slot).pose.p.x;
    const State now = dut.state_of(slot, record, {}, at(140));
    CHECK(now.stamp == at(140));
    after = now.pose.p.x;
  });

  CHECK(before == approx(5.25));
  CHECK(after == approx(5.5));
  CHECK(dut.known(Slot(0)).pose.p.x == approx(5.5));
}

TEST_CASE_FIXTURE(Fixture, "an own state is shown when its 25 bytes change, or when others would carry it on wrongly") {
  State& state = world.snapshot().state(Slot(0));
  CHECK(dut.show(world, Slot(0), at(20)));  // for the first time
  CHECK_FALSE(dut.show(world, Slot(0), at(40)));
  CHECK(dut.shown().states[0].stamp == at(20));
  state.pose.p.x += 0.0001;  // below a millimetre
  CHECK_FALSE(dut.show(world, Slot(0), at(60)));
  state.pose.p.x += 0.001;
  CHECK(dut.show(world, Slot(0), at(80)));
  state.twist.v.x = 0.01;  // slower than a millimetre between two shows
  CHECK(dut.show(world, Slot(0), at(100)));
  CHECK_FALSE(dut.show(world, Slot(0), at(100)));
  CHECK(dut.show(world, Slot(0), at(120)));  // the same bytes, later: it has not gone as far as at its speed
  CHECK(dut.shown().states[0].stamp == at(120));
  CHECK(dut.shown().states[0].version == 4);

  apply(SetState{WorldNumber(1), state.pose, {}, false});
  CHECK(dut.show(world, Slot(0), at(120)));  // set by an edit: owners confirm it
  CHECK(dut.unshown() == 0);
}

TEST_CASE_FIXTURE(Fixture, "what does not fit into 25 bytes is not shown, but counted") {
  world.snapshot().state(Slot(0)).pose.p.z = 600;

  CHECK_FALSE(dut.show(world, Slot(0), at(20)));

  CHECK(dut.unshown() == 1);
  CHECK_FALSE(dut.shown().states[0].received);
}

TEST_CASE_FIXTURE(Fixture, "joints come with the state, go on by themselves, and stay through edits of others") {
  REQUIRE(world.snapshot().tail(Slot(0)).size() == 4);
  const double tail[] = {1.5, -2.25, 4, -8};  // rad, rad; rad/s, rad/s
  CHECK(take(Sent(at(100)).add(WorldNumber(1), moving(5), tail), at(100)) == 1);
  apply(Delete{WorldNumber(2)});

  reckoned(WorldNumber(1), at(200));
  const std::span<const double> now = world.snapshot().tail(Slot(0));
  CHECK(now[0] == approx(1.9));
  CHECK(now[1] == approx(-3.05));
  CHECK(now[2] == approx(4));
  CHECK(now[3] == approx(-8));
  reckoned(WorldNumber(1), at(100'000));  // a quarter of a second at most
  CHECK(world.snapshot().tail(Slot(0))[0] == approx(2.5));

  CHECK(take(Sent(at(300)).add(WorldNumber(1), moving(5)), at(300)) == 1);  // contains none of them: they stay
  reckoned(WorldNumber(1), at(400));
  CHECK(world.snapshot().tail(Slot(0))[0] == approx(2.5));
}

TEST_CASE_FIXTURE(Fixture,
                  "another number of joints than the model has is refused; an own state is shown anew when they turn") {
  const double many[] = {1, 2, 3, 4, 5, 6};
  CHECK(take(Sent(at(100)).add(WorldNumber(1), moving(5), many), at(100)) == 0);
  CHECK(drops.of(Drop::kMalformed) == 1);
  CHECK_FALSE(dut.shown().states[0].received);

  CHECK(dut.show(world, Slot(0), at(20)));
  CHECK_FALSE(dut.show(world, Slot(0), at(40)));
  world.snapshot().tail(Slot(0))[1] = 0.25;
  CHECK(dut.show(world, Slot(0), at(60)));
  Bytes expected(2 * kJointSize);
  REQUIRE(pack_joints(world.snapshot().tail(Slot(0)), expected.data()));
  const ByteView shown_joints = dut.shown().joints_of(dut.shown().states[0]);
  CHECK(std::equal(shown_joints.begin(), shown_joints.end(), expected.begin(), expected.end()));
}

}  // namespace mirror_test
