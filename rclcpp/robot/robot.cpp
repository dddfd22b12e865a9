#include "convoy_ros/robot.hpp"

#include <geometry_msgs/msg/transform_stamped.hpp>
#include <geometry_msgs/msg/twist.hpp>
#include <geometry_msgs/msg/twist_stamped.hpp>
#include <nav_msgs/msg/odometry.hpp>
#include <rclcpp/rclcpp.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <tf2_msgs/msg/tf_message.hpp>

#include "arguments.hpp"
#include "convoy_ros/simulation.hpp"
#include "convoy_ros/types.hpp"
#include "core/math.h"
#include "library.hpp"
#include "os/fibres.h"

namespace convoy::ros {
namespace {

constexpr const char* kRobotNode = "robot";  // the node that speaks for sensors and actuators

// The robot's own node: what its sensors say, and what its drive is told.
class Base {
 public:
  explicit Base(const std::string& frame) : frame_(frame.empty() ? "base_footprint" : frame) {
    node_ = std::make_shared<rclcpp::Node>(kRobotNode, rclcpp::NodeOptions());
    odom_ = node_->create_publisher<nav_msgs::msg::Odometry>("odom", 10);
    joints_ = node_->create_publisher<sensor_msgs::msg::JointState>("joint_states", 10);
    tf_ = node_->create_publisher<tf2_msgs::msg::TFMessage>("/tf", 100);
    // Whoever drives it may stamp its commands: the topic has the type of those who publish.
    const auto& topics = Simulation::current()->graph().topics();
    const auto known = topics.find((node_->get_namespace() == std::string("/") ? "" : node_->get_namespace()) + std::string("/cmd_vel"));
    if (known != topics.end() && known->second->type().name() == "geometry_msgs/msg/TwistStamped")
      stamped_ = node_->create_subscription<geometry_msgs::msg::TwistStamped>(
          "cmd_vel", 10, [this](const geometry_msgs::msg::TwistStamped& m) { take(m.twist); });
    else
      plain_ = node_->create_subscription<geometry_msgs::msg::Twist>(
          "cmd_vel", 10, [this](const geometry_msgs::msg::Twist& m) { take(m); });
  }

  std::optional<Twist> take_command() { return std::exchange(command_, std::nullopt); }

  void publish(const rclcpp::Time& now, const Readings& readings) {
    if (!readings.odometry) return;
    const Odometry& o = *readings.odometry;
    const double z = math::sin(o.yaw / 2), w = math::cos(o.yaw / 2);
    auto odom = std::make_unique<nav_msgs::msg::Odometry>();
    odom->header.stamp = now, odom->header.frame_id = "odom", odom->child_frame_id = frame_;
    odom->pose.pose.position.x = o.x, odom->pose.pose.position.y = o.y;
    odom->pose.pose.orientation.z = z, odom->pose.pose.orientation.w = w;
    odom->twist.twist.linear.x = o.speed, odom->twist.twist.angular.z = o.turn_rate;
    odom->pose.covariance = pose_covariance(o);
    odom->twist.covariance = twist_covariance(o, readings.model);
    odom_->publish(std::move(odom));

    auto tf = std::make_unique<tf2_msgs::msg::TFMessage>();
    auto& t = tf->transforms.emplace_back();
    t.header.stamp = now, t.header.frame_id = "odom", t.child_frame_id = frame_;
    t.transform.translation.x = o.x, t.transform.translation.y = o.y;
    t.transform.rotation.z = z, t.transform.rotation.w = w;
    tf_->publish(std::move(tf));

    const std::size_t n = readings.model.joints.size();
    if (n == 0 || readings.tail.size() < 2 * n) return;
    auto joints = std::make_unique<sensor_msgs::msg::JointState>();
    joints->header.stamp = now;
    joints->name = readings.model.joints;
    joints->position.assign(readings.tail.begin(), readings.tail.begin() + static_cast<long>(n));
    joints->velocity.assign(readings.tail.begin() + static_cast<long>(n), readings.tail.begin() + static_cast<long>(2 * n));
    joints_->publish(std::move(joints));
  }

 private:
  void take(const geometry_msgs::msg::Twist& m) {
    command_ = Twist{{m.linear.x, m.linear.y, m.linear.z}, {m.angular.x, m.angular.y, m.angular.z}};
  }

  std::string frame_;
  rclcpp::Node::SharedPtr node_;
  rclcpp::Publisher<nav_msgs::msg::Odometry>::SharedPtr odom_;
  rclcpp::Publisher<sensor_msgs::msg::JointState>::SharedPtr joints_;
  rclcpp::Publisher<tf2_msgs::msg::TFMessage>::SharedPtr tf_;
  rclcpp::Subscription<geometry_msgs::msg::Twist>::SharedPtr plain_;
  rclcpp::Subscription<geometry_msgs::msg::TwistStamped>::SharedPtr stamped_;
  std::optional<Twist> command_;
};

Simulation::Options options_of(const SoftwareSpec& spec, const RobotNodesOptions& all, nodes::Execution& execution) {
  const NodeRules& rules = spec.setup.nodes;
  const Entity& entity = spec.entity;
  Simulation::Options options;
  options.graph.now = rules.overdue_start ? Instant{} : spec.now + rules.start;
  options.start = spec.now + rules.start;
  options.overdue = rules.overdue_start;
  options.graph.order = static_cast<nodes::TimerOrder>(rules.order);
  options.graph.seed = spec.setup.seed;
  options.graph.agent = rules.one_job ? 0 : entity.number;
  options.graph.origin = entity.number;
  options.graph.digest_messages = rules.digest_messages;
  for (const DelaySpec& delay : rules.delays) options.graph.delays.push_back(delay_rule(delay));
  options.graph.execution = &execution;
  options.arguments = {"--ros-args"};
  options.arguments.insert(options.arguments.end(), all.arguments.begin(), all.arguments.end());
  const auto remap = [&](const std::string& rule) { options.arguments.insert(options.arguments.end(), {"-r", rule}); };
  if (!entity.kind->ns.empty()) remap("__ns:=/" + entity.kind->ns);
  else if (has_body(spec.model)) remap("__ns:=/" + entity.name);
  if (has_body(spec.model)) remap("/tf:=tf"), remap("/tf_static:=tf_static");
  return options;
}

class RobotSoftware final : public Software {
 public:
  RobotSoftware(const SoftwareSpec& spec, const RobotNodesOptions& all)
      : simulation_(options_of(spec, all, fibres_)),
        end_(spec.setup.nodes.end < Duration(0) ? nodes::kNoInstant : Instant(spec.setup.nodes.start + spec.setup.nodes.end)),
        one_job_(spec.setup.nodes.one_job), alone_(spec.setup.nodes.alone) {
    simulation_.set_level("", all.log_level);
  }
  ~RobotSoftware() override {
    const Simulation::Scope scope(simulation_);
    // One that was only made, to see whether it can be, leaves nothing, no file either.
    if (auto ok = simulation_.begun() ? simulation_.end() : Status(); !ok) simulation_.log(40, "convoy", ok.error().message());
    simulation_.shutdown();
    simulation_.unwind();
    base_.reset();
    for (auto& node : nodes_) node = {};
  }

  Status build(const SoftwareSpec& spec, const std::vector<Component>& components,
               const std::vector<rclcpp_components::NodeFactory*>& factories) {
    const Simulation::Scope scope(simulation_);
    for (std::size_t i = 0; i < factories.size(); ++i) {
      auto node = make_node(simulation_, *factories[i], components[i]);
      if (!node) return fail(node.error().code, node.error().text, spec.entity.name + ": " + components[i].type);
      nodes_.push_back(std::move(*node));
    }
    // The delays of a job are about its own names; those of a scenario may be about other robots'.
    if (alone_)
      for (const nodes::DelayRule* rule : graph().unused_delays())
        return fail(ErrorCode::kNotFound, "no node sends on '" + rule->name + "'", rule->where);
    if (has_body(spec.model)) base_ = std::make_unique<Base>(spec.entity.kind->frame);
    return {};
  }

  nodes::Graph& graph() override { return simulation_.graph(); }
  const nodes::Graph& graph() const override { return const_cast<RobotSoftware*>(this)->graph(); }
  Instant next() const override {
    const Instant next = simulation_.next();
    return next > end_ ? nodes::kNoInstant : next;
  }
  Status run(Instant t, const Readings* readings) override {
    if (t > end_) {
      whole_ = true;
      return {};
    }
    const Simulation::Scope scope(simulation_);
    simulation_.begin_instant(t);
    if (readings && base_) base_->publish(rclcpp::Time(nanos(t), RCL_ROS_TIME), *readings);
    return simulation_.finish_instant();
  }
  bool finished() const { return !alone_ && simulation_.finished(); }
  std::optional<Twist> take_command() override { return base_ ? base_->take_command() : std::nullopt; }
  void outside_changed() override { simulation_.look_again(); }
  std::optional<Ended> ended() const override {
    // Its own part ends with shutdown(); the run with a code that it chose, or as one part of a job.
    if (!simulation_.ok()) return Ended{simulation_.exit_code(), {}, finished() || (one_job_ && !alone_)};
    // A job that nobody else speaks to ends when nothing is left to happen.
    if (whole_ || (alone_ && simulation_.next() == nodes::kNoInstant)) return Ended{};
    return std::nullopt;
  }
  std::string text_of(const nodes::Delivery& d) const override {
    const nodes::MessageType& type = d.message.type();
    const auto known = find_type(type.name());
    if (!known) return "# " + known.error().message() + "\n";
    AnyMessage message(*known);
    Bytes scratch;
    if (auto ok = known->from_cdr(nodes::bytes_of(type, d.message.get(), scratch), message.get()); !ok)
      return "# " + ok.error().message() + "\n";
    return known->to_yaml(message.get(), {.elements = 128, .characters = 1024});
  }
  Status set_parameter(const std::string& node, const std::string& name, const std::string& value) override {
    const auto parsed = parse_parameter(value);
    if (!parsed) return tl::unexpected(parsed.error());
    for (nodes::Node* one : simulation_.graph().nodes()) {
      if (one->full_name() != node) continue;
      const Simulation::Scope scope(simulation_);
      const auto set = one->parameters().set({{name, *parsed}});
      if (!set) return tl::unexpected(set.error());
      return set->successful ? Status() : fail(ErrorCode::kInvalid, set->reason, node + ": " + name);
    }
    return fail(ErrorCode::kNotFound, "no node '" + node + "'");
  }

 private:
  os::Fibres fibres_;
  Simulation simulation_;
  Instant end_;
  bool one_job_, alone_;
  bool whole_ = false;  // everything up to the end has happened
  std::vector<rclcpp_components::NodeInstanceWrapper> nodes_;
  std::unique_ptr<Base> base_;
};

std::vector<Component> components_of(const std::vector<ComponentSpec>& specs) {
  std::vector<Component> components;
  for (const ComponentSpec& c : specs) components.push_back({c.library, c.type, c.arguments});
  return components;
}

}  // namespace

Status RobotNodes::check(const std::vector<ComponentSpec>& components) const {
  const auto factories = find_factories(components_of(components), options_.prefixes);
  return factories ? Status() : tl::unexpected(factories.error());
}

Result<std::unique_ptr<Software>> RobotNodes::make(const SoftwareSpec& spec) {
  const std::vector<Component> components = components_of(spec.entity.kind->components);
  const auto factories = find_factories(components, options_.prefixes);
  if (!factories) return tl::unexpected(factories.error());
  if (options_.before) options_.before(spec.entity);
  auto software = std::make_unique<RobotSoftware>(spec, options_);
  if (auto ok = software->build(spec, components, *factories); !ok) return tl::unexpected(ok.error());
  return software;
}

}  // namespace convoy::ros
