#include "lockstep/gathering.h"

#include <doctest/doctest.h>

#include <set>

#include "lockstep/follower.h"

namespace gathering_test {

using namespace convoy;
using std::chrono::milliseconds;

namespace {

constexpr Owner kAnna{1}, kBert{2};

// Four entities in turn of two owners; each owner's frame of the next boundary moves its entities by a metre.
struct Scene {
  Scene() {
    Setup setup;
    setup.models = built_in_models();
    setup.tick = tick_length;
    for (int i = 0; i < 4; ++i) {
      EntitySpec spec;
      spec.name = "r" + std::to_string(i), spec.model = setup.models[0].name, spec.pose.p.x = i;
      setup.entities.push_back(spec);
    }
    world = *World::make(setup);
    for (Slot slot : SlotRange(4)) world.set_owner(slot, slot.value() % 2 == 0 ? kAnna : kBert);
    world.settle();
  }

  Bytes frame(Owner owner, Tick tick = 1, std::uint32_t run = 0, std::size_t records = 2) const {
    World moved = world;
    std::vector<Slot> slots = moved.slots_of(owner);
    slots.resize(records);
    for (Slot slot : slots) moved.next().state(slot).pose.p.y += 1;
    const std::vector<AgentHash> hashes(slots.size(), AgentHash{7, 8});
    auto frames = encode_states({run, tick, owner}, moved, moved.next(), slots, hashes, instant(nanos(tick_length)));
    REQUIRE(frames.size() == 1);
    return frames[0];
  }
  // The Done of an owner that sent these.
  static Done done_of(const std::vector<Bytes>& frames, std::uint32_t messages = 0) {
    Done done{.run = 0, .tick = 1, .messages = messages};
    for (const Bytes& frame : frames) ++done.frames, done.hash = chain(done.hash, hash64(frame));
    return done;
  }
  Status take(Gathering& dut, const Bytes& frame, Owner from = kNobody) {
    const auto records = dut.states(frame, {0, 1, tick_length}, world, inside, from);
    return records ? Status{} : tl::unexpected(records.error());
  }

  Duration tick_length = milliseconds(10);
  World world;
  std::vector<AgentHash> inside = std::vector<AgentHash>(4);
};

Gathering both(const Scene& scene) {
  Gathering dut;
  dut.expect(scene.world, [](Owner) { return true; });
  dut.begin();
  return dut;
}

}  // namespace

TEST_CASE("a tick is whole when every owner's Done fits what came of it") {
  Scene scene;
  Gathering dut = both(scene);
  const Bytes anna = scene.frame(kAnna), bert = scene.frame(kBert);

  REQUIRE(scene.take(dut, anna, kAnna));
  CHECK(dut.close(kAnna, Scene::done_of({anna})));
  CHECK_FALSE(dut.awaits(kAnna));
  CHECK(dut.awaits(kBert));
  CHECK_FALSE(dut.all_closed());
  REQUIRE(scene.take(dut, bert, kBert));
  CHECK(dut.close(kBert, Scene::done_of({bert})));

  CHECK(dut.all_closed());
  CHECK(scene.world.next().state(Slot(0)).pose.p.y == 1);
  CHECK(scene.inside[3] == AgentHash{7, 8});
  const std::vector<Manifest> manifests = dut.manifests();
  REQUIRE(manifests.size() == 2);
  CHECK(manifests[1].owner == kBert);
  CHECK(manifests[1].frames == 1);
  CHECK(manifests[1].hash == chain(0, hash64(bert)));
}

TEST_CASE("a Done that does not fit is refused: frames, hash, records or messages") {
  const auto refused = [](const std::function<void(Done&)>& alter, std::size_t records = 2) {
    Scene scene;
    Gathering dut = both(scene);
    const Bytes frame = scene.frame(kAnna, 1, 0, records);
    REQUIRE(scene.take(dut, frame, kAnna));
    dut.count_messages(kAnna, 3);
    Done done = Scene::done_of({frame}, 3);
    alter(done);
    return !dut.close(kAnna, done);
  };

  CHECK_FALSE(refused([](Done&) {}));
  CHECK(refused([](Done& d) { ++d.frames; }));
  CHECK(refused([](Done& d) { d.hash ^= 1; }));
  CHECK(refused([](Done& d) { --d.messages; }));
  CHECK(refused([](Done&) {}, 1));
}

TEST_CASE("States of another run, boundary or sender are refused, and after Done all are") {
  Scene scene;
  Gathering dut = both(scene);

  CHECK_FALSE(scene.take(dut, scene.frame(kAnna, 2), kAnna));
  CHECK_FALSE(scene.take(dut, scene.frame(kAnna, 1, 1), kAnna));
  CHECK_FALSE(scene.take(dut, scene.frame(kAnna), kBert));
  Gathering nobodys;
  CHECK_FALSE(scene.take(nobodys, scene.frame(kAnna)));
  const Bytes good = scene.frame(kAnna);
  REQUIRE(scene.take(dut, good, kAnna));
  REQUIRE(dut.close(kAnna, Scene::done_of({good})));
  CHECK_FALSE(scene.take(dut, good, kAnna));
}

TEST_CASE("an owner without agents closes its tick with nothing, and one that is forgotten is not waited for") {
  Scene scene;
  Gathering dut = both(scene);
  dut.expect(Owner{3});
  CHECK_FALSE(dut.all_closed());

  CHECK(dut.close(Owner{3}, Done{.run = 0, .tick = 1}));
  dut.forget(kAnna);
  dut.forget(kBert);

  CHECK(dut.all_closed());
}

TEST_CASE("who follows takes the boundary only if the server has the same states") {
  // What came here, against what the server reports of it.
  const auto agrees = [](const std::function<void(std::vector<Manifest>&)>& alter, std::size_t records = 2) {
    Scene scene;
    Gathering dut = both(scene);
    const Bytes anna = scene.frame(kAnna, 1, 0, records), bert = scene.frame(kBert);
    REQUIRE(scene.take(dut, anna));
    REQUIRE(scene.take(dut, bert));
    std::vector<Manifest> manifests{{kAnna, 1, chain(0, hash64(anna))}, {kBert, 1, chain(0, hash64(bert))}};
    alter(manifests);
    return dut.agree(manifests, 1, scene.world).has_value();
  };

  CHECK(agrees([](auto&) {}));
  CHECK_FALSE(agrees([](auto& m) { m[0].hash ^= 1; }));
  CHECK_FALSE(agrees([](auto& m) { m[1].frames = 2; }));
  CHECK_FALSE(agrees([](auto&) {}, 1));  // the frames are the same, but a record of them is missing
}

TEST_CASE("agents of an owner that the server lost in the tick stay where they were") {
  Scene scene;
  Gathering dut = both(scene);
  const Bytes anna = scene.frame(kAnna), bert = scene.frame(kBert);
  REQUIRE(scene.take(dut, anna));
  REQUIRE(scene.take(dut, bert));

  REQUIRE(dut.agree(std::vector<Manifest>{{kAnna, 1, chain(0, hash64(anna))}}, 1, scene.world));

  CHECK(scene.world.next().state(Slot(0)).pose.p.y == 1);
  CHECK(scene.world.next().state(Slot(1)).pose.p.y == 0);
  // The next tick begins with nothing.
  CHECK(dut.manifests().empty());
}

TEST_CASE("a follower goes from boundary to boundary, and refuses edits of any other") {
  Scene scene;
  Follower dut(scene.tick_length, kBert);
  dut.begin_at(0, 0, scene.world);
  int turned = 0;
  const auto reach = [&](const Edits& edits) { return dut.reach(edits, scene.world, [&] { ++turned; }); };
  CHECK(reach({0, 0, {}, {}, {}}));
  CHECK_FALSE(reach({0, 1, {}, {}, {}}));  // no tick is running
  CHECK_FALSE(reach({1, 0, {}, {}, {}}));  // another run

  dut.opened();
  const Bytes anna = scene.frame(kAnna);
  CHECK_FALSE(dut.states(scene.frame(kBert), scene.world));  // its own do not come
  REQUIRE(dut.states(anna, scene.world));
  CHECK_FALSE(reach({0, 0, {}, {}, {}}));
  REQUIRE(reach({0, 1, {{kAnna, 1, chain(0, hash64(anna))}}, {}, {}}));

  CHECK(turned == 1);
  CHECK(dut.tick() == 1);
  CHECK(dut.now() == instant(nanos(scene.tick_length)));
}

TEST_CASE("a whole reset takes a follower to the next run's first boundary") {
  Scene scene;
  Follower dut(scene.tick_length, kBert);
  dut.begin_at(0, 5, scene.world);
  std::vector<Instant> at;

  const auto apply = [&](const Edit&, Instant now) { return at.push_back(now), Status{}; };
  REQUIRE(dut.edit({0, 5, {}, {}, {SetEnvironment{}, Reset{}, SetEnvironment{}}}, scene.world, apply));

  CHECK(dut.run() == 1);
  CHECK(dut.tick() == 0);
  CHECK(at == std::vector<Instant>{instant(5 * nanos(scene.tick_length)), instant(0), instant(0)});
}

}  // namespace gathering_test
