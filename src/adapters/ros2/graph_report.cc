#include "adapters/ros2/graph_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace convoy::ros2 {

namespace {

const std::string& named(const ReportedEnd& end) {
  static const std::string kNobody = "somebody";
  return end.node.empty() ? kNobody : end.node;
}

// Why what `from` writes does not reach `to`; empty: it does.
std::string trouble_between(const ReportedEnd& from, const ReportedEnd& to) {
  const auto say = [&](std::string_view why) {
    return fmt::format("{} does not reach {}: {}", named(from), named(to), why);
  };
  if (from.type != to.type) return say(fmt::format("it is {}, and {} is wanted", from.type, to.type));
  if (to.qos.reliable && !from.qos.reliable) return say("it is best effort, and reliable is wanted");
  if (to.qos.transient_local && !from.qos.transient_local) return say("it is volatile, and transient local is wanted");
  if (!from.hash.empty() && !to.hash.empty() && from.hash != to.hash)
    return fmt::format("{} and {} have different definitions of {}: what arrives may make no sense", named(from),
                       named(to), from.type);
  return {};
}

// A topic may have several types, each with writers and readers of its own: then nobody misses the others'.
bool reached(const ReportedTopic& topic, const ReportedEnd& to) {
  return std::any_of(topic.ends.begin(), topic.ends.end(), [&](const ReportedEnd& from) {
    return from.writer && from.type == to.type && trouble_between(from, to).empty();
  });
}

// Nor does a node that takes several types, as a robot does on cmd_vel, miss those that a writer of one of them has not.
bool reaches_node_of(const ReportedTopic& topic, const ReportedEnd& from, const ReportedEnd& to) {
  return !to.node.empty() && std::any_of(topic.ends.begin(), topic.ends.end(), [&](const ReportedEnd& other) {
    return !other.writer && other.node == to.node && other.type == from.type && trouble_between(from, other).empty();
  });
}

void find_problems(ReportedTopic& topic) {
  std::set<std::string> lines;
  for (const ReportedEnd& from : topic.ends)
    for (const ReportedEnd& to : topic.ends) {
      if (!from.writer || to.writer) continue;
      if (from.type != to.type && (reached(topic, to) || reaches_node_of(topic, from, to))) continue;
      if (std::string why = trouble_between(from, to); !why.empty()) lines.insert(std::move(why));
    }
  topic.problems.assign(lines.begin(), lines.end());
}

}  // namespace

std::vector<ReportedTopic> report_of(const RemoteGraph& graph) {
  std::map<std::pair<std::string, TopicKind>, ReportedTopic> topics;
  for (const auto& [guid, one] : graph.endpoints()) {
    const auto name = ros_topic(one.topic);
    if (!name) continue;
    ReportedTopic& topic = topics[{name->name, name->kind}];
    topic.name = name->name, topic.kind = name->kind;
    topic.ends.push_back({graph.node_of(guid), ros_type(one.type).value_or(one.type),
                          std::string(graph.type_hash(guid)), one.writer, one.qos});
  }
  std::vector<ReportedTopic> out;
  for (auto& [key, topic] : topics) {
    std::sort(topic.ends.begin(), topic.ends.end(), [](const ReportedEnd& a, const ReportedEnd& b) {
      return std::tie(b.writer, a.node, a.type) < std::tie(a.writer, b.node, b.type);
    });
    find_problems(topic);
    out.push_back(std::move(topic));
  }
  return out;
}

}  // namespace convoy::ros2
