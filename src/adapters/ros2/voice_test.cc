// One voice at the root: who has it, when another takes it, and that time never goes back.
#include "adapters/ros2/voice.h"

#include <nav_msgs/msg/occupancy_grid.hpp>
#include <simulation_interfaces/srv/get_simulator_features.hpp>
#include <simulation_interfaces/srv/reset_simulation.hpp>
#include <ue_msgs/srv/get_entity_state.hpp>

#include "adapters/ros2/clients_rig.h"

namespace voice_test {

using namespace convoy;
using namespace convoy::ros2;
using AskFeatures = simulation_interfaces::srv::GetSimulatorFeatures;
using Stated = ue_msgs::srv::GetEntityState;

namespace {

bool answered_at_root(ClientsRig& rig) { return rig.call<AskFeatures>("/get_simulator_features").has_value(); }

bool mapped(ClientsRig& rig) {
  int maps = 0;
  rig.hear("/map", ros::TypeSupport::of<nav_msgs::msg::OccupancyGrid>(), kLatched, [&](const Received&) { ++maps; });
  return rig.until([&] { return maps > 0; }, 1);
}

}  // namespace

TEST_CASE("the lowest-numbered client speaks at the root, and each has its own names") {
  ClientsRig dut;

  REQUIRE(dut.until([&] { return dut.clocks > 10; }));

  CHECK(dut.written_by("/clock", 0));
  CHECK(dut.written_by("/map", 0));
  CHECK(dut.written_by("/NetworkPC1/clock", 0));
  CHECK(dut.written_by("/NetworkPC2/clock", 1));
  CHECK(answered_at_root(dut));
  CHECK(dut.call<AskFeatures>("/NetworkPC2/get_simulator_features"));
  CHECK(dut.twice.empty());
}

TEST_CASE("a clock that nobody hears is not said, and who comes later hears none of the past") {
  ClientsRig dut;
  dut.pass(1);
  std::vector<Received> first;
  const auto listen = [&] {
    first.clear();
    const auto clock = *dut.caller->subscription("/NetworkPC1/clock", ros::TypeSupport::of<rosgraph_msgs::msg::Clock>(),
                                                 kLatched, [&](const Received& got) { first.push_back(got); });
    return dut.until([&] { return !first.empty(); }, 1);
  };
  const auto stamp = [&] {
    return ros::instant_of(message_in<rosgraph_msgs::msg::Clock>(*dut.outside, first.front().cdr)->clock);
  };

  REQUIRE(listen());

  CHECK(first.front().sequence == 1);

  dut.pass(1);
  const Instant before = dut.clock;
  REQUIRE(listen());
  CHECK(stamp() >= before);
}

TEST_CASE("another takes over once the voice is lost, and the clock goes on from there") {
  ClientsRig dut;
  REQUIRE(dut.until([&] { return dut.clocks > 10; }));

  dut.kill(0);
  dut.pass(1.5 * seconds(kLimit));  // the server has given it up, DDS has not
  CHECK(dut.rig->logged("host0 is gone"));
  CHECK(dut.written_by("/clock", 0));
  const Instant before = dut.clock;
  dut.forget(0);

  CHECK(dut.until([&] { return dut.clock > before; }, 0.5));
  CHECK(dut.written_by("/clock", 1));
  CHECK(dut.written_by("/map", 1));
  CHECK(mapped(dut));
  CHECK(answered_at_root(dut));
  CHECK_FALSE(dut.clock_went_back);
  CHECK(dut.twice.empty());
}

TEST_CASE("who takes over while no tick is made waits a while: the last stamp may not have been heard") {
  ClientsRig dut;
  REQUIRE(dut.until([&] { return dut.clocks > 10; }));
  testing::Request pause;
  pause.mutable_pause();
  REQUIRE(dut.rig->error_of(pause).empty());
  dut.pass(0.2);

  dut.kill(0), dut.forget(0);
  REQUIRE(dut.until([&] { return dut.written_by("/clock", 1); }, 1));
  const std::size_t heard = dut.clocks;
  dut.pass(0.9);
  CHECK(dut.clocks == heard);
  dut.pass(0.3);

  CHECK(dut.clocks > heard);
  CHECK_FALSE(dut.clock_went_back);
}

TEST_CASE("where all names of clients are at the root they are the voice's") {
  ClientsRig dut({.ns = "/"});
  REQUIRE(dut.until([&] { return dut.clocks > 10; }));
  Stated::Request request;
  request.name = "alpha";
  CHECK(dut.call<Stated>("/GetEntityState", request)->success);

  dut.kill(0), dut.forget(0);

  CHECK(dut.until([&] { return dut.written_by("/clock", 1); }, 1));
  CHECK(dut.call<Stated>("/GetEntityState", request)->success);
  CHECK(dut.twice.empty());
}

TEST_CASE("a lower-numbered client that comes again speaks once the other has let go") {
  ClientsRig dut;
  REQUIRE(dut.until([&] { return dut.clocks > 10; }));
  dut.kill(0), dut.forget(0);
  REQUIRE(dut.until([&] { return dut.written_by("/clock", 1); }));
  dut.pass(seconds(kLimit));

  const std::size_t again = dut.come_again();

  CHECK(dut.until([&] { return dut.written_by("/clock", again); }, 3 * seconds(kLimit)));
  const std::size_t heard = dut.clocks;
  CHECK(dut.until([&] { return dut.clocks > heard + 10; }));
  CHECK(answered_at_root(dut));
  CHECK(mapped(dut));
  CHECK_FALSE(dut.clock_went_back);
  CHECK(dut.twice.empty());
}

TEST_CASE("of clients in one process the next one speaks when one has left") {
  ClientsRig dut({.one_process = true});
  REQUIRE(dut.until([&] { return dut.clocks > 10; }));
  CHECK(dut.writers("/NetworkPC1/clock").size() == 1);

  testing::Request kick;
  kick.mutable_kick()->set_name("host0");
  REQUIRE(dut.rig->error_of(kick).empty());

  CHECK(dut.until([&] { return dut.writers("/NetworkPC1/clock").empty(); }));
  const std::size_t heard = dut.clocks;
  CHECK(dut.until([&] { return dut.clocks > heard + 10; }));
  CHECK(answered_at_root(dut));
  CHECK(dut.writers("/alpha/odom").empty());
  CHECK_FALSE(dut.clock_went_back);
  CHECK(dut.twice.empty());
}

TEST_CASE("the clock stands and does not go back while the run waits for another client") {
  ClientsRig dut({.liveness = Duration{0}});
  REQUIRE(dut.until([&] { return dut.clocks > 10; }));

  dut.rig->net.stop(dut.rig->seats[1], std::chrono::seconds(1));
  const std::size_t heard = dut.clocks;
  dut.pass(0.9);

  CHECK(dut.clocks > heard + 5);  // ten times a second
  CHECK_FALSE(dut.clock_went_back);
}

TEST_CASE("a run that begins anew has its clock from the beginning, whoever speaks") {
  ClientsRig dut;
  REQUIRE(dut.until([&] { return dut.clock > instant(500'000'000); }));
  dut.kill(0), dut.forget(0);
  REQUIRE(dut.until([&] { return dut.written_by("/clock", 1); }));

  using Reset = simulation_interfaces::srv::ResetSimulation;
  Reset::Request request;
  request.scope = Reset::Request::SCOPE_ALL;
  REQUIRE(dut.call<Reset>("/reset_simulation", request, 10));

  CHECK(dut.until([&] { return dut.clock < instant(300'000'000); }, 1));
}

TEST_CASE("who stood still says nothing at the root before the server has told that it is not lost") {
  ClientsRig dut({.paused = true, .liveness = Duration{0}, .path = {.latency = std::chrono::milliseconds(50)}});
  REQUIRE(dut.until([&] { return dut.clocks > 10; }));
  const Moment begin = dut.rig->net.now();
  dut.rig->net.stop(dut.rig->seats[0], 2 * kLimit);
  dut.pass(2 * seconds(kLimit));
  const std::size_t heard = dut.clocks;
  REQUIRE(dut.rig->net.now() == begin + 2 * kLimit);

  dut.pass(0.09);
  CHECK(dut.clocks == heard);
  dut.pass(0.5);

  CHECK(dut.clocks > heard);
}

TEST_CASE("a request to a client that vanishes ends in its caller's time limit, and the others go on") {
  ClientsRig dut;
  REQUIRE(dut.until([&] { return dut.clocks > 10; }));
  const auto asks =
      std::move(*dut.caller->client("/NetworkPC1/get_simulator_features", ros::ServiceSupport::of<AskFeatures>()));
  REQUIRE(dut.until([&] { return asks->ready(); }));
  std::optional<Result<Bytes>> reply;
  const AskFeatures::Request request;

  dut.kill(0);
  asks->call(*ros::TypeSupport::of<AskFeatures::Request>().to_cdr(&request), dut.rig->net.now() + 3 * kLimit,
             [&](Result<Bytes> got) { reply = std::move(got); });
  dut.pass(seconds(kLimit));
  dut.forget(0);

  CHECK_FALSE(reply);
  CHECK(dut.call<AskFeatures>("/NetworkPC2/get_simulator_features"));
  REQUIRE(dut.until([&] { return reply.has_value(); }));
  CHECK(reply->error().code == ErrorCode::kUnavailable);
}

}  // namespace voice_test
