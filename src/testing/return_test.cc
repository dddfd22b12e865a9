// A host that is lost and comes again under its name, in both modes, in virtual time.
#include <doctest/doctest.h>

#include <cmath>

#include "testing/requests.h"
#include "testing/rig.h"

namespace return_test {

using namespace convoy;
using namespace convoy::testing;

namespace {

using Seconds = std::chrono::seconds;

// Robots that yield to each other, shared out evenly.
Setup crowd() {
  Setup setup = empty_arena(5, 3);
  setup.network.range = 10;
  for (int i = 0; i < 12; ++i) {
    setup.entities.push_back(robot("r" + std::to_string(i), i % 2 ? "turtlebot3_burger" : "turtlebot3_waffle",
                                   -1.2 + 0.6 * (i % 4), -0.8 + 0.6 * (i / 4), 0.5 * i, DriverKind::kRightOfWay));
    setup.entities.back().driver.period = std::chrono::milliseconds(40);
  }
  return setup;
}

}  // namespace

TEST_CASE(
    "a host that comes again under its name gets its robots back as they stand, and a replay has the same digest") {
  const auto entity_of = [](const Rig& rig, WorldNumber number) -> const Entity& {
    const World& world = rig.server->run().world();
    return world.entity(world.slot_of(number));
  };
  Rig rig(crowd(), {.hosts = {"host0", "host1", "host2"}, .liveness = Seconds(2)});
  rig.run_to(30);
  const World& world = rig.conductor().world();
  const std::vector<WorldNumber> robots = agents_of(world, rig.clients[1]->session().number());
  REQUIRE(robots.size() == 4);
  rig.net.kill(rig.seats[1]);
  REQUIRE(rig.run_until([&] { return !rig.server->losses().all.empty(); }));
  rig.run_to(rig.conductor().tick() + 50);
  std::vector<Pose> frozen;
  for (const WorldNumber number : robots) {
    CHECK(entity_of(rig, number).frozen);
    frozen.push_back(world.snapshot().state(world.slot_of(number)).pose);
  }

  rig.add_host("host7");                                                  // another name gets nothing,
  const std::size_t viewer = rig.add_caller("host1", PeerRole::kViewer);  // nor does the name, of no host
  rig.run_to(rig.conductor().tick() + 20);
  for (const WorldNumber number : robots) CHECK(entity_of(rig, number).frozen);
  rig.callers[viewer]->session().leave();
  rig.run_to(rig.conductor().tick() + 5);

  rig.conductor().time().pause();
  rig.run_until([] { return false; }, 1);
  const std::size_t back = rig.add_host("host1");
  REQUIRE(rig.run_until([&] { return rig.clients[back]->fleet() && rig.clients[back]->fleet()->all().size() == 4; }));
  CHECK(rig.logged("host1 has come again: what it left behind returns to it (4)"));
  for (std::size_t i = 0; i < robots.size(); ++i) {
    const Entity& entity = entity_of(rig, robots[i]);
    CHECK_FALSE(entity.frozen);
    CHECK(entity.owner == rig.clients[back]->session().number());
    CHECK(world.snapshot().state(world.slot_of(robots[i])).pose == frozen[i]);
  }
  rig.conductor().time().resume(rig.net.now());
  rig.run_to(rig.conductor().tick() + 200);
  rig.run().finish();
  REQUIRE(rig.finish());

  std::size_t moved = 0;
  for (std::size_t i = 0; i < robots.size(); ++i)
    moved += !(world.snapshot().state(world.slot_of(robots[i])).pose == frozen[i]);
  CHECK(moved == robots.size());
  for (const std::size_t i : {std::size_t{0}, std::size_t{2}, back})
    CHECK(rig.host(i).fleet()->world().image() == world.image());

  std::size_t returns = 0;
  for (const auto& entry : rig.memory.journal()) {
    const auto* edit = std::get_if<Edit>(&entry.what);
    const auto* one = edit ? std::get_if<Return>(edit) : nullptr;
    if (!one) continue;
    ++returns;
    CHECK(one->owner == kNobody);
  }
  CHECK(returns == robots.size());
  Rig replay(crowd(), {.hosts = {"another"}, .end = rig.conductor().tick(), .paused = true});
  JournalReplay feed(rig.memory.journal());
  feed.set_conductor(replay.conductor());
  replay.conductor().watchers().add(&feed);
  replay.conductor().time().resume(replay.net.now());
  REQUIRE(replay.finish());
  CHECK(replay.conductor().digest() == rig.conductor().digest());
}

TEST_CASE("who comes again where the scenario removes what is lost finds nothing of its own") {
  Rig rig(crowd(), {.hosts = {"host0", "host1"}, .liveness = Seconds(2), .leave = LeavePolicy::kRemove});
  rig.run_to(30);
  rig.net.kill(rig.seats[1]);
  REQUIRE(rig.run_until([&] { return !rig.server->losses().all.empty(); }));
  const std::size_t before = rig.conductor().world().entities().size();

  const std::size_t back = rig.add_host("host1");
  REQUIRE(rig.run_until([&] { return rig.clients[back]->fleet(); }));
  rig.run_to(rig.conductor().tick() + 20);

  CHECK(rig.clients[back]->fleet()->all().size() == 0);
  CHECK(rig.conductor().world().entities().size() == before);
  CHECK(before == 6);
}

TEST_CASE("what a reset has given to others stays with them when the first host comes again") {
  Rig rig(crowd(), {.hosts = {"host0", "host1"}, .liveness = Seconds(2)});
  rig.run_to(30);
  rig.net.kill(rig.seats[1]);
  REQUIRE(rig.run_until([&] { return !rig.server->losses().all.empty(); }));
  proto::Request reset;
  reset.mutable_reset();
  CHECK(rig.error_of(reset) == "");

  const std::size_t back = rig.add_host("host1");
  REQUIRE(rig.run_until([&] { return rig.clients[back]->fleet(); }));
  rig.run_to(rig.conductor().tick() + 20);

  CHECK(rig.clients[back]->fleet()->all().size() == 0);
  CHECK(rig.host(0).fleet()->all().size() == 12);
  CHECK(!rig.logged("has come again"));
}

TEST_CASE("in free mode who comes again under its name gets its robots back where they stand, and they drive on") {
  Setup setup = empty_arena(10, 3);
  for (const char* name : {"alpha", "beta", "gamma", "delta"}) {
    setup.entities.push_back(
        robot(name, "turtlebot3_waffle", 0, 0.7 * static_cast<double>(setup.entities.size()), 0, DriverKind::kNone));
    setup.entities.back().host = setup.entities.size() % 2 == 0 ? "host1" : "host0";
  }
  Rig rig(setup, {.hosts = {"host0", "host1", "host2"}, .liveness = Seconds(2), .free = true});
  REQUIRE(rig.run_to(20));
  CHECK(rig.error_of(drive("beta", 0.2, 0, 0.3)) == "");
  REQUIRE(rig.run_to(70));
  rig.net.kill(rig.seats[1]);
  REQUIRE(rig.run_until([&] { return !rig.server->losses().all.empty(); }));
  const Pose frozen = rig.state("beta").pose;
  CHECK(frozen.p.x > 0.03);
  REQUIRE(rig.run_to(rig.run().tick() + 100));

  const std::size_t back = rig.add_host("host1");
  REQUIRE(rig.run_until([&] { return rig.clients[back]->fleet() && rig.clients[back]->fleet()->all().size() == 2; }));
  const auto entity = [&](const std::string& name) { return rig.run().world().entity(rig.run().world().find(name)); };
  CHECK_FALSE(entity("beta").frozen);
  CHECK(entity("beta").owner == rig.clients[back]->session().number());
  CHECK(entity("delta").owner == entity("beta").owner);
  CHECK(rig.state("beta").pose == frozen);
  CHECK(rig.error_of(drive("beta", 0.2, 0, 1)) == "");
  REQUIRE(rig.run_to(rig.run().tick() + 150));
  CHECK(rig.state("beta").pose.p.x > frozen.p.x + 0.1);
  for (const std::size_t i : {std::size_t{0}, back}) {
    const World& seen = rig.clients[i]->fleet()->world();
    CHECK_FALSE(seen.entity(seen.find("beta")).frozen);
    CHECK(std::fabs(seen.snapshot().state(seen.find("beta")).pose.p.x - rig.state("beta").pose.p.x) < 0.01);
  }
}

}  // namespace return_test
