#include "agent/inspect.h"

#include <algorithm>

namespace convoy {

void Watchers::answer(const NodesQuestion& question, WorldNumber agent, nodes::Graph& graph, const Text& text,
                      NodesAnswer& out, std::size_t& room) {
  if (question.kind == NodesQuestion::Kind::kUnwatch) {
    watches_.erase(question.watcher);  // the tap stays, and finds no watcher
    std::erase(order_, question.watcher);
    return;
  }
  auto& watch = watches_[question.watcher];
  if (!watch) {
    watch = std::make_shared<Watch>();
    watch->topic = question.name;
    order_.push_back(question.watcher);
    if (order_.size() > kMaxWatchers) {
      watches_.erase(order_.front());
      order_.pop_front();
    }
  }
  if (!watch->tapped) {
    const auto hear = [held = std::weak_ptr<Watch>(watch), agent, text](const nodes::Delivery& d) {
      const auto to = held.lock();
      if (!to) return;
      if (to->messages.size() == kMaxMessagesWaiting) to->messages.pop_front(), ++to->missed;
      std::string line = text(d);
      Bytes scratch;
      const auto bytes = static_cast<std::uint32_t>(nodes::bytes_of(d.message.type(), d.message.get(), scratch).size());
      if (line.size() > kMaxMessageText) line.resize(kMaxMessageText), line += "...\n";
      to->messages.push_back({agent, d.published, bytes, std::move(line)});
    };
    // As a late subscriber of ROS gets them.
    if (const auto topic = graph.topics().find(watch->topic); topic != graph.topics().end())
      for (const nodes::Publisher* publisher : topic->second->publishers())
        for (const nodes::Delivery& d : publisher->kept()) hear(d);
    watch->tapped = static_cast<bool>(graph.tap(watch->topic, hear));
  }
  while (!watch->messages.empty() && room > watch->messages.front().text.size()) {
    room -= watch->messages.front().text.size();
    out.messages.push_back(std::move(watch->messages.front()));
    watch->messages.pop_front();
  }
  out.missed += std::exchange(watch->missed, 0);
}

}  // namespace convoy
