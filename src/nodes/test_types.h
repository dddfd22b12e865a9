// Message types and small helpers that the tests of this folder share.
#pragma once

#include <string>
#include <vector>

#include "core/fields.h"
#include "nodes/graph.h"
#include "nodes/plain_type.h"

namespace convoy::nodes::testing {

struct Word {
  std::string text;
};
template <class V, MaybeConst<Word> T>
void fields(V& v, T& m) {
  v("text", m.text);
}
inline const PlainType<Word> kWord("test_msgs/msg/Word");
inline const PlainType<Word> kOther("test_msgs/msg/Other");
inline const ServiceType kEcho{"test_msgs/srv/Echo", &kWord, &kWord};

inline const std::string& text(const Delivery& d) { return static_cast<const Word*>(d.message.get())->text; }

// What happened, a line each: "2000 b: hello" is what b got at 2000 ns.
struct Story {
  explicit Story(Graph& g) : graph(g) {}
  void note(const std::string& what) { lines.push_back(std::to_string(nanos(graph.now())) + " " + what); }
  DeliveryCallback hears(const std::string& who) {
    return [this, who](Delivery& d) { note(who + ": " + text(d)); };
  }
  Graph& graph;
  std::vector<std::string> lines;
};

inline Owned<Publisher> publisher(Owned<Node>& node, const char* topic, QoS qos = {}) {
  return *node->create_publisher({.topic = topic, .type = &kWord, .qos = qos});
}
inline Owned<Subscription> subscription(Owned<Node>& node, const char* topic, DeliveryCallback callback, QoS qos = {},
                                        bool owns = false) {
  return *node->create_subscription(
      {.topic = topic, .type = &kWord, .qos = qos, .takes_ownership = owns, .callback = std::move(callback)});
}
inline Owned<Node> node(Graph& graph, const char* name) { return *graph.create_node({.name = name}); }
inline void say(Owned<Publisher>& to, std::string text) { to->publish(kWord.make({std::move(text)})); }

// Every instant at which something happens, up to and including `end`; why it stopped, if it did.
inline Status run_until(Graph& graph, Instant end) {
  while (graph.next() <= end)
    if (auto ok = graph.run_instant(graph.next()); !ok) return ok;
  return {};
}

using Lines = std::vector<std::string>;

}  // namespace convoy::nodes::testing
