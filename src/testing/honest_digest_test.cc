// The digest is honest: whatever a run depends on changes it, and nothing else does.
//
//   (a) restoring goes on to the same digest   here: "from hashed bytes alone ..."; lonely_test.cc: "who remembers
//                                              ..."; several hosts: agent/fleet_test.cc, "a run taken up at any
//                                              boundary ..."; from a recording: roles/replay_test.cc, `from`
//   (b) any flipped field changes it           here: "every bit of a boundary ...", "every byte inside an agent ...",
//                                              "every field of the setup ...", "every field of each edit and input
//                                              ...", "every field of a message ...", "every field and byte of an
//                                              outside program's element ...", "where something hangs ..."; that each
//                                              named inner field is reached: agent/fleet_test.cc, "each inner field
//                                              counts ..."
//   (c) 1 mm reaches the other host's agents   here: "a millimetre on host0 ..."; in the setup: lockstep_test.cc
//   (d) a State corrupted on its way does      here: "a millimetre on host0 ..."
//   (e) lost or late right-of-way messages     here: "one intent lost or late ...", "a network that loses or delays
//                                              ..."
//   (f) replay without the stored digests      roles/replay_test.cc: "without the digests in the file ...", "with
//                                              other digests ..."; the printed line: tests/e2e/test_record.py
//   (g) one altered journal entry              roles/replay_test.cc: "an altered journal entry is named ...", "any
//                                              field of the journal ..."; the elements' entries:
//                                              client/by_tick_test.cc, "one altered bit ..."
//   (h) the report                             here: "the report adds up ..."; contacts in the main job:
//                                              roles/main_job_test.cc; pids, JSON: tests/e2e/test_cli.py, report
//   (i) footprints never overlap               here: "the report adds up ..."; lonely_test.cc; the main job:
//                                              roles/main_job_test.cc; all models: physics/collision_test.cc
//   (j) hosts, threads, start order, placement here: "the order in which hosts start ..."; lockstep_test.cc: "the
//                                              digest is the same on 1, 2, 4 and 8 hosts ...", "... where robots are
//                                              placed"; threads and real processes: tests/e2e/test_cli.py, digests;
//                                              with outside programs: client/by_tick_test.cc,
//                                              tests/e2e/test_foreign.py
//   (k) another fingerprint is refused         lockstep_test.cc: "a host with another numeric fingerprint ...";
//                                              session/membership_test.cc
//
// Weather and attachments enter by setup and edits, in their order (World::structure_hash()), not as values of their
// own.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "agent/fleet_rig.h"
#include "core/altered.h"
#include "core/approx.h"
#include "testing/cluster.h"
#include "testing/rig.h"
#include "testing/watch.h"

namespace honest_digest_test {

using namespace convoy;
using testing::robot;
using testing::Watch;

namespace {

using Fleets = convoy::FleetRig;       // agents and worlds, without a network
using Cluster = convoy::testing::Rig;  // server and hosts

// ------------------------------------------------------------------------------------- a script without a network

// What is done to the script's world at this boundary. Fleet 1 takes what is spawned.
void edit(Fleets& dut, const std::vector<testing::ScriptStep>& steps) {
  for (testing::ScriptStep step : steps) {
    auto* edit = std::get_if<Edit>(&step.what);
    if (step.tick != dut.tick() || !edit) continue;
    if (auto* spawn = std::get_if<Spawn>(edit)) spawn->owner = Owner(1);
    REQUIRE(dut.edit(*edit));
  }
}

std::vector<Input> inputs_at(Tick tick, const std::vector<testing::ScriptStep>& steps) {
  std::vector<Input> inputs;
  for (const testing::ScriptStep& step : steps)
    if (const auto* input = std::get_if<Input>(&step.what); input && step.tick == tick) inputs.push_back(*input);
  return inputs;
}

void step(Fleets& dut, const std::vector<testing::ScriptStep>& steps) {
  edit(dut, steps);
  dut.step(inputs_at(dut.tick(), steps));
}

// A crowd in the middle of its run: all drivers, joints, attachments, weather, messages on their way.
struct Crowd {
  testing::Script script = testing::make_script(2);
  SerialExecutor executor;
  Fleets dut;
  explicit Crowd(Tick to = 120) : dut(prepared(script), 1, executor) {
    while (dut.tick() < to) step(dut, script.steps);
  }
  static Setup prepared(testing::Script& script) {
    script.setup.network = {std::chrono::milliseconds(15), std::chrono::milliseconds(50), 0.1, 6};
    return script.setup;
  }
};

std::size_t pending(const Agent& agent) {
  for (const auto& [path, text] : agent.describe())
    if (path == "inner.pending.size") return static_cast<std::size_t>(std::stoul(text));
  return 0;
}

// -------------------------------------------------------------------------------------------- what a cluster went
// through

Setup crowd(int robots = 12) {
  Setup setup = testing::empty_arena(5, 3);
  setup.network.range = 10;
  for (int i = 0; i < robots; ++i) {
    setup.entities.push_back(robot("r" + std::to_string(i), i % 2 ? "turtlebot3_burger" : "turtlebot3_waffle",
                                   -1.2 + 0.6 * (i % 4), -0.8 + 0.6 * (i / 4), 0.5 * i, DriverKind::kRightOfWay));
    setup.entities.back().driver.period = std::chrono::milliseconds(40);
  }
  return setup;
}

proto::Request resume() {
  proto::Request r;
  r.mutable_resume();
  return r;
}
proto::Request steps(std::uint64_t ticks) {
  proto::Request r;
  r.mutable_step()->set_ticks(ticks);
  return r;
}

// The first tick at which the agent is another; -1: never.
Tick first_other(const Watch& a, const Watch& b, WorldNumber number) {
  REQUIRE(a.agents.size() == b.agents.size());
  for (const auto& [tick, agents] : a.agents)
    if (agents.at(number) != b.agents.at(tick).at(number)) return tick;
  return -1;
}

}  // namespace

// --------------------------------------------------------------------------------------------------------------- (a)

TEST_CASE("from hashed bytes alone, taken at every boundary, a run goes on to the same digest") {
  std::set<DriverKind> drivers;
  std::size_t waiting = 0;
  for (std::uint64_t number : {1, 2, 5}) {
    const testing::Script script = testing::make_script(number);
    SerialExecutor executor;
    Fleets whole(script.setup, 1, executor);
    auto dut = std::make_unique<Fleets>(script.setup, 1, executor);
    while (whole.tick() < script.end) {
      // Nothing outlives the boundary but image, inner bytes and messages in between: what lives elsewhere is lost
      // here.
      dut = std::make_unique<Fleets>(*dut, 1, executor);
      step(whole, script.steps);
      step(*dut, script.steps);
      REQUIRE(dut->digest() == whole.digest());
      for (const Entity& e : whole.world().entities()) {
        drivers.insert(e.kind->driver.kind);
        if (const Agent* agent = whole.agent(e.number); agent && whole.tick() % 50 == 0) waiting += pending(*agent);
      }
    }
  }
  CHECK(drivers.size() == 4);
  CHECK(waiting > 10);  // or the test would hardly test them
}

// --------------------------------------------------------------------------------------------------------------- (b)

TEST_CASE("every bit of a boundary is in its digest: state, joints, what is inside and what was sent") {
  Crowd c;
  World world = c.dut.world();
  std::vector<AgentHash> inside(c.dut.hashes().begin(), c.dut.hashes().end());
  const std::uint64_t before = 77, digest = next_digest(before, 120, world, inside);
  std::size_t same = 0, flips = 0;
  const auto note = [&](std::uint64_t other) { ++flips, same += other == digest; };

  for (int bit = 0; bit < 64; ++bit) {
    const std::uint64_t one = std::uint64_t{1} << bit;
    for (Slot slot : SlotRange(world.snapshot().size())) {
      State& state = world.snapshot().state(slot);
      const State kept = state;
      for (std::size_t i = 0; i < kStateWords; ++i) {
        StateWords flipped = words(kept);
        flipped[i] ^= one;
        state = state_of(flipped);
        note(next_digest(before, 120, world, inside));
      }
      state = kept;
      for (double& value : world.snapshot().tail(slot)) {
        const double was = value;
        value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(was) ^ one);
        note(next_digest(before, 120, world, inside));
        value = was;
      }
      for (std::uint64_t* word : {&inside[slot.index()].inner, &inside[slot.index()].sent}) {
        *word ^= one;
        note(next_digest(before, 120, world, inside));
        *word ^= one;
      }
    }
    note(next_digest(before ^ one, 120, world, inside));
    note(next_digest(before, 120 ^ static_cast<Tick>(one), world, inside));
  }

  CHECK(same == 0);
  CHECK(flips > 64 * 24 * 17);
  CHECK(next_digest(before, 120, world, inside) == digest);
}

TEST_CASE("every byte inside an agent, of messages that wait for it too, is in its hash, or is refused") {
  Crowd c;
  std::size_t waiting = 0, hidden = 0;
  std::map<DriverKind, int> tried;
  for (const Entity& e : c.dut.world().entities()) {
    const Agent* agent = c.dut.agent(e.number);
    REQUIRE(agent);
    if (++tried[e.kind->driver.kind] > 4) continue;
    waiting += pending(*agent);
    const Bytes bytes = c.dut.fleet(0).inner(e.number);
    const AgentHash hash = agent->hash();
    CHECK(hash.inner == hash64(bytes));
    CHECK(hash.inner == c.dut.hashes()[c.dut.world().slot_of(e.number).index()].inner);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const int bit = static_cast<int>(i % 8);
      Bytes changed = bytes;
      changed[i] ^= static_cast<std::uint8_t>(1 << bit);
      const bool taken = c.dut.fleet(0).mine(e.number)->load(changed), same = agent->hash() == hash;
      // What is no other value: a bool that is true as another number than 1, and the sign of 0.
      const bool spelling = (bit > 0 && bytes[i] == 1) || (bit == 7 && bytes[i] == 0);
      if (taken == same && !(taken && spelling)) ++hidden;
      if (!c.dut.fleet(0).mine(e.number)->load(bytes)) FAIL("entity ", e.number, " byte ", i);
    }
  }
  CHECK(hidden == 0);
  CHECK(waiting > 3);
  CHECK(tried.size() == 4);
}

TEST_CASE(
    "every field of the setup is in the digest from the start, but where robots and samples run, and from which "
    "files") {
  Setup setup = testing::make_script(2).setup;
  setup.entities.resize(6);
  setup.entities[0].tags = {"red"}, setup.entities[1].driver.waypoints = {{1, 2}};
  setup.boxes.resize(1), setup.cylinders.resize(1);
  setup.sensors.types = {{"scan", Distribution::kClientOnly, 5}};
  const std::uint64_t digest = digest_seed(setup);
  std::set<std::string> without;
  std::size_t n = 0;

  for (;; ++n) {
    Setup changed = setup;
    const auto path = alter(changed, n);
    if (!path) break;
    if (digest_seed(changed) == digest) without.insert(path->substr(path->rfind('.') + 1));
  }

  CHECK(n > 250);
  std::string names;
  for (const std::string& field : without) names += field + " ";
  CAPTURE(names);
  // "given": whether a load is.
  CHECK(without == std::set<std::string>{"given", "host", "library", "load", "policy"});
}

TEST_CASE("every field of each edit and input changes the digest of the tick, but where robots run") {
  Crowd c(0);
  std::set<std::string> without;
  std::set<std::size_t> kinds;
  std::map<std::size_t, std::size_t> taken;  // fields changed, by kind of edit
  std::size_t inputs = 0;
  for (; c.dut.tick() < 260; step(c.dut, c.script.steps)) {
    const auto now = std::count_if(c.script.steps.begin(), c.script.steps.end(),
                                   [&](const auto& s) { return s.tick == c.dut.tick(); });
    if (now == 0) continue;
    Fleets calm(c.dut, 1, c.executor);
    step(calm, c.script.steps);
    for (std::size_t i = 0; i < c.script.steps.size(); ++i) {
      if (c.script.steps[i].tick != c.dut.tick()) continue;
      Fleets less(c.dut, 1, c.executor);
      std::vector<testing::ScriptStep> left_out = c.script.steps;
      left_out.erase(left_out.begin() + static_cast<std::ptrdiff_t>(i), left_out.end());
      step(less, left_out);
      left_out.push_back(c.script.steps[i]);
      Fleets with(c.dut, 1, c.executor);
      step(with, left_out);
      CHECK(less.digest() != with.digest());
      if (const auto* e = std::get_if<Edit>(&c.script.steps[i].what)) kinds.insert(e->index());
      for (std::size_t n = 0;; ++n) {
        std::vector<testing::ScriptStep> changed = c.script.steps;
        auto* edit_there = std::get_if<Edit>(&changed[i].what);
        std::optional<std::string> path;
        if (edit_there) path = std::visit([&](auto& e) { return alter(e, n); }, *edit_there);
        else path = std::visit([&](auto& e) { return alter(e, n); }, std::get<Input>(changed[i].what));
        if (!path) break;
        if (*path == "owner") continue;  // edit() gives it
        Fleets dut(c.dut, 1, c.executor);
        if (edit_there) {
          Fleets asked(dut, 1, c.executor);
          std::vector<testing::ScriptStep> before(changed.begin(), changed.begin() + static_cast<std::ptrdiff_t>(i));
          edit(asked, before);
          if (!asked.world().check(*edit_there)) continue;  // an entity that does not exist, or the like
          ++taken[edit_there->index()];
          changed.resize(i + 1);  // later ones may not be possible any more
        } else {
          ++inputs;
        }
        Fleets plain(c.dut, 1, c.executor);
        const std::vector<testing::ScriptStep> same(
            c.script.steps.begin(), c.script.steps.begin() + static_cast<std::ptrdiff_t>(changed.size()));
        step(plain, same);
        step(dut, changed);
        if (dut.digest() == plain.digest()) without.insert(*path);
      }
    }
  }
  CHECK(without == std::set<std::string>{"spec.host"});
  CHECK(kinds.size() == 9);  // all that people can do
  CHECK(taken[Edit(SetEnvironment{}).index()] == 8);
  CHECK(taken[Edit(SetState{}).index()] > 12);
  CHECK(taken[Edit(Attach{}).index()] > 3);
  CHECK(inputs > 30);
}

TEST_CASE("every field of a message between two ticks is in the digest before, and changes what comes after") {
  Crowd c;
  const std::vector<Message> inbox = c.dut.inbox();
  REQUIRE(inbox.size() > 2);

  std::map<WorldNumber, std::uint64_t> sent;
  for (const Message& m : inbox) sent[m.from] = chain(sent[m.from], hash64(save(m)));
  for (const auto& [number, hash] : sent) CHECK(c.dut.hashes()[c.dut.world().slot_of(number).index()].sent == hash);

  const auto digest_with = [&](const std::vector<Message>& messages) {
    Fleets dut(c.dut, 1, c.executor);
    dut.inbox() = messages;
    for (int i = 0; i < 8; ++i) dut.step();
    return dut.digest();
  };
  const std::uint64_t digest = digest_with(inbox);
  std::set<std::string> tried;
  for (std::size_t i = 0; i < inbox.size(); ++i) {
    for (std::size_t n = 0;; ++n) {
      std::vector<Message> changed = inbox;
      const auto path = alter(changed[i], n);
      if (!path) break;
      tried.insert(*path);
      CHECK(hash64(save(changed[i])) != hash64(save(inbox[i])));
      if (digest_with(changed) == digest) FAIL_CHECK("message ", i, ", ", *path);
    }
  }
  CHECK(tried == std::set<std::string>{"from", "to", "index", "sent", "topic", "payload"});
}

namespace {

// Brings its elements at one opening, nothing at the others.
class OneBatch final : public ElementSource {
 public:
  OneBatch(int opening, std::vector<ElementChanged> changes) : opening_(opening), changes_(std::move(changes)) {}
  std::vector<ElementChanged> take(std::uint32_t) override {
    return opening_-- == 0 ? changes_ : std::vector<ElementChanged>{};
  }
  std::vector<ElementChanged> all() const override { return {}; }

 private:
  int opening_;
  std::vector<ElementChanged> changes_;
};

}  // namespace

TEST_CASE(
    "every field and byte of an outside program's element is in the digest of its boundary, but its connection "
    "number") {
  using Kind = ElementChanged::Kind;
  const auto digests_with = [](int opening, const std::vector<ElementChanged>& changes) {
    OneBatch source(opening, changes);
    Cluster cluster(crowd(1), {.hosts = {"host0"}, .end = 5, .paused = true});
    cluster.conductor().elements().take_from(&source);
    cluster.call(resume());
    REQUIRE(cluster.finish());
    return cluster.memory.digests();
  };
  const std::vector<ElementChanged> batch{
      {"alice", Owner(7), ElementId(1), Kind::kAppeared, "convoy.Note", 20, {1, 2, 3, 250}},
      {"alice", Owner(7), ElementId(2), Kind::kChanged, "convoy.Note", 20, {4}},
      {"bob", Owner(8), ElementId(1), Kind::kGone, "convoy.Vehicle", 0, {}}};
  const auto none = digests_with(2, {}), with = digests_with(2, batch);

  CHECK(digests_with(2, batch) == with);
  for (std::size_t k = 0; k < 6; ++k) CHECK((with[k] == none[k]) == (k < 2));
  CHECK(digests_with(3, batch)[3] != with[3]);  // when it takes effect
  CHECK(digests_with(2, {batch[1], batch[0], batch[2]})[2] != with[2]);
  CHECK(digests_with(2, {batch[0], batch[1]})[2] != with[2]);
  std::set<std::string> without, tried;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    for (std::size_t n = 0;; ++n) {
      std::vector<ElementChanged> changed = batch;
      const auto path = alter(changed[i], n);
      if (!path) break;
      tried.insert(*path);
      if (digests_with(2, changed)[2] == with[2]) without.insert(*path);
    }
  }
  CHECK(tried == std::set<std::string>{"owner", "connection", "id", "kind", "type", "stamp", "bytes",
                                       "reach.pose.given", "reach.parent", "reach.radius", "reach.to.size",
                                       "reach.region.given"});
  CHECK(without == std::set<std::string>{"connection"});
  for (std::size_t bit = 0; bit < 8 * batch[0].bytes.size(); ++bit) {
    std::vector<ElementChanged> changed = batch;
    changed[0].bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    CHECK(digests_with(2, changed)[2] != with[2]);
  }
}

TEST_CASE("where something hangs, and on whom, shows in the next boundary") {
  Crowd c;
  Fleets plain(c.dut, 1, c.executor);
  plain.step();
  const Bytes image = c.dut.world().image();
  std::set<std::string> tried;
  for (const Entity& entity : c.dut.world().entities()) {
    const EntityRecord e = entity.record();
    if (e.parent == kNoEntity) continue;
    const Bytes written = save(e);
    for (std::size_t n = 0;; ++n) {
      EntityRecord changed = e;
      const auto path = alter(changed, n, 0.001);
      if (!path) break;
      if (*path != "parent" && path->rfind("X_PC", 0) != 0) continue;  // what else there is comes from setup and edits
      if (*path == "parent" && (changed.parent == e.number || c.dut.world().slot_of(changed.parent) == kNoSlot))
        continue;
      tried.insert(*path);
      Bytes other = image;
      const auto at = std::search(other.begin(), other.end(), written.begin(), written.end());
      REQUIRE(at != other.end());
      const Bytes bytes = save(changed);
      REQUIRE(bytes.size() == written.size());
      std::copy(bytes.begin(), bytes.end(), at);
      Fleets dut(c.dut, 1, c.executor);
      if (!dut.world().load_image(other)) continue;  // a cycle
      dut.fleet(0).settle();
      dut.step();
      if (dut.digest() == plain.digest()) FAIL_CHECK(entity.name, " ", *path);
    }
  }
  CHECK(tried.size() == 8);  // the parent, three coordinates, four of the orientation
}

// -------------------------------------------------------------------------------------------------------- (c), (d)

TEST_CASE(
    "a millimetre on host0, set or slipped in on its way out, reaches agents of host1, and none before the next "
    "tick") {
  Setup setup = crowd();
  setup.map = testing::empty_arena(40, 3).map;
  setup.network.range = 8;
  setup.entities.push_back(robot("hermit0", "turtlebot3_burger", 15, 15, 0, DriverKind::kRightOfWay));
  setup.entities.push_back(robot("hermit1", "turtlebot3_burger", -15, 15, 0, DriverKind::kRandomWalk));
  constexpr Tick kAt = 20;
  const auto watched = [&](Tick corrupt_at, double shift, Watch& watch) {
    Cluster cluster(setup, {.end = 120, .paused = true, .faults_of_first = {.corrupt_state_at = corrupt_at}});
    cluster.conductor().watchers().add(&watch);
    cluster.call(steps(kAt));
    State state = cluster.conductor().world().snapshot().state(Slot(0));
    state.pose.p.x += shift;
    cluster.conductor().submit(SetState{WorldNumber(1), state.pose, state.twist},
                               [](const auto& r) { REQUIRE(r.has_value()); });
    cluster.call(resume());
    REQUIRE(cluster.finish());
    CHECK(cluster.host(1).fleet()->agent(WorldNumber(2)));
    CHECK(cluster.host(0).fleet()->world().image() == cluster.host(1).fleet()->world().image());
    return cluster.conductor().digest();
  };
  Watch calm, again, set, corrupted;
  const std::uint64_t digest = watched(-1, 0, calm);

  CHECK(watched(-1, 0, again) == digest);
  CHECK(again.agents == calm.agents);
  CHECK(watched(-1, 0.001, set) != digest);
  CHECK(watched(kAt, 0, corrupted) != digest);

  for (const Watch* dut : {&set, &corrupted}) {
    int reached = 0;
    for (std::uint32_t number = 2; number <= 12; number += 2) {  // host1 has the even ones
      const Tick first = first_other(calm, *dut, WorldNumber(number));
      reached += first > kAt;
      CHECK((first == -1 || first > kAt));
    }
    CHECK(reached > 0);
    CHECK(dut->agents.at(120).at(WorldNumber(1)) != calm.agents.at(120).at(WorldNumber(1)));
    for (WorldNumber hermit : {WorldNumber(13), WorldNumber(14)})
      CHECK(first_other(calm, *dut, hermit) == -1);  // a robot that nothing reached is as before
  }
  CHECK(first_other(calm, corrupted, WorldNumber(1)) == kAt);
}

// --------------------------------------------------------------------------------------------------------------- (e)

TEST_CASE("one intent lost or late in the whole run changes the digest") {
  SerialExecutor executor;
  Fleets start(crowd(), 2, executor);
  while (start.tick() < 30 || start.inbox().empty()) start.step();
  const auto digest_with = [&](const std::function<void(std::vector<Message>&)>& meddle) {
    Fleets dut(start, 2, executor);
    meddle(dut.inbox());
    for (int i = 0; i < 10; ++i) dut.step();
    return dut.digest();
  };
  const std::uint64_t digest = digest_with([](auto&) {});

  CHECK(digest_with([](auto&) {}) == digest);
  for (std::size_t i = 0; i < start.inbox().size(); ++i) {
    CHECK(start.inbox()[i].topic == "intent");
    CHECK(digest_with([&](auto& m) { m.erase(m.begin() + static_cast<std::ptrdiff_t>(i)); }) != digest);
    CHECK(digest_with([&](auto& m) { m[i].sent += Duration(1); }) != digest);
    CHECK(digest_with([&](auto& m) { m[i].sent += std::chrono::milliseconds(20); }) != digest);
  }
}

TEST_CASE("a network that loses or delays intents makes robots go other ways") {
  const auto end_states = [](NetworkModel network) {
    Setup setup = crowd();
    network.range = 10;
    setup.network = network;
    Cluster cluster(setup, {.end = 150});
    REQUIRE(cluster.finish());
    const auto states = cluster.conductor().world().snapshot().states();  // not the digest: the setup is in it
    return std::vector<State>(states.begin(), states.end());
  };
  const auto calm = end_states({});

  CHECK(end_states({}) == calm);
  CHECK(end_states({.loss = 1}) != calm);
  CHECK(end_states({.loss = 0.2}) != calm);
  CHECK(end_states({.delay = std::chrono::milliseconds(200)}) != calm);
  CHECK(end_states({.jitter = std::chrono::milliseconds(200)}) != calm);
}

// -------------------------------------------------------------------------------------------------------- (h), (i)

TEST_CASE("the report adds up: agents, agent-ticks, ways and contacts, and no footprints overlap") {
  constexpr Tick kTicks = 250;
  for (std::vector<std::string> hosts : {std::vector<std::string>{"host0"}, {"host0", "host1", "host2"}}) {
    const std::size_t many = hosts.size();
    Watch watch;
    Setup setup = crowd();
    for (EntitySpec& e : setup.entities) e.driver.kind = DriverKind::kWaypoints, e.driver.waypoints = {{0, 0}};
    Cluster cluster(setup, {.hosts = std::move(hosts), .end = kTicks, .paused = true});
    cluster.conductor().watchers().add(&watch);
    cluster.call(resume());
    REQUIRE(cluster.finish());

    std::uint64_t agent_ticks = 0, robot_contacts = 0, first_contacts = 0;
    std::set<WorldNumber> robots;
    for (const auto& [owner, host] : cluster.conductor().hosts()) {
      REQUIRE(host.reported);
      agent_ticks += host.report.agent_ticks;
      CHECK(host.report.robots.size() == 12 / many);
      for (const RobotReport& r : host.report.robots) {
        CHECK(robots.insert(r.number).second);
        CHECK(r.distance == approx(watch.way[r.number]).epsilon(0.01));
        CHECK(r.stuck >= Duration(0));
        CHECK(r.stuck <= Duration(kTicks * std::chrono::milliseconds(20)));
        robot_contacts += r.robot_contacts, first_contacts += r.first_contacts;
      }
    }
    CHECK(agent_ticks == 12 * kTicks);
    CHECK(robots.size() == 12);
    CHECK(robot_contacts >= first_contacts);
    CHECK(first_contacts > 0);
    if (many == 1) CHECK(cluster.conductor().books().roll.contacts_between_hosts() == 0);
    else CHECK(cluster.conductor().books().roll.contacts_between_hosts() > 0);
    CHECK(cluster.conductor().books().roll.contacts_between_hosts() <= first_contacts);
    CHECK(watch.least_gap >= -testing::kMostOverlap);
    CHECK(watch.least_gap < 1e-3);  // they did touch
  }
}

// --------------------------------------------------------------------------------------------------------------- (j)

TEST_CASE("the order in which hosts start, and one agent a host or all on one, never change the digest") {
  testing::Script script = testing::make_script(4);
  script.end = 60;
  const testing::Outcome one = testing::run(testing::undisturbed(4, 1), script);
  CHECK(one.failure == "");
  std::vector<int> order{0, 1, 2};
  do {
    testing::Plan plan = testing::undisturbed(4, 3);
    for (std::size_t i = 0; i < 3; ++i) plan.hosts[i].start = Moment{} + std::chrono::milliseconds(3 * order[i]);
    const testing::Outcome dut = testing::run(plan, script);
    CHECK(dut.failure == "");
    CHECK(dut.digests == one.digests);
  } while (std::next_permutation(order.begin(), order.end()));

  const testing::Outcome each = testing::run(testing::undisturbed(4, script.setup.entities.size()), script);
  CHECK(each.failure == "");
  CHECK(each.digests == one.digests);
}

}  // namespace honest_digest_test
