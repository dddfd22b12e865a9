#include <example_interfaces/action/fibonacci.hpp>
#include <lifecycle_msgs/msg/transition_event.hpp>
#include <lifecycle_msgs/srv/change_state.hpp>
#include <lifecycle_msgs/srv/get_available_transitions.hpp>
#include <lifecycle_msgs/srv/get_state.hpp>
#include <std_msgs/msg/u_int64.hpp>

#include "diagnostic_updater/diagnostic_updater.hpp"
#include "message_filters/subscriber.h"
#include "node_rig.hpp"
#include "rclcpp_action/rclcpp_action.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"
#include "tf2_ros/buffer.h"
#include "tf2_ros/transform_broadcaster.h"
#include "tf2_ros/transform_listener.h"

using lifecycle_msgs::msg::State;
using lifecycle_msgs::msg::Transition;
using std_msgs::msg::UInt64;

namespace {

// Answers each transition as the test sets, and notes that it was asked.
struct Managed : rclcpp_lifecycle::LifecycleNode {
  Managed() : LifecycleNode("managed"), out(create_publisher<UInt64>("t", 10)) {}
  CallbackReturn answered(const char* what, const rclcpp_lifecycle::State& before) {
    asked.push_back(std::string(what) + " from " + before.label());
    return std::exchange(answer, CallbackReturn::SUCCESS);
  }
  CallbackReturn on_configure(const rclcpp_lifecycle::State& s) override { return answered("configure", s); }
  CallbackReturn on_shutdown(const rclcpp_lifecycle::State& s) override { return answered("shutdown", s); }
  CallbackReturn on_error(const rclcpp_lifecycle::State& s) override { return answered("error", s); }
  CallbackReturn on_cleanup(const rclcpp_lifecycle::State&) override { throw std::runtime_error("no broom"); }
  CallbackReturn answer = CallbackReturn::SUCCESS;
  Lines asked;
  rclcpp_lifecycle::LifecyclePublisher<UInt64>::SharedPtr out;
};
using Return = Managed::CallbackReturn;

}  // namespace

TEST_CASE("a lifecycle node goes through its states, and only by transitions that it has there") {
  NodeRig rig;
  auto node = std::make_shared<Managed>();
  CHECK(node->get_current_state().label() == "unconfigured");
  Return code;
  CHECK(node->activate(code).id() == State::PRIMARY_STATE_UNCONFIGURED);
  CHECK(code == Return::ERROR);
  CHECK(rig.log == Lines{"40 managed: No transition matching activate found for current state unconfigured"});
  CHECK(node->configure().id() == State::PRIMARY_STATE_INACTIVE);
  CHECK(node->activate().label() == "active");
  CHECK(node->deactivate().label() == "inactive");
  CHECK(node->trigger_transition(Transition::TRANSITION_ACTIVATE).label() == "active");
  CHECK(node->shutdown(code).id() == State::PRIMARY_STATE_FINALIZED);
  CHECK(code == Return::SUCCESS);
  CHECK(node->asked == Lines{"configure from unconfigured", "shutdown from active"});
  CHECK(node->get_available_transitions().empty());
}

TEST_CASE("a failure leaves a node where it was; an error is handled, or finalizes it") {
  NodeRig rig;
  auto node = std::make_shared<Managed>();
  node->answer = Return::FAILURE;
  Return code;
  CHECK(node->configure(code).label() == "unconfigured");
  CHECK(code == Return::FAILURE);
  node->answer = Return::ERROR;
  CHECK(node->configure(code).label() == "unconfigured");  // its on_error returned success
  CHECK(code == Return::ERROR);
  CHECK(node->asked.back() == "error from unconfigured");
  node->configure();
  CHECK(node->cleanup().label() == "unconfigured");
  CHECK(rig.log.back() == "40 managed: Caught exception in callback for transition cleanup: no broom");

  auto plain = std::make_shared<rclcpp_lifecycle::LifecycleNode>("plain");
  plain->register_on_configure([](const rclcpp_lifecycle::State&) { return Return::ERROR; });
  CHECK(plain->configure().label() == "finalized");  // on_error fails if none is written
}

TEST_CASE("a lifecycle publisher drops messages while its node is not active, and warns once each time") {
  NodeRig rig;
  auto node = std::make_shared<Managed>();
  auto in = node->create_subscription<UInt64>("t", 10, [&](const UInt64& m) { rig.tell(std::to_string(m.data)); });
  std::uint64_t next = 0;
  const auto publish = [&] {
    auto message = std::make_unique<UInt64>();
    message->data = ++next;
    node->out->publish(std::move(message));
    REQUIRE(rig.run_until(0));
  };
  publish();
  publish();
  node->configure();
  node->activate();
  publish();
  node->deactivate();
  publish();
  CHECK(rig.story == Lines{"0: 3"});
  REQUIRE(rig.log.size() == 2);
  CHECK(rig.log[0] ==
        "30 LifecyclePublisher: Trying to publish message on the topic '/t', but the publisher is not activated");
}

TEST_CASE("a lifecycle is moved and asked by services, and publishes each step on a topic") {
  NodeRig rig;
  auto node = std::make_shared<Managed>();
  auto other = std::make_shared<rclcpp::Node>("other");
  using Event = lifecycle_msgs::msg::TransitionEvent;
  auto events = other->create_subscription<Event>("/managed/transition_event", 10, [&](const Event& e) {
    rig.tell(std::to_string(e.transition.id) + " " + e.transition.label + ": " + e.start_state.label + " -> " +
             e.goal_state.label);
  });
  auto change = other->create_client<lifecycle_msgs::srv::ChangeState>("/managed/change_state");
  auto request = std::make_shared<lifecycle_msgs::srv::ChangeState::Request>();
  request->transition.id = Transition::TRANSITION_CONFIGURE;
  auto changed = change->async_send_request(request);
  auto again = change->async_send_request(request);
  auto state = other->create_client<lifecycle_msgs::srv::GetState>("/managed/get_state");
  auto got = state->async_send_request(std::make_shared<lifecycle_msgs::srv::GetState::Request>());
  using Transitions = lifecycle_msgs::srv::GetAvailableTransitions;
  auto ways = other->create_client<Transitions>("/managed/get_available_transitions");
  auto some = ways->async_send_request(std::make_shared<Transitions::Request>());
  auto graph = other->create_client<Transitions>("/managed/get_transition_graph");
  auto all = graph->async_send_request(std::make_shared<Transitions::Request>());
  REQUIRE(rig.run_until(0));

  CHECK(changed.get()->success);
  CHECK_FALSE(again.get()->success);
  CHECK(got.get()->current_state.label == "inactive");
  CHECK(rig.story ==
        Lines{"0: 1 configure: unconfigured -> configuring", "0: 10 transition_success: configuring -> inactive"});
  Lines labels;
  const auto answer = some.get();
  for (const auto& t : answer->available_transitions)
    labels.push_back(t.transition.label + " -> " + t.goal_state.label);
  CHECK(labels == Lines{"cleanup -> cleaningup", "activate -> activating", "shutdown -> shuttingdown"});
  CHECK(all.get()->available_transitions.size() == 25);
}

std::string kind(const rclcpp::Node::SharedPtr&) { return "node"; }
std::string kind(const rclcpp_lifecycle::LifecycleNode::SharedPtr&) { return "managed"; }

TEST_CASE("a managed node is no rclcpp::Node: functions may tell them apart, and libraries take either") {
  NodeRig rig;
  static_assert(!std::is_base_of_v<rclcpp::Node, rclcpp_lifecycle::LifecycleNode>);
  auto node = std::make_shared<Managed>();
  CHECK(kind(node) == "managed");
  CHECK(kind(std::make_shared<rclcpp::Node>("plain")) == "node");
  CHECK(node->shared_from_this() == node);

  tf2_ros::Buffer buffer(node->get_clock());
  tf2_ros::TransformListener listener(buffer, node);
  tf2_ros::TransformBroadcaster broadcaster(node);
  message_filters::Subscriber<UInt64, rclcpp_lifecycle::LifecycleNode> filtered(node, "t");
  filtered.registerCallback([&](const UInt64::ConstSharedPtr& m) { rig.tell(std::to_string(m->data)); });
  diagnostic_updater::Updater updater(node);
  using Fibonacci = example_interfaces::action::Fibonacci;
  auto client = rclcpp_action::create_client<Fibonacci>(node, "sums");
  auto timer = rclcpp::create_timer(node, node->get_clock(), std::chrono::nanoseconds(5), [&] {
    UInt64 m;
    m.data = 7;
    node->out->publish(m);
  });
  node->configure(), node->activate();
  REQUIRE(rig.run_until(5));
  CHECK(rig.story.back() == "5: 7");
}
