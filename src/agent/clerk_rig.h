// Nodes for tests that hear, are asked, and note it.
//
//   Clerks clerks;
//   ... a run with robots that have components, made by `clerks`
//   clerks.stories["r1"]     // "1100 heard go": by the nodes' clocks, in ms
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agent/software.h"
#include "nodes/plain_type.h"

namespace convoy::testing {

struct Word {
  std::string text;
};
template <class V, MaybeConst<Word> T>
void fields(V& v, T& m) {
  v("text", m.text);
}
inline const nodes::PlainType<Word> kWord("test_msgs/msg/Word");
inline const nodes::ServiceType kEcho{"test_msgs/srv/Echo", &kWord, &kWord};
inline const std::string& text(const nodes::Delivery& d) { return static_cast<const Word*>(d.message.get())->text; }

using Stories = std::map<std::string, std::vector<std::string>>;  // by agent

// Hears "/orders", and answers "/NAME/echo" a while later, but not "silence". It says on "/NAME/say", which nobody hears, what
// it was ordered to "say ..."; and what it was ordered to "plan ..." it asks of "/planner", which nobody serves. It can "hire"
// two nodes more, which both hear "/notes", and "fire" the first of them.
class Clerk final : public Software {
 public:
  Clerk(const SoftwareSpec& spec, Stories& stories)
      : graph_({.now = spec.now + spec.setup.nodes.start,
                .agent = spec.entity.number.value(),
                .origin = spec.entity.number,
                .digest_messages = true}),
        story_(stories[spec.entity.name]) {
    node_ = *graph_.create_node({.name = "clerk", .space = "/" + spec.entity.name});
    out_ = *node_->create_publisher({.topic = "say", .type = &kWord});
    in_ = *node_->create_subscription(
        {.topic = "/orders", .type = &kWord, .callback = [this](nodes::Delivery& d) { obey(text(d)); }});
    serves_ = *node_->create_service({.service = "echo", .type = &kEcho, .callback = [this](nodes::Delivery& d) {
                                        tell("asked " + text(d));
                                        asked_.push_back({{d.from, d.index}, text(d)});
                                      }});
    planner_ = *node_->create_client(
        {.service = "/planner", .type = &kEcho, .callback = [this](nodes::Delivery& d) { tell("told " + text(d)); }});
    timer_ = node_->create_timer({.period = std::chrono::milliseconds(30), .callback = [this] {
                                    for (const auto& [call, words] : std::exchange(asked_, {}))
                                      if (words != "silence") serves_->respond(call, kWord.make({words + " again"}));
                                  }});
  }
  nodes::Graph& graph() override { return graph_; }
  const nodes::Graph& graph() const override { return graph_; }
  Instant next() const override { return graph_.next(); }
  Status run(Instant t, const Readings*) override { return graph_.run_instant(t); }
  std::optional<Twist> take_command() override { return std::nullopt; }
  std::string text_of(const nodes::Delivery& d) const override { return text(d) + "\n"; }
  Result<Bytes> encode(const nodes::MessageType&, const std::string& yaml) const override {
    if (yaml.starts_with("?")) return fail(ErrorCode::kInvalid, "is no word");
    return save(Word{yaml == "much" ? std::string(kMaxPublishedBytes + 1, 'x') : yaml});
  }
  Status set_parameter(const std::string&, const std::string& name, const std::string& value) override {
    tell(name + " = " + value);
    return {};
  }

 private:
  void obey(const std::string& order) {
    tell("heard " + order);
    if (order.starts_with("say ")) out_->publish(kWord.make({order.substr(4)}));
    if (order == "hire") hire("first"), hire("second");
    if (order == "fire") helpers_.erase(helpers_.begin());
    if (!order.starts_with("plan ")) return;
    if (planner_->service_is_ready()) planner_->call(kWord.make({order.substr(5)}));
    else tell("nobody plans");
  }
  struct Helper {
    nodes::Owned<nodes::Node> node;
    nodes::Owned<nodes::Subscription> hears;
  };
  void hire(const std::string& name) {
    Helper one{*graph_.create_node({.name = name}), {}};
    one.hears = *one.node->create_subscription(
        {.topic = "/notes", .type = &kWord, .callback = [this, name](nodes::Delivery& d) {
           tell(name + " notes " + text(d));
         }});
    helpers_.push_back(std::move(one));
  }
  void tell(const std::string& what) { story_.push_back(std::to_string(nanos(graph_.now()) / 1000000) + " " + what); }

  nodes::Graph graph_;
  std::vector<std::string>& story_;
  nodes::Owned<nodes::Node> node_;
  nodes::Owned<nodes::Publisher> out_;
  nodes::Owned<nodes::Subscription> in_;
  nodes::Owned<nodes::Service> serves_;
  nodes::Owned<nodes::Client> planner_;
  nodes::Owned<nodes::Timer> timer_;
  std::vector<Helper> helpers_;
  std::vector<std::pair<nodes::CallId, std::string>> asked_;
};

class Clerks final : public SoftwareFactory {
 public:
  std::vector<CodeFile> code_of(std::span<const ComponentSpec>, CodeSource, std::optional<Error>&) override {
    return {};
  }
  Result<std::unique_ptr<Software>> make(const SoftwareSpec& spec) override {
    return std::make_unique<Clerk>(spec, stories);
  }
  Stories stories;
};

inline EntitySpec clerk(const char* name, double x) {
  EntitySpec spec;
  spec.name = name, spec.model = "turtlebot3_burger";
  spec.pose = {{x, 0, 0}, {}};
  spec.components = {{"somewhere", "clerk", {}}};
  return spec;
}

}  // namespace convoy::testing
