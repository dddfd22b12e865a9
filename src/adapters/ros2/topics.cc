#include "adapters/ros2/topics.h"

#include <algorithm>

#include "adapters/ros2/names.h"

namespace convoy::ros2 {

bool MatchedOutside::of(const Domain& domain, const WireWriter& writer, const std::string& topic) {
  const std::size_t matched = writer.matched();
  const RemoteGraph& graph = domain.graph();
  if (matched == 0) return false;
  if (matched_ == matched && version_ == graph.version()) return any_;
  matched_ = matched, version_ = graph.version();
  const auto& endpoints = graph.endpoints();
  any_ = std::any_of(endpoints.begin(), endpoints.end(), [&](const auto& one) {
    return !one.second.writer && one.second.topic == topic && writer.matches(one.first) && !domain.ours(one.first);
  });
  return any_;
}

bool Publisher::wanted_outside() { return outside_.of(domain(), *writer_, dds_topic(topic_)); }

}  // namespace convoy::ros2
