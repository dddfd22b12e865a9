// What ordinary packages lean on beside nodes and messages: headers under their names, aliases, timers made by hand, what
// is called at shutdown, rcutils' macros.
#include <rcl_interfaces/msg/log.hpp>

#include "node_rig.hpp"
#include "rclcpp/contexts/default_context.hpp"
#include "rclcpp/executor.hpp"
#include "rclcpp/executors/multi_threaded_executor.hpp"
#include "rclcpp/executors/single_threaded_executor.hpp"
#include "rclcpp/executors/static_single_threaded_executor.hpp"
#include "rclcpp/experimental/executors/events_executor/events_executor.hpp"
#include "rclcpp/future_return_code.hpp"
#include "rclcpp/init_options.hpp"

using namespace std::chrono_literals;

namespace surface_test {

TEST_CASE("a node has the types of its parameters' callbacks") {
  NodeRig rig;
  class Tuned : public rclcpp::Node {
   public:
    Tuned() : Node("n") {
      declare_parameter("gain", 1.0);
      OnSetParametersCallbackType refuse = [](const std::vector<rclcpp::Parameter>& all) {
        rcl_interfaces::msg::SetParametersResult out;
        out.successful = all[0].as_double() < 10;
        return out;
      };
      handle_ = add_on_set_parameters_callback(refuse);
      PostSetParametersCallbackType heard = [this](const std::vector<rclcpp::Parameter>&) { ++changes; };
      post_ = add_post_set_parameters_callback(heard);
    }
    int changes = 0;

   private:
    OnSetParametersCallbackHandle::SharedPtr handle_;
    PostSetParametersCallbackHandle::SharedPtr post_;
  } node;
  CHECK(node.set_parameter({"gain", 2.0}).successful);
  CHECK(!node.set_parameter({"gain", 20.0}).successful);
  CHECK(node.changes == 1);
}

TEST_CASE("a timer made by hand is a node's once it is added, in the group that it is added with") {
  NodeRig rig;
  auto node = std::make_shared<rclcpp::Node>("n");
  auto other = std::make_shared<rclcpp::Node>("other");
  const auto timers = node->get_node_timers_interface();
  auto timer = std::make_shared<rclcpp::GenericTimer<rclcpp::VoidCallbackType>>(
      node->get_clock(), 5ns, [&] { rig.tell("void"); }, node->get_node_base_interface()->get_context());
  CHECK_THROWS_AS(timer->cancel(), std::runtime_error);
  auto group = node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
  CHECK_THROWS_AS(other->get_node_timers_interface()->add_timer(timer, group), std::runtime_error);
  timers->add_timer(timer, group);
  CHECK_THROWS_AS(timers->add_timer(timer, group), std::invalid_argument);
  rclcpp::TimerCallbackType stop = [&](rclcpp::TimerBase& self) { rig.tell("own"), self.cancel(); };
  auto wall = std::make_shared<rclcpp::WallTimer<rclcpp::TimerCallbackType>>(
      4ns, std::move(stop), node->get_node_base_interface()->get_context());
  timers->add_timer(wall, nullptr);
  REQUIRE(rig.run_until(10));
  CHECK(rig.story == Lines{"4: own", "5: void", "10: void"});
  CHECK(wall->is_canceled());
}

TEST_CASE("what is called at shutdown: before ok() is false, and after; what was taken back is not") {
  NodeRig rig;
  auto context = rclcpp::contexts::get_global_default_context();
  const auto say = [&](const char* what) {
    return [&rig, what] { rig.tell(std::string(what) + (rclcpp::ok() ? " ok" : " over")); };
  };
  context->add_on_shutdown_callback(say("after"));
  context->add_pre_shutdown_callback(say("before"));
  rclcpp::on_shutdown(say("after 2"));
  const auto gone = context->add_pre_shutdown_callback(say("never"));
  const auto gone_too = context->add_on_shutdown_callback(say("never"));
  CHECK(context->get_pre_shutdown_callbacks().size() == 2);
  CHECK(context->get_on_shutdown_callbacks().size() == 3);
  CHECK(context->remove_pre_shutdown_callback(gone));
  CHECK(!context->remove_pre_shutdown_callback(gone));
  CHECK(!context->remove_pre_shutdown_callback(gone_too));
  CHECK(context->remove_on_shutdown_callback(gone_too));
  rclcpp::shutdown();
  rclcpp::shutdown();
  CHECK(rig.story == Lines{"0: before ok", "0: after over", "0: after 2 over"});
  CHECK(context->get_on_shutdown_callbacks().empty());
}

TEST_CASE("a callback before shutdown that shuts down itself does so once") {
  NodeRig rig;
  auto context = rclcpp::contexts::get_global_default_context();
  context->add_pre_shutdown_callback([&] { rig.tell("before"), rclcpp::shutdown(); });
  context->add_on_shutdown_callback([&] { rig.tell("after"); });
  rclcpp::shutdown();
  CHECK(rig.story == Lines{"0: before", "0: after"});
}

TEST_CASE("rcutils' macros are lines of the simulation, throttled in its time, with their levels") {
  NodeRig rig;
  auto node = std::make_shared<rclcpp::Node>("n");
  std::vector<std::string> heard;
  auto in = node->create_subscription<rcl_interfaces::msg::Log>(
      "/rosout", 10, [&](const rcl_interfaces::msg::Log& line) { heard.push_back(line.name + ": " + line.msg); });
  auto timer = node->create_wall_timer(1ms, [&] {
    RCUTILS_LOG_INFO_ONCE_NAMED("lib", "once %d", 1);
    RCUTILS_LOG_WARN_THROTTLE_NAMED(rcutils_steady_time_now, 2, "lib", "at times");
    RCUTILS_LOG_DEBUG_NAMED("lib", "not to be seen");
    RCUTILS_LOG_ERROR_EXPRESSION(false, "not at all");
  });
  RCUTILS_LOG_INFO("of nobody");
  REQUIRE(rig.run_until(4'000'000));
  CHECK(rig.log == Lines{"20 : of nobody", "20 lib: once 1", "30 lib: at times", "30 lib: at times"});
  CHECK(heard == Lines{": of nobody", "lib: once 1", "lib: at times", "lib: at times"});
}

}  // namespace surface_test
