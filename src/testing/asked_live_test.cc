// Edits that agents ask for in free mode: carried out as they come to the server, and answered.
#include <doctest/doctest.h>

#include "agent/asker_rig.h"
#include "testing/requests.h"
#include "testing/rig.h"

namespace asked_live_test {

using namespace convoy;
using namespace convoy::testing;
using namespace std::chrono_literals;

TEST_CASE("in free mode agents spawn, attach and delete, every host sees it, and the asker alone is told") {
  Askers askers;
  askers.plans["r1"] = {{200ms, spawn_request("crate", {0.5, 0, 0}, "~")},
                        {600ms, attach_request("~", "crate")},
                        {1200ms, about(EditKind::kDelete, "r3")}};
  askers.plans["r2"] = {{800ms, attach_request("~", "crate")}, {900ms, about(EditKind::kDelete, "r1")}};
  Setup setup = empty_arena(10, 1);
  setup.entities = {asker("r1", -2), asker("r2", 0), asker("r3", 2)};
  setup.entities[1].edits = {EditKind::kAttach};
  Rig rig(setup, {.hosts = {"host0", "host1", "host2"}, .free = true, .software = &askers});

  rig.run_until([&] { return rig.run().tick() >= 150; });

  const World& world = rig.run().world();
  REQUIRE(world.find("crate") != kNoSlot);
  CHECK(world.entity(world.find("crate")).number == WorldNumber(4));
  CHECK(world.entity(world.find("crate")).parent == WorldNumber(1));
  CHECK(world.find("r3") == kNoSlot);
  for (const auto& client : rig.clients) {
    const World& mirror = client->fleet()->world();
    REQUIRE(mirror.find("crate") != kNoSlot);
    CHECK(mirror.entity(mirror.find("crate")).parent == WorldNumber(1));
    CHECK(mirror.snapshot().state(mirror.find("crate")).pose.p.x == -1.5);
  }
  const auto texts = [&](const char* name) {
    std::vector<std::string> out;
    for (const std::string& line : askers.heard[name]) out.push_back(line.substr(line.find(": ") + 2));
    return out;
  };
  CHECK(texts("r1") == std::vector<std::string>{"crate is 4", "crate is 4", "r3 is 3"});
  CHECK(texts("r2") == std::vector<std::string>{"'crate' is attached already",
                                                "'r2' may not ask for this: its scenario needs edits: [delete]"});
  CHECK(askers.heard["r3"].empty());
}

}  // namespace asked_live_test
