#include "nodes_software.hpp"

#include <convoy_msgs/msg/elements.hpp>
#include <geometry_msgs/msg/transform_stamped.hpp>
#include <geometry_msgs/msg/twist.hpp>
#include <geometry_msgs/msg/twist_stamped.hpp>
#include <nav_msgs/msg/odometry.hpp>
#include <rclcpp/rclcpp.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <tf2_msgs/msg/tf_message.hpp>

#include "agent/agent_inside.h"
#include "arguments.hpp"
#include "convoy_ros/types.hpp"
#include "edit_services.hpp"
#include "messages/frames.h"
#include "messages/geometry.h"
#include "messages/motion.h"
#include "sensor_topics.hpp"

namespace convoy::ros {
namespace {

constexpr const char* kRobotNode = "robot";
constexpr const char* kElements = "elements";  // of outside programs

}  // namespace

// Publishes what its sensors report, and takes commands of its drive.
class RobotNode {
 public:
  RobotNode(const std::string& frame, const std::vector<SensorSpec>& sensors, const SensorBook* types, Duration start)
      : frames_{.base = frame.empty() ? kBaseFrame : frame}, start_(start) {
    node_ = std::make_shared<rclcpp::Node>(kRobotNode, rclcpp::NodeOptions());
    node_->get_node_base_interface()->set_held(false);  // it receives whether a program spins or not
    // Where its scenario has a sensor of that name, the topic is that one's.
    const auto free = [&](const char* topic) {
      return std::none_of(sensors.begin(), sensors.end(), [&](const SensorSpec& s) { return s.name == topic; });
    };
    if (free("odom")) odom_ = node_->create_publisher<nav_msgs::msg::Odometry>("odom", 10);
    if (free("joint_states")) joints_ = node_->create_publisher<sensor_msgs::msg::JointState>("joint_states", 10);
    elements_topic_ = node_->get_node_topics_interface()->resolve_topic_name(kElements);
    tf_ = node_->create_publisher<tf2_msgs::msg::TFMessage>("/tf", 100);
    sensors_ = std::make_unique<SensorTopics>(*node_, sensors, frames_.base, types);
    // The program that drives it may stamp its commands: the topic has the publishers' type.
    const auto& topics = Simulation::current()->graph().topics();
    const auto known = topics.find((node_->get_namespace() == std::string("/") ? "" : node_->get_namespace()) +
                                   std::string("/cmd_vel"));
    if (known != topics.end() && known->second->type().name() == "geometry_msgs/msg/TwistStamped")
      stamped_ = node_->create_subscription<geometry_msgs::msg::TwistStamped>(
          "cmd_vel", 10, [this](const geometry_msgs::msg::TwistStamped& m) { command_ = twist_of(m); });
    else
      plain_ = node_->create_subscription<geometry_msgs::msg::Twist>(
          "cmd_vel", 10, [this](const geometry_msgs::msg::Twist& m) { command_ = twist_of(m); });
  }

  bool takes(std::string_view sensor) const { return sensors_->takes(sensor); }
  std::optional<Twist> take_command() { return std::exchange(command_, std::nullopt); }

  // Does a node listen to the topic? It is there once one of this agent does.
  bool looks_at_elements() const {
    const auto& topics = Simulation::current()->graph().topics();
    const auto topic = topics.find(elements_topic_);
    return topic != topics.end() && topic->second->has_takers();
  }
  void keep(std::span<const SeenElement> seen) {
    seen_ = std::make_unique<convoy_msgs::msg::Elements>();
    for (const SeenElement& one : seen) {
      convoy_msgs::msg::Element& out = seen_->elements.emplace_back();
      const InsideElement& element = *one.element;
      out.owner = element.owner, out.id = element.id.value(), out.type = element.type, out.data = element.bytes;
      out.stamp = rclcpp::Time(element.stamp, RCL_ROS_TIME);
      out.placed = one.pose.has_value();
      if (one.pose) out.pose = message_of(*one.pose);
    }
  }

  void publish(const rclcpp::Time& now, const Readings& readings) {
    if (readings.odometry) {
      publish_odometry(now, readings);
      publish_joints(now, readings);
    }
    for (const Sample& sample : readings.samples) sensors_->publish(sample, Instant(start_));
    if (seen_) publish_elements(now);
  }

 private:
  void publish_elements(const rclcpp::Time& now) {
    if (!elements_) elements_ = node_->create_publisher<convoy_msgs::msg::Elements>(kElements, 10);
    seen_->header.stamp = now, seen_->header.frame_id = "map";
    elements_->publish(std::move(seen_));
  }
  void publish_odometry(const rclcpp::Time& now, const Readings& readings) {
    const OdometryReading reading = reading_of(*readings.odometry, readings.model);
    const Instant stamp = instant(now.nanoseconds());
    if (odom_) odom_->publish(std::make_unique<nav_msgs::msg::Odometry>(odometry_of(reading, frames_, stamp)));
    auto tf = std::make_unique<tf2_msgs::msg::TFMessage>();
    tf->transforms.push_back(odom_transform(reading, frames_, stamp));
    tf_->publish(std::move(tf));
  }

  void publish_joints(const rclcpp::Time& now, const Readings& readings) {
    if (!joints_) return;
    auto joints = std::make_unique<sensor_msgs::msg::JointState>(
        joint_state_of(readings.model, readings.tail, instant(now.nanoseconds())));
    if (!joints->name.empty()) joints_->publish(std::move(joints));
  }

  RobotFrames frames_;
  Duration start_;  // what the nodes' clocks show at instant 0
  rclcpp::Node::SharedPtr node_;
  std::unique_ptr<SensorTopics> sensors_;
  rclcpp::Publisher<nav_msgs::msg::Odometry>::SharedPtr odom_;
  rclcpp::Publisher<sensor_msgs::msg::JointState>::SharedPtr joints_;
  rclcpp::Publisher<tf2_msgs::msg::TFMessage>::SharedPtr tf_;
  rclcpp::Subscription<geometry_msgs::msg::Twist>::SharedPtr plain_;
  rclcpp::Subscription<geometry_msgs::msg::TwistStamped>::SharedPtr stamped_;
  std::optional<Twist> command_;
  std::string elements_topic_;                                         // in full
  rclcpp::Publisher<convoy_msgs::msg::Elements>::SharedPtr elements_;  // once somebody listens
  std::unique_ptr<convoy_msgs::msg::Elements> seen_;                   // not yet published
};

Simulation::Options options_of(const SoftwareSpec& spec, const std::vector<std::string>& arguments,
                               nodes::Execution& execution) {
  const NodeRules& rules = spec.setup.nodes;
  const Entity& entity = spec.entity;
  Simulation::Options options;
  options.graph.now = rules.overdue_start ? Instant{} : spec.now + rules.start;
  options.start = spec.now + rules.start;
  options.overdue = rules.overdue_start;
  options.graph.order = rules.order;
  options.graph.seed = spec.setup.seed;
  options.graph.agent = rules.one_job ? 0 : entity.number.value();
  options.graph.origin = entity.number;
  options.graph.digest_messages = rules.digest_messages;
  options.graph.delays = rules.delays;
  options.graph.execution = &execution;
  options.arguments = {"--ros-args"};
  options.arguments.insert(options.arguments.end(), arguments.begin(), arguments.end());
  const auto remap = [&](const std::string& rule) { options.arguments.insert(options.arguments.end(), {"-r", rule}); };
  if (!entity.kind->ns.empty()) remap("__ns:=/" + entity.kind->ns);
  else if (has_body(spec.model)) remap("__ns:=/" + entity.name);
  if (has_body(spec.model)) remap("/tf:=tf"), remap("/tf_static:=tf_static");
  return options;
}

NodesSoftware::NodesSoftware(Simulation& simulation) : simulation_(simulation) {}
NodesSoftware::~NodesSoftware() { drop_robot_node(); }

void NodesSoftware::make_robot_node(const SoftwareSpec& spec) {
  const Simulation::Scope scope(simulation_);
  if (has_body(spec.model))
    robot_ = std::make_unique<RobotNode>(spec.entity.kind->frame, spec.entity.kind->sensors, spec.sensors,
                                         spec.setup.nodes.start);
  if (!spec.entity.kind->edits.empty()) edits_ = std::make_unique<EditServices>();
}

void NodesSoftware::drop_robot_node() {
  const Simulation::Scope scope(simulation_);
  edits_.reset();
  robot_.reset();
}

void NodesSoftware::begin(Instant t, const Readings* readings) {
  const Simulation::Scope scope(simulation_);
  simulation_.begin_instant(t);
  if (readings && edits_) edits_->respond();
  if (readings && robot_) robot_->publish(rclcpp::Time(nanos(t), RCL_ROS_TIME), *readings);
}

Status NodesSoftware::run(Instant t, const Readings* readings) {
  begin(t, readings);
  return simulation_.finish_instant();
}

bool NodesSoftware::looks_at_elements() const {
  const Simulation::Scope scope(simulation_);
  return robot_ && robot_->looks_at_elements();
}

void NodesSoftware::elements(std::span<const SeenElement> seen) {
  const Simulation::Scope scope(simulation_);
  if (robot_) robot_->keep(seen);
}

bool NodesSoftware::takes(std::string_view sensor) const { return robot_ && robot_->takes(sensor); }

std::optional<Twist> NodesSoftware::take_command() { return robot_ ? robot_->take_command() : std::nullopt; }

std::vector<EditRequest> NodesSoftware::take_edit_requests() {
  return edits_ ? edits_->take() : std::vector<EditRequest>{};
}

void NodesSoftware::edited(const EditReply& reply) {
  if (edits_) edits_->edited(reply);
}

std::optional<Ended> NodesSoftware::ended() const {
  if (OwnThreads& threads = *simulation_.watched().threads(); threads.attention())  // one calls between two instants
    if (const std::string trouble = threads.trouble(); !trouble.empty()) return Ended{1, trouble, true};
  // Its own part ends with shutdown(), the run with a code that it chose.
  if (!simulation_.ok()) return Ended{simulation_.exit_code(), {}, simulation_.finished()};
  return std::nullopt;
}

std::string NodesSoftware::text_of(const nodes::Delivery& d) const {
  const nodes::MessageType& type = d.message.type();
  const auto known = find_type(type.name());
  if (!known) return "# " + known.error().message() + "\n";
  AnyMessage message(*known);
  Bytes scratch;
  if (auto ok = known->from_cdr(nodes::bytes_of(type, d.message.get(), scratch), message.get()); !ok)
    return "# " + ok.error().message() + "\n";
  return known->to_yaml(message.get(), {.elements = 128, .characters = 1024});
}

Result<Bytes> NodesSoftware::encode(const nodes::MessageType& type, const std::string& yaml) const {
  const auto known = find_type(type.name());
  if (!known) return tl::unexpected(known.error());
  if (!type.definition_hash().empty() && type.definition_hash() != known->hash())
    return fail(ErrorCode::kUnsupported, "its nodes have another definition of " + std::string(type.name()));
  AnyMessage message(*known);
  if (auto ok = known->from_yaml(yaml, message.get()); !ok) return tl::unexpected(ok.error());
  return known->to_cdr(message.get());
}

Status NodesSoftware::set_parameter(const std::string& node, const std::string& name, const std::string& value) {
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

}  // namespace convoy::ros
