// Elements of outside programs inside a world in free mode.
#include <doctest/doctest.h>

#include "agent/onlooker_rig.h"
#include "convoy/element.pb.h"
#include "core/bytes.h"
#include "testing/requests.h"
#include "testing/rig.h"
#include "wire/element_types.h"

namespace elements_test {

using namespace convoy;
using namespace convoy::testing;

namespace {

// alice pushes it, by a frame of its own.
void push(Rig& rig, std::size_t alice, std::uint32_t id, const std::function<void(Note&)>& fill) {
  Session& session = rig.callers[alice]->session();
  Note note;
  note.set_connection(session.number().value()), note.set_id(id);
  note.set_stamp(nanos(rig.run().position().now.time_since_epoch()));
  fill(note);
  Bytes payload;
  const ElementTypeId type = element_type_id("convoy.Note");
  for (int i = 0; i < 4; ++i) payload.push_back(static_cast<std::uint8_t>(type >> (8 * i)));
  const std::string bytes = note.SerializeAsString();
  payload.insert(payload.end(), bytes.begin(), bytes.end());
  session.send(FrameType::kElements, payload);
  session.flush();
}

}  // namespace

TEST_CASE("in free mode robots see elements on every host, bodies come and go, and who comes later hears of them") {
  Onlookers eyes;
  Setup setup = empty_arena(10, 1);
  setup.view_radius = 1;
  setup.element_shapes = {{"convoy.Note", "box"}};
  for (const auto& [name, x] : {std::pair{"r0", -3.0}, {"r1", 0.0}, {"r2", 3.0}}) {
    EntitySpec spec;
    spec.name = name, spec.model = "turtlebot3_burger", spec.pose.p.x = x;
    spec.components = {{"tests", "onlooker", {}}};
    setup.entities.push_back(spec);
  }
  Rig rig(setup, {.hosts = {"host0", "host1", "host2"}, .free = true, .software = &eyes});
  const std::size_t alice = rig.add_caller("alice", PeerRole::kForeign);
  REQUIRE(rig.run_until([&] { return rig.callers[alice]->session().welcome() && rig.run().tick() > 5; }));
  rig.callers[alice]->session().send(FrameType::kReady, Bytes{});
  const auto body = [&](const World& world) { return world.find("element_alice_1"); };
  const auto everywhere = [&](const std::function<bool(const World&)>& holds) {
    return holds(rig.run().world()) && std::all_of(rig.clients.begin(), rig.clients.end(),
                                                   [&](const auto& c) { return holds(c->fleet()->world()); });
  };
  const auto last = [&](const char* name) {
    if (eyes.seen[name].empty()) return std::string();
    const std::string& line = eyes.seen[name].back();
    return line.substr(line.find(':') + 1);
  };

  push(rig, alice, 1, [](Note& note) { note.mutable_position()->set_x(-2.5); });
  push(rig, alice, 2, [](Note& note) { note.add_to("r2"), note.add_to("nobody"); });
  CHECK(rig.run_until([&] { return last("r0") == " alice1@-25" && last("r2") == " alice2"; }, 5));
  CHECK(everywhere([&](const World& world) {
    return body(world) != kNoSlot && world.entity(body(world)).frozen &&
           world.snapshot().state(body(world)).pose.p.x == -2.5;
  }));
  CHECK(last("r1").empty());
  CHECK(rig.server->membership().drops().of(Drop::kForNobody) == 1);
  CHECK(rig.logged("element 2 of alice is for 'nobody', and nobody has that name"));

  push(rig, alice, 1, [](Note& note) { note.mutable_position()->set_x(0.5); });
  CHECK(rig.run_until([&] { return last("r1") == " alice1@5" && last("r0").empty(); }, 5));
  CHECK(rig.run_until(
      [&] {
        return everywhere([&](const World& world) { return world.snapshot().state(body(world)).pose.p.x == 0.5; });
      },
      5));

  // A host that comes later hears of what there is: its robot sees it.
  const std::size_t late = rig.add_host("host3");
  REQUIRE(rig.run_until([&] { return rig.clients[late]->fleet() != nullptr; }, 5));
  Spawn spawn;
  spawn.spec = setup.entities[0];
  spawn.spec.name = "r3", spawn.spec.pose.p = {1, 0.5, 0};
  spawn.owner = rig.clients[late]->session().number();
  rig.run().submit(spawn, nullptr);
  CHECK(rig.run_until([&] { return last("r3") == " alice1@5"; }, 5));

  rig.callers[alice]->session().leave();
  rig.callers[alice]->session().flush();
  CHECK(rig.run_until([&] { return everywhere([&](const World& world) { return body(world) == kNoSlot; }); }, 5));
  CHECK(rig.run_until([&] { return last("r1").empty() && last("r2").empty(); }, 5));
}

}  // namespace elements_test
