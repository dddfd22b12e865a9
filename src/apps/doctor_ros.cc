// convoy doctor ros: who and what is in a domain of ROS 2, and what does not meet there.
#include <fmt/format.h>

#include <set>

#include <nlohmann/json.hpp>

#include "adapters/ros2/graph_report.h"
#include "apps/arguments.h"
#include "apps/prepare.h"
#include "apps/ros2_domain.h"
#include "os/clock.h"
#include "os/standard_streams.h"
#include "os/terminal.h"

namespace convoy::apps {

namespace {

constexpr const char* kKinds[] = {"topic", "service, requests", "service, replies"};

nlohmann::ordered_json json_of(const ros2::ReportedEnd& end) {
  return {{"node", end.node}, {"publishes", end.writer},      {"type", end.type},
          {"hash", end.hash}, {"reliable", end.qos.reliable}, {"transient_local", end.qos.transient_local}};
}

void print_json(const std::string& where, const ros2::RemoteGraph& graph,
                const std::vector<ros2::ReportedTopic>& topics) {
  nlohmann::ordered_json out{{"where", where}, {"participants", graph.participants().size()}, {"nodes", graph.nodes()}};
  auto& list = out["topics"] = nlohmann::ordered_json::array();
  for (const ros2::ReportedTopic& topic : topics) {
    nlohmann::ordered_json one{{"name", topic.name}, {"kind", kKinds[static_cast<int>(topic.kind)]}};
    one["ends"] = nlohmann::ordered_json::array();
    for (const ros2::ReportedEnd& end : topic.ends) one["ends"].push_back(json_of(end));
    one["problems"] = topic.problems;
    list.push_back(std::move(one));
  }
  os::print("{}\n", out.dump(1));
}

std::string types_of(const ros2::ReportedTopic& topic) {
  std::set<std::string> types;
  for (const ros2::ReportedEnd& end : topic.ends) types.insert(end.type);
  return fmt::format("{}", fmt::join(types, ", "));
}

void print_text(const std::string& where, const ros2::RemoteGraph& graph,
                const std::vector<ros2::ReportedTopic>& topics) {
  os::print("{}: {} participants, {} nodes\n", where, graph.participants().size(), graph.nodes().size());
  for (const std::string& node : graph.nodes()) os::print("  {}\n", node);
  std::size_t problems = 0;
  for (const ros2::ReportedTopic& topic : topics) {
    problems += topic.problems.size();
    if (topic.kind == ros2::TopicKind::kReply) continue;  // those of the requests tell of the service
    const auto writers =
        std::count_if(topic.ends.begin(), topic.ends.end(), [](const auto& end) { return end.writer; });
    const auto readers = static_cast<std::ptrdiff_t>(topic.ends.size()) - writers;
    if (topic.kind == ros2::TopicKind::kTopic)
      os::print("topic    {}  {}  {} publish, {} subscribe\n", topic.name, types_of(topic), writers, readers);
    else os::print("service  {}  {} serve, {} may call\n", topic.name, readers, writers);
  }
  for (const ros2::ReportedTopic& topic : topics)
    for (const std::string& line : topic.problems) os::print("PROBLEM  {}: {}\n", topic.name, line);
  os::print("{} problems\n", problems);
}

}  // namespace

int doctor_ros(const Arguments& arguments) {
  os::StderrLog log(arguments.log_level);
  auto opened = open_domain(arguments.ros2, log);
  if (!opened) return complain(opened.error().message(), kUsage);
  const Duration wait = std::chrono::milliseconds(static_cast<std::int64_t>(arguments.ros2.wait * 1e3));
  spin_until(*opened->domain, os::now() + wait, [] { return false; });
  const ros2::RemoteGraph& graph = opened->domain->graph();
  const auto topics = ros2::report_of(graph);
  if (arguments.json) print_json(opened->text, graph, topics);
  else print_text(opened->text, graph, topics);
  const bool bad = std::any_of(topics.begin(), topics.end(), [](const auto& t) { return !t.problems.empty(); });
  return bad ? kFailed : kOk;
}

}  // namespace convoy::apps
