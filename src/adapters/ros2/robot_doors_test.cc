// Robots that change their client: what is published of them has one writer at any time, and goes on.
#include "adapters/ros2/robot_doors.h"

#include <nav_msgs/msg/odometry.hpp>
#include <std_msgs/msg/string.hpp>
#include <std_srvs/srv/trigger.hpp>

#include "adapters/ros2/clients_rig.h"

namespace robot_doors_test {

using namespace convoy;
using namespace convoy::ros2;
using std_srvs::srv::Trigger;

namespace {

struct Hall : ClientsRig {
  explicit Hall(ClientsRigOptions options = {}) : ClientsRig(std::move(options)) {
    hear("/alpha/odom", ros::TypeSupport::of<nav_msgs::msg::Odometry>(), {}, [this](const Received&) { ++odoms; });
    hear("/alpha/robot_description", ros::TypeSupport::of<std_msgs::msg::String>(), kLatched,
         [this](const Received&) { ++descriptions; });
    REQUIRE(until([&] { return odoms > 0 && descriptions > 0 && written_by("/alpha/odom", 0); }));
  }
  // The client runs alpha from now on, with all that is inside it.
  void move_to(std::size_t client) {
    const World& world = rig->run().world();
    const WorldNumber alpha = world.entity(world.find("alpha")).number;
    rig->run().submit(Move{alpha, rig->clients[client]->session().number(), rig->inner(alpha)}, nullptr);
    rig->run().proceed(rig->net.now()), rig->run().send_edits();
  }
  void pause() {
    testing::Request request;
    request.mutable_pause();
    REQUIRE(rig->error_of(request).empty());
    pass(0.1);  // the tick that is under way ends
  }
  bool hears_odom() {
    const int before = odoms;
    return until([&] { return odoms > before + 5; }, 2);
  }
  bool claimed(const char* service) {
    const auto told = call<Trigger>(std::string("/alpha/") + service);
    return told && told->success;
  }

  int odoms = 0, descriptions = 0;
};

}  // namespace

TEST_CASE("a robot that moves is published by its new client alone, for who has subscribed before") {
  Hall dut;

  dut.move_to(1);

  CHECK(dut.until([&] { return dut.written_by("/alpha/odom", 1); }, 1));
  CHECK(dut.written_by("/alpha/tf", 1));
  CHECK(dut.written_by("/alpha/tf_static", 1));
  CHECK(dut.hears_odom());
  CHECK(dut.descriptions == 2);
  CHECK(dut.claimed("claim_control"));
  CHECK(dut.twice.empty());
}

TEST_CASE("the new client waits until the old one's writers have ended") {
  Hall dut({.liveness = Duration{0}});
  dut.pause();

  dut.rig->net.stop(dut.rig->seats[0], std::chrono::seconds(1));  // it hears later that the robot is another's
  dut.move_to(1);
  dut.pass(0.9);
  CHECK(dut.rig->clients[1]->fleet()->all().size() == 2);
  CHECK(dut.written_by("/alpha/odom", 0));

  CHECK(dut.until([&] { return dut.written_by("/alpha/odom", 1); }, 1));
  CHECK(dut.twice.empty());
}

TEST_CASE("a node that does not end is waited for twice the limit, and it is said that there are two") {
  Hall dut({.liveness = Duration{0}});
  dut.pause();

  dut.rig->net.stop(dut.rig->seats[0], 6 * kLimit);
  dut.move_to(1);
  dut.pass(1.9 * seconds(kLimit));
  CHECK(dut.written_by("/alpha/odom", 0));
  CHECK(dut.until([&] { return dut.writers("/alpha/odom").size() == 2; }, 2 * seconds(kLimit)));

  CHECK(dut.log.lines ==
        std::vector<std::string>{"ROS 2, robot alpha: another client of the run has the node /alpha/robot, too"});
}

TEST_CASE("what a lost client has left behind goes to another by a reset, and is published again") {
  Hall dut;
  dut.kill(0);
  REQUIRE(dut.until([&] { return dut.rig->logged("host0 is gone"); }));
  testing::Request reset;
  reset.mutable_reset();
  REQUIRE(dut.rig->error_of(reset).empty());
  dut.pass(1);
  CHECK(dut.written_by("/alpha/odom", 0));  // DDS has not given it up
  dut.forget(0);

  CHECK(dut.until([&] { return dut.written_by("/alpha/odom", 1); }, 1));
  CHECK(dut.hears_odom());
  CHECK(dut.twice.empty());
}

TEST_CASE("a claim ends where another client runs the robot") {
  Hall dut;
  REQUIRE(dut.claimed("claim_control"));
  const auto held = [&] { return dut.rig->run().world().holders().size(); };
  REQUIRE(held() == 1);

  dut.move_to(1);
  REQUIRE(dut.until([&] { return dut.written_by("/alpha/odom", 1); }, 1));

  CHECK(dut.until([&] { return held() == 0; }, 1));
  CHECK(dut.claimed("claim_control"));
}

}  // namespace robot_doors_test
