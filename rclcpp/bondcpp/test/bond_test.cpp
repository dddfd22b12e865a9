#include "bondcpp/bond.hpp"

#include <limits>

#include "node_rig.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"

using namespace std::chrono_literals;

namespace bond_test {

constexpr std::int64_t kSecond = 1'000'000'000;

// Two sides, whose stories are told by the second.
struct Pair {
  explicit Pair(NodeRig& rig)
      : rig(rig),
        left(std::make_shared<rclcpp::Node>("left")),
        right(std::make_shared<rclcpp_lifecycle::LifecycleNode>("right")),
        at_left(std::make_unique<bond::Bond>("bond", "arm", left, says("left broken"), says("left formed"))),
        at_right(std::make_unique<bond::Bond>("bond", "arm", right, says("right broken"), says("right formed"))) {}
  std::function<void()> says(const char* what) {
    return [this, what] {
      story.push_back(std::to_string(convoy::nanos(rig.simulation.now()) / (kSecond / 10)) + ": " + what);
    };
  }
  NodeRig& rig;
  Lines story;  // in tenths of a second
  rclcpp::Node::SharedPtr left;
  rclcpp_lifecycle::LifecycleNode::SharedPtr right;
  std::unique_ptr<bond::Bond> at_left, at_right;
};

TEST_CASE("a bond is formed by both sides, and broken on both when one breaks it") {
  NodeRig rig;
  Pair pair(rig);
  CHECK(pair.at_left->getInstanceId() != pair.at_right->getInstanceId());
  pair.at_left->start();
  auto later = pair.left->create_wall_timer(2500ms, [&] { pair.at_right->start(); });
  REQUIRE(rig.run_until(2 * kSecond));
  CHECK(pair.story.empty());
  REQUIRE(rig.run_until(3 * kSecond));
  CHECK(pair.story == Lines{"25: left formed", "30: right formed"});
  later->cancel();
  REQUIRE(rig.run_until(20 * kSecond));
  CHECK(pair.story.size() == 2);
  pair.at_left->breakBond();
  CHECK(!pair.at_left->isBroken());
  REQUIRE(rig.run_until(21 * kSecond));
  CHECK(pair.story == Lines{"25: left formed", "30: right formed", "200: right broken", "200: left broken"});
  CHECK(pair.at_left->isBroken());
}

TEST_CASE("a side that falls silent breaks the bond after the time that it gave, and its log says so") {
  NodeRig rig;
  Pair pair(rig);
  pair.at_left->start();
  CHECK_THROWS_AS(pair.at_left->setHeartbeatTimeout(1), std::runtime_error);
  // The other side in two words, as of a program that ends without one.
  auto out = pair.right->create_publisher<bond::msg::Status>("bond", 10);
  pair.right->configure(), pair.right->activate();
  auto lives = pair.right->create_wall_timer(2s, [&] {
    bond::msg::Status status;
    status.id = "arm", status.instance_id = "other", status.active = true, status.heartbeat_timeout = 3.5;
    out->publish(status);
    status.id = "leg", status.instance_id = "third";  // another bond's
    out->publish(status);
  });
  out->on_activate();
  REQUIRE(rig.run_until(4 * kSecond));
  lives->cancel();
  REQUIRE(rig.run_until(10 * kSecond));
  CHECK(pair.story == Lines{"20: left formed", "75: left broken"});
  CHECK(rig.log == Lines{"40 left: bond 'arm': the other side has not been heard for 3.5 s"});
}

TEST_CASE("a side that ends says so; one that nobody joins gives up") {
  NodeRig rig;
  Pair pair(rig);
  pair.at_left->setConnectTimeout(3);
  pair.at_left->start();
  REQUIRE(rig.run_until(4 * kSecond));
  CHECK(pair.story == Lines{"30: left broken"});

  auto next = std::make_unique<bond::Bond>("bond", "leg", pair.right, pair.says("next broken"));
  bond::Bond other("bond", "leg", pair.left, pair.says("other broken"));
  next->start(), other.start();
  REQUIRE(rig.run_until(6 * kSecond));
  next.reset();
  REQUIRE(rig.run_until(7 * kSecond));
  CHECK(pair.story == Lines{"30: left broken", "60: other broken"});
}

TEST_CASE("a callback waits for a bond in simulated time, until it is formed or the time is over") {
  NodeRig rig;
  Pair pair(rig);
  pair.at_left->start();
  rclcpp::TimerBase::SharedPtr waits = pair.left->create_wall_timer(1s, [&] {
    waits->cancel();
    if (!pair.at_left->waitUntilFormed(500ms)) pair.says("not yet")();
    if (pair.at_left->waitUntilFormed()) pair.says("there")();
    if (pair.at_left->waitUntilBroken()) pair.says("over")();
  });
  auto starts = pair.right->create_wall_timer(4200ms, [&] { pair.at_right->start(); });
  auto breaks = pair.right->create_wall_timer(6s, [&] { pair.at_right->breakBond(); });
  REQUIRE(rig.run_until(7 * kSecond));
  CHECK(pair.story == Lines{"15: not yet", "42: left formed", "42: there", "50: right formed", "60: left broken",
                            "60: over", "60: right broken"});
}

TEST_CASE("a side that says it is heard for no time, or for one that is none, is heard for none") {
  for (const float time :
       {0.0F, -1.0F, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    NodeRig rig;
    Pair pair(rig);
    pair.at_left->start();
    auto out = pair.right->create_publisher<bond::msg::Status>("bond", 10);
    pair.right->configure(), pair.right->activate();
    bond::msg::Status status;
    status.id = "arm", status.instance_id = "other", status.active = true;
    status.heartbeat_timeout = time;
    rclcpp::TimerBase::SharedPtr once;
    once = pair.right->create_wall_timer(1s, [&] { out->publish(status), once->cancel(); });
    CAPTURE(time);
    REQUIRE(rig.run_until(2 * kSecond));
    CHECK(pair.at_left->isBroken());
  }
}

}  // namespace bond_test
