#include <example_interfaces/action/fibonacci.hpp>

#include "node_rig.hpp"
#include "rclcpp_action/rclcpp_action.hpp"

using namespace std::chrono_literals;
using example_interfaces::action::Fibonacci;
using Handle = rclcpp_action::ServerGoalHandle<Fibonacci>;
using Client = rclcpp_action::Client<Fibonacci>;
using rclcpp_action::CancelResponse;
using rclcpp_action::GoalResponse;

namespace {

const char* name_of(rclcpp_action::ResultCode code) {
  switch (code) {
    case rclcpp_action::ResultCode::SUCCEEDED: return "succeeded";
    case rclcpp_action::ResultCode::CANCELED: return "canceled";
    case rclcpp_action::ResultCode::ABORTED: return "aborted";
    default: return "unknown";
  }
}

std::string text(const std::vector<std::int32_t>& numbers) {
  std::string out;
  for (const auto n : numbers) out += (out.empty() ? "" : " ") + std::to_string(n);
  return out;
}

// Gives a number each 10 ns; a newer goal aborts the one before. Orders above 100 are refused, those above 50 not
// cancelled.
struct Server : rclcpp::Node {
  Server() : Node("server") {
    action = rclcpp_action::create_server<Fibonacci>(
        this, "fib",
        [](const rclcpp_action::GoalUUID&, std::shared_ptr<const Fibonacci::Goal> goal) {
          if (goal->order > 100) return GoalResponse::REJECT;
          return goal->order == 0 ? GoalResponse::ACCEPT_AND_DEFER : GoalResponse::ACCEPT_AND_EXECUTE;
        },
        [](const std::shared_ptr<Handle> handle) {
          return handle->get_goal()->order > 50 ? CancelResponse::REJECT : CancelResponse::ACCEPT;
        },
        [this](const std::shared_ptr<Handle> handle) {
          if (current && current->is_active()) current->abort(result());
          current = handle;
          so_far->sequence = {0, 1};
        });
    timer = create_wall_timer(10ns, [this] { step(); });
  }
  std::shared_ptr<Fibonacci::Result> result() const {
    auto r = std::make_shared<Fibonacci::Result>();
    r->sequence = so_far->sequence;
    return r;
  }
  void step() {
    if (!current || !current->is_active()) return;
    if (current->is_canceling()) return current->canceled(result());
    if (!current->is_executing()) return;
    auto& s = so_far->sequence;
    if (static_cast<int>(s.size()) > current->get_goal()->order) return current->succeed(result());
    s.push_back(s[s.size() - 1] + s[s.size() - 2]);
    current->publish_feedback(so_far);
  }
  rclcpp_action::Server<Fibonacci>::SharedPtr action;
  std::shared_ptr<Handle> current;
  std::shared_ptr<Fibonacci::Feedback> so_far = std::make_shared<Fibonacci::Feedback>();
  rclcpp::TimerBase::SharedPtr timer;
};

struct Asker {
  explicit Asker(NodeRig& r)
      : rig(r),
        client(rclcpp_action::create_client<Fibonacci>(
            node->get_node_base_interface(), node->get_node_graph_interface(), node->get_node_logging_interface(),
            node->get_node_waitables_interface(), "fib")) {
    options.goal_response_callback = [this](Client::GoalHandle::SharedPtr h) { rig.tell(h ? "accepted" : "rejected"); };
    options.feedback_callback = [this](Client::GoalHandle::SharedPtr,
                                       const std::shared_ptr<const Fibonacci::Feedback> f) {
      rig.tell("so far " + text(f->sequence));
    };
    options.result_callback = [this](const Client::WrappedResult& r) {
      rig.tell(std::string(name_of(r.code)) + " " + text(r.result->sequence));
    };
  }
  auto send(int order) {
    Fibonacci::Goal goal;
    goal.order = order;
    return client->async_send_goal(goal, options);
  }
  int cancel(const Client::GoalHandle::SharedPtr& handle) {
    auto future = client->async_cancel_goal(handle);
    REQUIRE(rig.run_until(convoy::nanos(rig.simulation.now())));
    return future.get()->return_code;
  }
  NodeRig& rig;
  rclcpp::Node::SharedPtr node = std::make_shared<rclcpp::Node>("asker");
  Client::SharedPtr client;
  Client::SendGoalOptions options;
};
using Cancel = action_msgs::srv::CancelGoal::Response;

}  // namespace

TEST_CASE("an accepted goal gives feedback and then its result") {
  NodeRig rig;
  auto server = std::make_shared<Server>();
  Asker asker(rig);
  CHECK(asker.client->action_server_is_ready());
  auto future = asker.send(3);
  REQUIRE(rig.run_until(100));

  CHECK(rig.story == Lines{"0: accepted", "10: so far 0 1 1", "20: so far 0 1 1 2", "30: succeeded 0 1 1 2"});
  CHECK(future.get()->get_status() == action_msgs::msg::GoalStatus::STATUS_SUCCEEDED);
  CHECK_THROWS_AS(asker.client->async_get_result(future.get()), rclcpp_action::exceptions::UnknownGoalHandleError);
  CHECK_THROWS_AS(server->current->succeed(server->result()), rclcpp::exceptions::RCLError);
}

TEST_CASE("a goal may be rejected") {
  NodeRig rig;
  auto server = std::make_shared<Server>();
  Asker asker(rig);
  auto future = asker.send(101);
  REQUIRE(rig.run_until(100));

  CHECK(rig.story == Lines{"0: rejected"});
  CHECK(future.get() == nullptr);
}

TEST_CASE("a goal is cancelled if its server agrees, and cancelling it again returns why not") {
  NodeRig rig;
  auto server = std::make_shared<Server>();
  Asker asker(rig);
  auto easy = asker.send(50);
  REQUIRE(rig.run_until(15));
  CHECK(asker.cancel(easy.get()) == Cancel::ERROR_NONE);
  CHECK(server->current->is_canceling());
  REQUIRE(rig.run_until(20));
  CHECK(rig.story == Lines{"0: accepted", "10: so far 0 1 1", "20: canceled 0 1 1"});

  asker.options.result_callback = nullptr;
  auto stubborn = asker.send(60);
  REQUIRE(rig.run_until(21));
  CHECK(asker.cancel(stubborn.get()) == Cancel::ERROR_REJECTED);
  server->current->succeed(server->result());
  REQUIRE(rig.run_until(22));
  CHECK(asker.cancel(stubborn.get()) == Cancel::ERROR_GOAL_TERMINATED);
  auto late = asker.client->async_get_result(stubborn.get());
  REQUIRE(rig.run_until(23));
  CHECK(late.get().code == rclcpp_action::ResultCode::SUCCEEDED);
}

TEST_CASE("a newer goal preempts the one before, which is aborted") {
  NodeRig rig;
  auto server = std::make_shared<Server>();
  Asker asker(rig);
  asker.options.feedback_callback = nullptr;
  auto first = asker.send(9);
  REQUIRE(rig.run_until(10));
  auto second = asker.send(1);
  REQUIRE(rig.run_until(100));

  CHECK(rig.story == Lines{"0: accepted", "10: accepted", "10: aborted 0 1 1", "20: succeeded 0 1"});
  CHECK(first.get()->get_goal_id() != second.get()->get_goal_id());
}

TEST_CASE("a deferred goal waits for execute(), and one that is let go is canceled") {
  NodeRig rig;
  auto server = std::make_shared<Server>();
  Asker asker(rig);
  auto goal = asker.send(0);
  REQUIRE(rig.run_until(15));
  CHECK(goal.get()->get_status() == action_msgs::msg::GoalStatus::STATUS_ACCEPTED);
  server->current->execute();
  REQUIRE(rig.run_until(20));
  CHECK(rig.story.back() == "20: succeeded 0 1");
  asker.send(0);
  REQUIRE(rig.run_until(25));
  server->current.reset();
  REQUIRE(rig.run_until(25));
  CHECK(rig.story.back() == "20: canceled ");
}

TEST_CASE("all goals are cancelled at once, and a callback may wait for a result") {
  NodeRig rig;
  auto server = std::make_shared<Server>();
  Asker asker(rig);
  auto group = asker.node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
  auto timer = asker.node->create_wall_timer(
      5ns,
      [&] {
        if (!rig.story.empty()) return;
        rig.tell(asker.client->wait_for_action_server(1s) ? "there" : "not there");
        auto handle = asker.send(40).get();
        auto result = asker.client->async_get_result(handle);
        rclcpp::sleep_for(12ns);
        CHECK(asker.client->async_cancel_all_goals().get()->goals_canceling.size() == 1);
        rig.tell(std::string("waited: ") + name_of(result.get().code));
      },
      group);
  REQUIRE(rig.run_until(100));

  CHECK(rig.story ==
        Lines{"5: there", "5: accepted", "10: so far 0 1 1", "20: canceled 0 1 1", "20: waited: canceled"});
}
