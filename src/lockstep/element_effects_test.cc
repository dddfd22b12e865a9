// Elements of outside programs inside the world: whom they reach, and which are bodies.
#include "run/element_effects.h"

#include <doctest/doctest.h>

#include "agent/onlooker_rig.h"
#include "lockstep/barrier_rig.h"

namespace element_effects_test {

using namespace convoy;
using namespace convoy::testing;
using namespace std::chrono_literals;

namespace {

using Changes = std::map<Tick, std::vector<ElementChanged>>;

ElementChanged alice(std::uint32_t id, ElementReach reach, std::int64_t stamp = 1) {
  return {"alice",          Owner{9}, ElementId(id), ElementChanged::Kind::kAppeared,
          "convoy.Vehicle", stamp,    {7},           std::move(reach)};
}
ElementChanged changed(ElementChanged change) {
  change.kind = ElementChanged::Kind::kChanged, ++change.stamp;
  return change;
}
ElementChanged gone(const ElementChanged& of) {
  return {of.owner, of.connection, of.id, ElementChanged::Kind::kGone, of.type, 0, {}, {}};
}
ElementReach at(double x, double radius = 0) { return {.pose = Pose{{x, 0, 0}, {}}, .radius = radius}; }
ElementReach on(std::string parent, double x) { return {.pose = Pose{{x, 0, 0}, {}}, .parent = std::move(parent)}; }

// Elements by the tick that opens.
struct Source final : ElementSource {
  Changes by_tick;
  Tick tick = 0;
  std::vector<ElementChanged> take(std::uint32_t) override { return by_tick[tick++]; }
  std::vector<ElementChanged> all() const override { return {}; }
};

Setup four_onlookers() {
  Setup setup = four_robots();
  for (EntitySpec& spec : setup.entities) spec.components = {{"tests", "onlooker", {}}};
  setup.view_radius = 1.5;
  return setup;
}

// Where a body is at each boundary: "3: 5.0 on r1".
struct Bodies final : RunWatcher {
  explicit Bodies(std::string n) : name(std::move(n)) {}
  void chained(std::uint32_t, Tick tick, std::uint64_t, const World& world, std::span<const AgentHash>) override {
    const Slot slot = world.find(name);
    if (slot == kNoSlot) return;
    const Slot parent = world.slot_of(world.entity(slot).parent);
    at.push_back(std::to_string(tick) + ": " + std::to_string(std::lround(world.snapshot().state(slot).pose.p.x * 10)) +
                 (parent == kNoSlot ? "" : " on " + world.entity(parent).name) +
                 (world.entity(slot).frozen ? "" : " runs"));
  }
  void completed(std::uint32_t, Tick, const World&, std::span<const AgentHash>, std::span<const Message>) override {}
  void entered(const JournalEntry&) override {}
  void checkpointed(std::uint32_t, Tick, const InnerBytes&) override {}
  std::string name;
  Lines at;
};

}  // namespace

TEST_CASE(
    "an element with a place is seen within its radius, one that names somebody by those, one of a region there") {
  Onlookers eyes;
  BarrierRig dut({.end = 8}, four_onlookers(), &eyes);  // r0 to r3 at x = 0, 1, 2, 3
  Source source;
  ElementReach to_r3 = at(0);
  to_r3.to = {"r3", "bob"};
  ElementReach to_all{.to = {kEverybody}};
  ElementReach region{.region = ElementReach::Region{2, 0, 0.5}};
  source.by_tick[1] = {alice(1, at(0)), alice(2, at(3, 0.5)), alice(3, to_r3), alice(4, {})};
  source.by_tick[3] = {changed(alice(1, at(3))), gone(alice(3, to_r3)), alice(5, region), alice(6, on("r3", -1))};
  source.by_tick[5] = {gone(alice(1, {})), gone(alice(2, {})), alice(7, to_all),
                       gone(alice(5, {})), gone(alice(6, {})), alice(8, on("nobody", 0))};
  dut.conductor.elements().take_from(&source);

  dut.settle();

  CHECK(dut.trouble == "");
  CHECK(eyes.seen["r0"] == Lines{"10 ms: alice1@0", "30 ms:", "50 ms: alice7"});
  CHECK(eyes.seen["r1"] == Lines{"10 ms: alice1@0", "30 ms: alice6@20", "50 ms: alice7"});
  CHECK(eyes.seen["r2"] == Lines{"30 ms: alice1@30 alice5 alice6@20", "50 ms: alice7"});
  CHECK(eyes.seen["r3"] == Lines{"10 ms: alice2@30 alice3@0", "30 ms: alice1@30 alice2@30 alice6@20", "50 ms: alice7"});
}

TEST_CASE("what agents see of elements is in the digest, and nothing without") {
  const auto digest = [](const Changes& changes) {
    Onlookers eyes;
    BarrierRig dut({.end = 6}, four_onlookers(), &eyes);
    Source source;
    source.by_tick = changes;
    dut.conductor.elements().take_from(&source);
    dut.settle();
    CHECK(dut.trouble == "");
    std::vector<std::uint64_t> inner;
    for (const AgentHash& hash : dut.diary.digests.back().inside) inner.push_back(hash.inner);
    return inner;
  };
  const auto none = digest({});
  const auto near_r0 = digest({{1, {alice(1, at(-1))}}});
  CHECK(near_r0[0] != none[0]);
  CHECK(near_r0[3] == none[3]);
  CHECK(digest({{1, {alice(1, {})}}}) == none);  // it reaches no agent
}

TEST_CASE("an element whose type has a shape is a body that moves with it, rides on its parent, and goes with it") {
  Setup setup = four_robots();
  setup.element_shapes = {{"convoy.Vehicle", "box"}};
  BarrierRig dut({.end = 12}, setup);
  Source source;
  const ElementChanged car = alice(1, at(5));
  source.by_tick[2] = {car, alice(2, {})};
  source.by_tick[4] = {changed(alice(1, at(6)))};
  source.by_tick[6] = {changed(alice(1, on("r3", -1), 2))};
  source.by_tick[7] = {changed(alice(1, on("r0", 0.5), 3))};
  source.by_tick[8] = {changed(alice(1, at(7), 4))};
  source.by_tick[9] = {changed(alice(1, on("nobody", 1), 5))};
  source.by_tick[10] = {changed(alice(1, at(8), 6))};
  source.by_tick[11] = {gone(car)};
  dut.conductor.elements().take_from(&source);
  Bodies bodies("element_alice_1");
  dut.conductor.watchers().add(&bodies);

  dut.settle();

  CHECK(dut.trouble == "");
  CHECK(bodies.at == Lines{"2: 50", "3: 50", "4: 60", "5: 60", "6: 20 on r3", "7: 5 on r0", "8: 70", "10: 80"});
  CHECK(dut.conductor.world().find("element_alice_2") == kNoSlot);
  CHECK(dut.conductor.world().entities().size() == 4);
  // Each stands in the journal as what follows from the elements, by its place among them.
  std::vector<std::uint32_t> at_6;
  for (const JournalEntry& entry : dut.diary.journal)
    if (const auto* edit = std::get_if<AskedEdit>(&entry.what)) {
      CHECK(edit->agent == kNoEntity);
      if (entry.tick == 8) at_6.push_back(edit->index);
    }
  CHECK(at_6 == std::vector<std::uint32_t>{0, 1});  // parted, and put
  for (const auto& host : dut.hosts)
    CHECK(host->fleet()->world().structure_hash() == dut.conductor.world().structure_hash());
}

TEST_CASE("a body keeps robots out, and no robot that has its name is touched") {
  Setup setup = four_robots();
  setup.entities.resize(1);
  setup.entities[0].driver.kind = DriverKind::kWaypoints, setup.entities[0].driver.waypoints = {{3, 0}};
  setup.entities[0].driver.speed = 1;
  const auto reached = [&](bool shaped) {
    Setup with = setup;
    if (shaped) with.element_shapes = {{"convoy.Vehicle", "box"}};
    BarrierRig dut({.end = 800}, with);
    Source source;
    source.by_tick[1] = {alice(1, at(1))};
    dut.conductor.elements().take_from(&source);
    dut.settle();
    CHECK(dut.trouble == "");
    return dut.conductor.world().snapshot().state(Slot(0)).pose.p.x;
  };
  CHECK(reached(false) > 1.2);
  CHECK(reached(true) < 0.9);
}

TEST_CASE("a name of a body is a name, whatever its owner is called") {
  CHECK(body_name("alice", ElementId(3)) == "element_alice_3");
  CHECK(body_name("al-ice.2", ElementId(0)) == "element_al_ice_2_0");
}

}  // namespace element_effects_test
