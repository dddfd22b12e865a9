// Leases end with the connection through which they were taken.
#include <doctest/doctest.h>

#include "testing/requests.h"
#include "testing/rig.h"

namespace leases_test {

using namespace convoy;
using namespace convoy::testing;

namespace {

Request lease(const char* robot, Lease::Kind kind = Lease::Kind::kTake, const char* holder = "") {
  Request r;
  r.mutable_lease()->set_kind(static_cast<std::uint32_t>(kind)), r.mutable_lease()->add_names(robot);
  r.set_holder(holder);
  return r;
}

Request as(const char* holder, Request request) {
  request.set_holder(holder);
  return request;
}

Setup room() {
  Setup setup = empty_arena(10, 1);
  setup.entities = {robot("alpha", "turtlebot3_burger", 0, 0, 0, DriverKind::kNone),
                    robot("beta", "turtlebot3_waffle", 2, 0, 0, DriverKind::kNone)};
  return setup;
}

// Takes leases through its client, as adapters do.
struct Taker final : Gateway {
  void before_tick(const Fleet&, Tick, std::vector<Input>&) override {}
  void after_tick(const Fleet&, Tick, const Snapshot&) override {}
  void on_time(const Fleet*, Moment) override {}
  Moment deadline() const override { return kNever; }
  std::vector<GatewayWish> take_wishes() override { return std::exchange(wishes, {}); }
  void answered(const Fleet*, const GatewayAnswer& answer) override { ++answers, refused += answer.error.has_value(); }
  void wish(Edit edit, std::string holder) {
    wishes.push_back({++made, GatewayWish::Kind::kEdit, std::move(edit), 0, {}, std::move(holder)});
  }
  std::vector<GatewayWish> wishes;
  std::uint64_t made = 0;
  int answers = 0, refused = 0;
};

std::string held(Rig& rig, const char* robot) {
  const World& world = rig.run().world();
  return holder_of(world, world.entity(world.find(robot)).number);
}

}  // namespace

TEST_CASE("a foreign program holds by its name, against all others, until it leaves; in both modes") {
  for (const bool free : {false, true}) {
    CAPTURE(free);
    Rig rig(room(), {.paused = true, .free = free});
    const std::size_t guest = rig.add_caller("guest", PeerRole::kForeign);
    CHECK(rig.error_of(as("somebody", lease("alpha")), guest) == "");
    CHECK(held(rig, "alpha") == "guest");
    CHECK(rig.error_of(drive("alpha", 1, 0, 1)) == "'guest' has leased 'alpha'");
    CHECK(rig.error_of(as("guest", drive("alpha", 1, 0, 1))) == "");
    CHECK(rig.error_of(lease("alpha", Lease::Kind::kGiveBack, "me")) == "'me' has no lease of 'alpha'");

    rig.callers[guest]->session().leave();
    rig.callers[guest]->session().flush();
    CHECK(rig.run_until([&] { return held(rig, "alpha").empty(); }));
    CHECK(rig.error_of(drive("alpha", 1, 0, 1)) == "");
  }
}

TEST_CASE("a host's programs lease its robots alone, and lose them with it") {
  Taker taker;
  Rig rig(room(), {.paused = true, .leave = LeavePolicy::kFreeze, .gateway = &taker});
  REQUIRE(rig.run_until([&] { return !rig.run().gathering(); }));
  const World& world = rig.run().world();
  const auto done = [&](int answers) { return rig.run_until([&] { return taker.answers == answers; }); };
  WorldNumber mine = kNoEntity, others = kNoEntity;
  for (const Entity& e : world.entities()) (rig.run().hosts().at(e.owner).name == "host0" ? mine : others) = e.number;

  taker.wish(Lease{{mine}, "planner", Lease::Kind::kTake}, "planner");
  REQUIRE(done(1));
  CHECK(holder_of(world, mine) == "planner");
  taker.wish(Lease{{others}, "planner", Lease::Kind::kTake}, "planner");
  taker.wish(Lease{{mine}, "admin", Lease::Kind::kBreak}, "admin");
  taker.wish(Lease{{mine}, "planner", Lease::Kind::kGiveBack}, "somebody");
  REQUIRE(done(4));
  CHECK(taker.refused == 3);

  rig.clients[0]->stop();
  REQUIRE(rig.run_until([&] { return world.holders().empty(); }));
  CHECK(world.entity(world.slot_of(mine)).frozen);
}

TEST_CASE("only an admin breaks a lease, and everybody sees who holds what") {
  Rig rig(room(), {.paused = true});
  CHECK(rig.error_of(lease("alpha", Lease::Kind::kTake, "planner")) == "");
  CHECK(rig.call(lease("alpha", Lease::Kind::kTake, "other")).error() ==
        static_cast<std::uint32_t>(ErrorCode::kLeased));
  CHECK(rig.error_of(lease("nobody", Lease::Kind::kTake, "planner")) == "unknown robot 'nobody'");
  const std::size_t guest = rig.add_caller("guest", PeerRole::kForeign);
  CHECK(rig.call(lease("alpha", Lease::Kind::kBreak), guest).error() == static_cast<std::uint32_t>(ErrorCode::kDenied));
  Request details = get("alpha");
  details.mutable_get()->set_details(true);
  CHECK(rig.call(details, guest).json().find(R"("holder":"planner")") != std::string::npos);
  CHECK(rig.error_of(lease("alpha", Lease::Kind::kBreak, "boss")) == "");
  CHECK(held(rig, "alpha").empty());
  CHECK(rig.error_of(erase("alpha"), guest) == "");
  CHECK(rig.error_of(lease("alpha", Lease::Kind::kTake, "planner")).find("unknown robot 'alpha'") == 0);
}

}  // namespace leases_test
