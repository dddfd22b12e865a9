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
    std::weak_ptr<Watch> kept = watch;
    watch->tapped = static_cast<bool>(graph.tap(watch->topic, [kept, agent, text](const nodes::Delivery& d) {
      const auto to = kept.lock();
      if (!to) return;
      if (to->messages.size() == kMaxMessagesWaiting) to->messages.pop_front(), ++to->missed;
      std::string line = text(d);
      const auto bytes = static_cast<std::uint32_t>(line.size());
      if (line.size() > kMaxMessageText) line.resize(kMaxMessageText), line += "...\n";
      to->messages.push_back({agent, d.published, bytes, std::move(line)});
    }));
  }
  while (!watch->messages.empty() && room > watch->messages.front().text.size()) {
    room -= watch->messages.front().text.size();
    out.messages.push_back(std::move(watch->messages.front()));
    watch->messages.pop_front();
  }
  out.missed += std::exchange(watch->missed, 0);
}

}  // namespace convoy
