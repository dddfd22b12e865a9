#include "beside.hpp"

#include <algorithm>

#include <rcl_interfaces/msg/log.hpp>
#include <rosgraph_msgs/msg/clock.hpp>

#include "convoy_ros/message_type.hpp"
#include "rclcpp/node_interfaces/node_parameters_interface.hpp"
#include "rclcpp/qos.hpp"
#include "rclcpp/time.hpp"

namespace convoy::ros {

using Log = rcl_interfaces::msg::Log;
using Clock = rosgraph_msgs::msg::Clock;

struct Beside::Publishers {
  nodes::Owned<nodes::Node> node;
  nodes::Owned<nodes::Publisher> clock, rosout;
};

Beside::Beside(Simulation& simulation) : simulation_(simulation) {}
Beside::~Beside() = default;

// --- services of parameters

const std::map<std::string, std::string>& Beside::parameter_services() {
  static const std::map<std::string, std::string> all{
      {"describe_parameters", "DescribeParameters"}, {"get_parameter_types", "GetParameterTypes"},
      {"get_parameters", "GetParameters"},           {"list_parameters", "ListParameters"},
      {"set_parameters", "SetParameters"},           {"set_parameters_atomically", "SetParametersAtomically"}};
  return all;
}

void Beside::offer(const std::string& node, Parameters& parameters) {
  offers_.emplace(node, &parameters);
  const auto& services = simulation_.graph().services();
  for (const auto& [service, type] : parameter_services())
    if (const auto at = services.find(node + "/" + service); at != services.end() && !at->second->clients().empty())
      return parameters.start_services();
}

void Beside::withdraw(const std::string& node, Parameters& parameters) {
  const auto [first, last] = offers_.equal_range(node);
  const auto at = std::find_if(first, last, [&](const auto& offer) { return offer.second == &parameters; });
  if (at != last) offers_.erase(at);
}

bool Beside::offers(const std::string& service) const {
  const std::size_t slash = service.rfind('/');
  return slash != service.npos && parameter_services().count(service.substr(slash + 1)) > 0 &&
         offers_.count(service.substr(0, slash)) > 0;
}

void Beside::asked_for(const std::string& service) {
  if (!offers(service)) return;
  const auto [first, last] = offers_.equal_range(service.substr(0, service.rfind('/')));
  for (auto at = first; at != last; ++at) at->second->start_services();
}

// --- topics

void Beside::find_topics_again() {
  const auto& topics = simulation_.graph().topics();
  const auto find = [&](const char* name) {
    const auto at = topics.find(name);
    return at == topics.end() ? nullptr : at->second.get();
  };
  clock_ = find("/clock"), rosout_ = find("/rosout"), events_ = find("/parameter_events");
  topics_seen_ = topics.size();
}

Beside::Publishers& Beside::publishers() {
  if (publishers_) return *publishers_;
  publishers_ = std::make_unique<Publishers>();
  publishers_->node = *simulation_.graph().create_node({.name = "convoy", .ranks = nodes::Ranks::kSilent});
  return *publishers_;
}

namespace {
// A user has made it a topic of another type: then it is not ours.
template <class Message>
bool is_of(const nodes::Topic& topic) {
  return nodes::same_type(topic.type(), MessageTypeOf<Message>::instance());
}
}  // namespace

void Beside::publish_time() {
  find_topics();
  if (!has_subscribers(clock_) || !is_of<Clock>(*clock_)) return;
  auto& mine = publishers().clock;
  // Where another node publishes a clock, such as a player of recordings, this one is silent.
  for (const nodes::Publisher* p : clock_->publishers())
    if (p != mine.get()) return;
  const auto& type = MessageTypeOf<Clock>::instance();
  if (!mine)
    mine = *publishers().node->create_publisher(
        {.topic = "/clock", .type = &type, .qos = rclcpp::ClockQoS().offered(), .ranks = nodes::Ranks::kSilent});
  Clock message;
  message.clock = rclcpp::Time(nanos(simulation_.now()), RCL_ROS_TIME);
  mine->publish_copy(&message);
}

void Beside::publish(const LogLine& line) {
  find_topics();
  if (!has_subscribers(rosout_) || !is_of<Log>(*rosout_)) return;
  for (const std::string& off : off_rosout_)
    if (line.logger.rfind(off, 0) == 0 && (line.logger.size() == off.size() || line.logger[off.size()] == '.')) return;
  const auto& type = MessageTypeOf<Log>::instance();
  auto& mine = publishers().rosout;
  if (!mine)
    mine = *publishers().node->create_publisher(
        {.topic = "/rosout", .type = &type, .qos = rclcpp::RosoutQoS().offered(), .ranks = nodes::Ranks::kSilent});
  Log message;
  message.stamp = rclcpp::Time(nanos(line.at), RCL_ROS_TIME);
  message.level = static_cast<std::uint8_t>(line.severity);
  message.name = line.logger, message.msg = line.text;
  mine->publish_copy(&message);
}

}  // namespace convoy::ros
