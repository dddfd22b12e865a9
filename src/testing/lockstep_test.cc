// What lockstep promises, on whole clusters in virtual time.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "testing/cluster.h"
#include "testing/rig.h"

namespace lockstep_test {

using namespace convoy;
using namespace convoy::testing;

namespace {

using Seconds = std::chrono::seconds;

// A crowd of robots that yield to each other, far enough in the run to have met.
Setup crowd(int robots = 12) {
  Setup setup = empty_arena(5, 3);
  setup.network.range = 10;
  for (int i = 0; i < robots; ++i) {
    setup.entities.push_back(robot("r" + std::to_string(i), i % 2 ? "turtlebot3_burger" : "turtlebot3_waffle",
                                   -1.2 + 0.6 * (i % 4), -0.8 + 0.6 * (i / 4), 0.5 * i, DriverKind::kRightOfWay));
    setup.entities.back().driver.period = std::chrono::milliseconds(40);
  }
  return setup;
}

proto::Request step(std::uint64_t ticks) {
  proto::Request r;
  r.mutable_step()->set_ticks(ticks);
  return r;
}
proto::Request detach(const std::string& child) {
  proto::Request r;
  r.mutable_detach()->set_child(child);
  return r;
}
proto::Request attach(const std::string& parent, const std::string& child) {
  proto::Request r;
  r.mutable_attach()->set_parent(parent);
  r.mutable_attach()->set_child(child);
  return r;
}

std::uint64_t digest_of(const Setup& setup, std::vector<std::string> hosts, Tick end = 120) {
  Rig rig(setup, {.hosts = std::move(hosts), .end = end});
  REQUIRE(rig.finish());
  return rig.conductor().digest();
}

}  // namespace

TEST_CASE("the digest is the same on 1, 2, 4 and 8 hosts, whoever starts first, however pieces are run") {
  const Script script = make_script(3);
  const Outcome one = run(undisturbed(3, 1), script);
  CHECK(one.failure == "");

  for (std::size_t hosts : {2, 4, 8}) {
    Plan plan = undisturbed(3, hosts);
    for (std::size_t i = 0; i < hosts; ++i) {
      plan.hosts[i].pieces = hosts + i;
      plan.hosts[i].start = Moment{} + std::chrono::milliseconds((i * 7) % 5);
    }
    std::reverse(plan.hosts.begin(), plan.hosts.end());
    const Outcome many = run(plan, script);
    CHECK(many.failure == "");
    CHECK(many.digests == one.digests);
    CHECK(many.messages == one.messages);
    CHECK(many.events.at("carried_across_hosts") > 0);  // the script attaches across hosts
  }
}

TEST_CASE("the digest does not depend on where robots are placed") {
  Setup alone = crowd(4), together = crowd(4), shuffled = crowd(4);
  for (int i = 0; i < 4; ++i) {
    alone.entities[static_cast<std::size_t>(i)].host = "host" + std::to_string(i);
    together.entities[static_cast<std::size_t>(i)].host = "host2";
    shuffled.entities[static_cast<std::size_t>(i)].host = "host" + std::to_string((i * 3 + 1) % 4);
  }
  const std::vector<std::string> hosts{"host0", "host1", "host2", "host3"};

  const std::uint64_t digest = digest_of(alone, hosts);
  CHECK(digest_of(together, hosts) == digest);
  CHECK(digest_of(shuffled, hosts) == digest);
  CHECK(digest_of(shuffled, {"elsewhere"}) == digest);
}

TEST_CASE("a host with another numeric fingerprint is refused, and reports why") {
  Rig rig(crowd(), {.end = 20});
  const std::size_t other = rig.add_host("host9", 1);

  REQUIRE(rig.run_until([&] { return rig.clients[other]->finished(); }));

  CHECK(rig.clients[other]->failure()->text ==
        "the server declined: numeric fingerprint 0000000000000001 differs from the server's 0000000000000000: this "
        "machine computes other bits, so lockstep would diverge (see docs/determinism.md)");
  CHECK(rig.finish());
}

TEST_CASE("who joins late gets the exact world, and the run goes on as if nothing had been") {
  const std::uint64_t digest = digest_of(crowd(), {"host0", "host1"});
  Rig rig(crowd(), {.end = 120, .paused = true});
  rig.call(step(50));
  rig.call(attach("r0", "r1"));

  const std::size_t late = rig.add_host("host7");
  REQUIRE(rig.run_until([&] { return rig.clients[late]->host() && rig.clients[late]->host()->fleet(); }));
  CHECK(rig.host(late).tick() == 50);
  CHECK(rig.host(late).fleet()->world().image() == rig.conductor().world().image());
  rig.call(step(20));
  REQUIRE(rig.run_until([&] { return rig.host(late).tick() == 70; }));
  CHECK(rig.host(late).fleet()->world().image() == rig.conductor().world().image());

  Rig plain(crowd(), {.end = 120});
  const std::size_t guest = plain.add_host("host7");
  REQUIRE(plain.finish());
  CHECK(plain.conductor().digest() == digest);
  CHECK(!plain.clients[guest]->failure());
}

TEST_CASE("pause, step and resume change nothing but the time at which it happens") {
  Rig free_run(crowd(), {.end = 100});
  REQUIRE(free_run.finish());
  Rig rig(crowd(), {.end = 100, .paused = true});

  CHECK(rig.call(step(1)).tick() == 1);
  CHECK(rig.call(step(29)).tick() == 30);
  rig.run_until([] { return false; }, 5);
  CHECK(rig.conductor().tick() == 30);
  proto::Request resume, pause;
  resume.mutable_resume();
  pause.mutable_pause();
  rig.call(resume);
  rig.run_to(60);
  rig.call(pause);
  rig.run_until([] { return false; }, 5);
  CHECK(rig.conductor().time().paused());
  rig.call(resume);

  REQUIRE(rig.finish());
  CHECK(rig.memory.digests() == free_run.memory.digests());
}

TEST_CASE("after a reset and N ticks the digest is a fresh run's after N ticks, on the hosts too") {
  Rig rig(crowd(), {.end = 90, .paused = true});
  rig.call(step(40));
  rig.call(attach("r0", "r3"));
  proto::Request remove, reset, resume;
  remove.mutable_delete_()->add_names("r5");
  reset.mutable_reset();
  resume.mutable_resume();
  rig.call(remove);
  rig.call(step(10));
  rig.call(reset);
  CHECK(rig.conductor().run() == 1);
  CHECK(rig.conductor().tick() == 0);
  rig.call(resume);
  REQUIRE(rig.finish());

  Rig fresh(crowd(), {.end = 90});
  REQUIRE(fresh.finish());
  for (Tick k = 0; k <= 90; ++k) CHECK(rig.memory.digest_at(1, k) == fresh.memory.digest_at(0, k));
}

TEST_CASE("an attach across hosts moves no agent, and the digest is the single host's") {
  const auto attached_run = [](std::vector<std::string> hosts) {
    Setup setup = crowd(4);
    setup.entities[0].host = "host0";
    setup.entities[1].host = "host1";
    auto rig = std::make_unique<Rig>(setup, RigOptions{.hosts = std::move(hosts), .end = 100, .paused = true});
    rig->call(step(30));
    return rig;
  };
  auto two = attached_run({"host0", "host1"}), one = attached_run({"host0"});
  REQUIRE(two->host(1).fleet()->agent(WorldNumber(2)));

  CHECK(two->error_of(attach("r0", "r1")) == "");
  CHECK(one->error_of(attach("r0", "r1")) == "");
  for (auto& rig : {&two, &one}) (*rig)->call(step(40));
  CHECK(two->host(1).fleet()->agent(WorldNumber(2)));
  CHECK(!two->host(0).fleet()->agent(WorldNumber(2)));
  CHECK(two->memory.carried_across() == 40);
  CHECK(one->memory.carried_across() == 0);
  const World& world = two->conductor().world();
  const Pose X_PC = world.snapshot().state(Slot(0)).pose.inverse() * world.snapshot().state(Slot(1)).pose;
  const Vec3 off = X_PC.p - world.entity(Slot(1)).X_PC.p;
  CHECK(std::hypot(off.x, off.y, off.z) < 1e-9);

  proto::Request resume;
  resume.mutable_resume();
  for (auto& rig : {&two, &one}) {
    CHECK((*rig)->error_of(detach("r1")) == "");
    (*rig)->call(resume);
    REQUIRE((*rig)->finish());
  }
  CHECK(two->memory.digests() == one->memory.digests());
}

TEST_CASE("an attach at the very first boundary is carried out before any host has a tick") {
  struct AtOnce final : RunWatcher {
    Conductor* conductor = nullptr;
    void completed(std::uint32_t, Tick tick, const World&, std::span<const AgentHash>,
                   std::span<const Message>) override {
      if (tick == 0) conductor->submit(Attach{WorldNumber(1), WorldNumber(2)}, nullptr);
    }
    void entered(const JournalEntry&) override {}
    void chained(std::uint32_t, Tick, std::uint64_t, const World&, std::span<const AgentHash>) override {}
    void checkpointed(std::uint32_t, Tick, const InnerBytes&) override {}
  } at_once;
  const auto digest = [&](std::vector<std::string> hosts) {
    Rig rig(crowd(4), {.hosts = std::move(hosts), .end = 30});
    at_once.conductor = &rig.conductor();
    rig.conductor().watchers().add(&at_once);
    REQUIRE(rig.finish());
    CHECK(rig.conductor().world().entity(Slot(1)).parent == WorldNumber(1));
    return rig.conductor().digest();
  };

  CHECK(digest({"host0", "host1"}) == digest({"host0"}));
}

TEST_CASE("who rides on a robot whose host is lost rides on what is frozen, or comes free where that is removed") {
  for (const LeavePolicy leave : {LeavePolicy::kFreeze, LeavePolicy::kRemove}) {
    Rig rig(crowd(), {.hosts = {"host0", "host1", "host2"}, .paused = true, .leave = leave});
    const World& world = rig.conductor().world();
    const WorldNumber child = world.entity(world.slots_of(Owner(1))[0]).number;
    const WorldNumber parent = world.entity(world.slots_of(Owner(2))[0]).number;
    const auto entity = [&](WorldNumber number) -> const Entity& { return world.entity(world.slot_of(number)); };
    rig.conductor().submit(Attach{parent, child}, nullptr);
    CHECK(rig.call(step(5)).tick() == 5);

    rig.conductor().leave(Owner(2));
    CHECK(rig.call(step(5)).tick() == 10);
    CHECK(entity(child).owner == Owner(1));
    CHECK(!entity(child).frozen);
    CHECK(rig.host(0).fleet()->agent(child));
    if (leave == LeavePolicy::kFreeze) {
      CHECK(entity(child).parent == parent);
      CHECK(entity(parent).frozen);
    } else {
      CHECK(entity(child).parent == kNoEntity);
      CHECK(world.slot_of(parent) == kNoSlot);
    }
    CHECK(rig.server->losses().all.empty());
    CHECK(rig.host(0).fleet()->world().image() == world.image());
  }
}

TEST_CASE("a cut that the scenario asks for is survived, without a server that turns on the spot") {
  Setup setup = crowd();
  Rig rig(
      setup,
      {.end = 120, .liveness = Seconds(2), .faults = {{20, "host1", FaultKind::kCut, std::chrono::milliseconds(500)}}});

  REQUIRE(rig.finish());

  CHECK(rig.server->resumes() == 1);
  CHECK(rig.server->losses().all.empty());
  CHECK(rig.conductor().digest() == digest_of(setup, {"host0", "host1"}));
}

TEST_CASE("one state moved by a millimetre on its way out reaches the agents of the other host") {
  const auto inner_of_others = [](Tick corrupt_at) {
    Rig rig(crowd(), {.end = 120, .faults_of_first = {.corrupt_state_at = corrupt_at}});
    REQUIRE(rig.finish());
    std::vector<Bytes> inner;
    for (std::uint32_t n = 2; n <= 12; n += 2)
      inner.push_back(rig.host(1).fleet()->inner(WorldNumber(n)));  // host1 has the even ones
    return inner;
  };

  const auto calm = inner_of_others(-1);
  CHECK(!calm[0].empty());
  CHECK(inner_of_others(-1) == calm);
  CHECK(inner_of_others(20) != calm);
}

TEST_CASE("one robot a millimetre elsewhere in the setup reaches the agents of the other host") {
  const auto inner_of_others = [](double shift) {
    Setup setup = crowd();
    setup.entities[0].pose.p.x += shift;  // on host0
    Rig rig(setup, {.end = 120});
    REQUIRE(rig.finish());
    std::vector<Bytes> inner;
    for (std::uint32_t n = 2; n <= 12; n += 2) inner.push_back(rig.host(1).fleet()->inner(WorldNumber(n)));
    return inner;
  };

  CHECK(inner_of_others(0.001) != inner_of_others(0));
}

TEST_CASE("robots that do not receive each other's intents go other ways") {
  const auto end_states = [](double loss) {
    Setup setup = crowd();
    setup.network.loss = loss;
    Rig rig(setup, {.end = 150});
    REQUIRE(rig.finish());
    const auto states = rig.conductor().world().snapshot().states();
    return std::vector<State>(states.begin(), states.end());
  };

  CHECK(end_states(1) != end_states(0));
}

TEST_CASE("a host that breaks the protocol is dropped with the reason, and the run goes on") {
  Rig rig(crowd(), {.end = 60});
  rig.run_to(10);

  SUBCASE("nonsense in place of States") { rig.clients[1]->session().send(FrameType::kStates, Bytes(7)); }
  SUBCASE("a Done that is not expected") {
    rig.clients[1]->session().send(FrameType::kDone, save(Done{0, 3, 0, 0, 0, 0, 0}));
  }
  SUBCASE("a message in another agent's name") {
    rig.clients[1]->session().send(FrameType::kMessages,
                                   save(Messages{0, 11, {{WorldNumber(1), kNoEntity, 0, {}, "intent", {}}}}));
  }
  SUBCASE("a message for another tick") {
    rig.clients[1]->session().send(FrameType::kMessages, save(Messages{0, 999, {}}));
  }

  REQUIRE(rig.finish());
  CHECK(rig.server->losses().all == std::vector<std::string>{"host1"});
  CHECK(rig.server->membership().drops().of(Drop::kMalformed) == 1);
  CHECK(rig.clients[1]->failure()->text == "the server dropped us: broke the protocol");
  CHECK(rig.conductor().tick() == 60);
  CHECK(rig.host(0).fleet()->world().image() == rig.conductor().world().image());
}

TEST_CASE("a host may command its own robots only") {
  struct Meddler final : Gateway {
    void before_tick(const Fleet& fleet, Tick k, std::vector<Input>& inputs) override {
      if (k != 20) return;
      for (const Entity& e : fleet.world().entities())
        if (e.owner != fleet.me() && e.owner != kNobody)
          return inputs.push_back(DriveCommand{e.number, {{1, 0, 0}, {}}, {}});
    }
    void after_tick(const Fleet&, Tick, const Snapshot&) override {}
    void on_time(const Fleet*, Moment) override {}
    Moment deadline() const override { return kNever; }
  } meddler;
  Rig rig(crowd(), {.end = 60});
  rig.run_to(10);

  rig.host(1).gateway().set(&meddler);

  REQUIRE(rig.finish());
  CHECK(rig.server->losses().all == std::vector<std::string>{"host1"});
  CHECK(rig.logged("a command of a host's own for another's agent"));
  CHECK(rig.conductor().tick() == 60);
}

TEST_CASE("what is sound but not expected is counted: an Open from a host") {
  Rig rig(crowd(), {.end = 60});
  rig.run_to(10);

  rig.clients[1]->session().send(FrameType::kOpen, Bytes(7));
  rig.clients[1]->session().flush();

  REQUIRE(rig.finish());
  CHECK(rig.server->membership().drops().of(Drop::kUnexpected) == 1);
  CHECK(rig.server->losses().all.empty());
}

TEST_CASE("a host that lags is named") {
  Rig rig(crowd(), {.end = 200});
  rig.run_to(20);

  rig.net.stall(rig.seats[1], Seconds(4));

  REQUIRE(rig.finish());
  CHECK(rig.logged("waits for host1"));
  CHECK(!rig.logged("waits for host0"));
}

TEST_CASE("a host lost in the middle of a tick: its agents stop, and the others go on with the same world") {
  for (const LeavePolicy leave : {LeavePolicy::kFreeze, LeavePolicy::kRemove}) {
    Rig rig(crowd(), {.hosts = {"host0", "host1", "host2"}, .end = 100, .liveness = Seconds(2), .leave = leave});
    rig.run_to(30);
    rig.net.kill(rig.seats[1]);
    REQUIRE(rig.finish());

    CHECK(rig.server->losses().all == std::vector<std::string>{"host1"});
    CHECK(rig.conductor().tick() == 100);
    CHECK(rig.conductor().world().entities().size() == (leave == LeavePolicy::kFreeze ? 12 : 8));
    CHECK(rig.host(0).fleet()->world().image() == rig.conductor().world().image());
    CHECK(rig.host(2).fleet()->world().image() == rig.conductor().world().image());
  }
}

TEST_CASE("a host lost after its Done: what it did in the tick counts, everywhere") {
  Setup setup = crowd();
  Rig rig(setup, {.hosts = {"host0", "host1", "host2"}, .end = 60});
  const Owner victim{2};  // in order of arrival: host1
  REQUIRE(rig.run_until([&] {
    const auto& hosts = rig.conductor().hosts();
    const auto it = hosts.find(victim);
    return rig.conductor().tick() >= 30 && rig.conductor().phase() == Conductor::Phase::kTick && it->second.done &&
           std::any_of(hosts.begin(), hosts.end(), [](const auto& h) { return !h.second.done; });
  }));

  rig.conductor().leave(victim);

  REQUIRE(rig.finish());
  CHECK(rig.host(0).fleet()->world().image() == rig.conductor().world().image());
  for (const auto& entry : rig.memory.journal()) CHECK(!std::holds_alternative<Lost>(entry.what));
}

TEST_CASE("when the last host is gone an endless run waits, and goes on with who comes") {
  Rig rig(crowd(4), {.hosts = {"host0"}, .liveness = Seconds(2)});
  rig.run_to(10);
  rig.net.kill(rig.seats[0]);
  rig.run_until([] { return false; }, 10);
  const Tick reached = rig.conductor().tick();
  CHECK(rig.conductor().phase() == Conductor::Phase::kBoundary);

  rig.add_host("host5");

  CHECK(rig.run_to(reached + 10));
}

}  // namespace lockstep_test
