// Callers outside: what they publish to an agent's nodes, and what its services respond to them.
#include "agent/outsider.h"

#include <doctest/doctest.h>

#include <map>

#include "agent/fleet_rig.h"
#include "nodes/plain_type.h"

using namespace convoy;
using namespace std::chrono_literals;

namespace {

struct Word {
  std::string text;
};
template <class V, MaybeConst<Word> T>
void fields(V& v, T& m) {
  v("text", m.text);
}
const nodes::PlainType<Word> kWord("test_msgs/msg/Word");
const nodes::ServiceType kEcho{"test_msgs/srv/Echo", &kWord, &kWord};
const std::string& text(const nodes::Delivery& d) { return static_cast<const Word*>(d.message.get())->text; }

using Stories = std::map<std::string, std::vector<std::string>>;  // by agent

// Hears "/orders", and answers "/NAME/echo" a while later, but not "silence". It has "/NAME/say", which nobody hears.
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
        {.topic = "/orders", .type = &kWord, .callback = [this](nodes::Delivery& d) { tell("heard " + text(d)); }});
    serves_ = *node_->create_service({.service = "echo", .type = &kEcho, .callback = [this](nodes::Delivery& d) {
                                        tell("asked " + text(d));
                                        asked_.push_back({{d.from, d.index}, text(d)});
                                      }});
    timer_ = node_->create_timer({.period = 30ms, .callback = [this] {
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
  Result<Bytes> encode(const nodes::MessageType& type, const std::string& yaml) const override {
    if (yaml.starts_with("?")) return fail(ErrorCode::kInvalid, "is no word", std::string(type.name()));
    return save(Word{yaml == "much" ? std::string(kMaxPublishedBytes + 1, 'x') : yaml});
  }
  Status set_parameter(const std::string&, const std::string& name, const std::string& value) override {
    tell(name + " = " + value);
    return {};
  }

 private:
  void tell(const std::string& what) { story_.push_back(std::to_string(nanos(graph_.now()) / 1000000) + " " + what); }

  nodes::Graph graph_;
  std::vector<std::string>& story_;
  nodes::Owned<nodes::Node> node_;
  nodes::Owned<nodes::Publisher> out_;
  nodes::Owned<nodes::Subscription> in_;
  nodes::Owned<nodes::Service> serves_;
  nodes::Owned<nodes::Timer> timer_;
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

Setup two() {
  Setup setup;
  setup.models = built_in_models();
  setup.network.delay = 3ms;
  setup.nodes.start = 1s;
  for (const char* name : {"r1", "r2"}) {
    EntitySpec& spec = setup.entities.emplace_back();
    spec.name = name, spec.model = "turtlebot3_burger";
    spec.pose = {{static_cast<double>(name[1] - '0'), 0, 0}, {}};
    spec.components = {{"somewhere", "clerk", {}}};
  }
  return setup;
}

const WorldNumber r1{1}, r2{2};

PublishMessage order(WorldNumber agent, const char* text, const char* holder = "") {
  return {agent, "/orders", "test_msgs/msg/Word", text, holder};
}
CallService call(WorldNumber agent, const char* text, std::uint64_t id, const char* holder = "") {
  return {agent, agent == r1 ? "/r1/echo" : "/r2/echo", "test_msgs/srv/Echo", text, id, holder};
}

SerialExecutor the_executor;

NodesAnswer ask(FleetRig& rig, const NodesQuestion& question) {
  NodesAnswer all;
  for (std::size_t i = 0; i < 2 && i < rig.world().entities().size(); ++i) {
    Fleet* fleet = rig.owner_of(WorldNumber(static_cast<std::uint32_t>(i + 1)));
    if (i == 1 && fleet == rig.owner_of(r1)) break;
    NodesAnswer answer;
    REQUIRE(load(fleet->answer(save(question)), answer));
    all.takers.insert(all.takers.end(), answer.takers.begin(), answer.takers.end());
    all.responses.insert(all.responses.end(), answer.responses.begin(), answer.responses.end());
  }
  return all;
}

std::string responses(FleetRig& rig, std::uint64_t id) {
  std::string out;
  for (const auto& r : ask(rig, {NodesQuestion::Kind::kResponse, id}).responses)
    out += std::to_string(r.agent.value()) + " " + std::to_string(nanos(r.at) / 1000000) + " " + r.text + r.why;
  return out;
}

}  // namespace

TEST_CASE("what is published from outside reaches the nodes of its agent, and of others, whoever runs them") {
  std::uint64_t digest = 0;
  for (int fleets : {1, 2}) {
    Clerks factory;
    FleetRig rig(two(), fleets, the_executor, &factory);
    while (rig.tick() < 20) {
      std::vector<Input> inputs;
      if (rig.tick() == 10) inputs = {order(r2, "go"), SetParameter{r2, "/r2/clerk", "speed", "3"}, order(r2, "on")};
      rig.step(inputs);
    }

    // In the order of the journal, each message an event of the instant.
    CHECK(factory.stories["r2"] == std::vector<std::string>{"1100 speed = 3", "1100 heard go", "1100 heard on"});
    CHECK(factory.stories["r1"] == std::vector<std::string>{"1113 heard go", "1113 heard on"});
    if (fleets == 1) digest = rig.digest();
    CHECK(rig.digest() == digest);
  }
  Clerks factory;
  FleetRig without(two(), 1, the_executor, &factory);
  while (without.tick() < 20) without.step();
  CHECK(without.digest() != digest);
}

TEST_CASE("a service that is called from outside responds when it does, and who asks for that changes no digest") {
  std::uint64_t digest = 0;
  for (bool looked : {false, true}) {
    Clerks factory;
    FleetRig rig(two(), 2, the_executor, &factory);
    std::string before, after;
    while (rig.tick() < 20) {
      std::vector<Input> inputs;
      if (rig.tick() == 10) inputs = {call(r1, "hello", 71), call(r1, "silence", 72), call(r2, "you", 73)};
      rig.step(inputs);
      if (looked && rig.tick() == 12) before = responses(rig, 71);
    }
    CHECK(factory.stories["r1"] == std::vector<std::string>{"1100 asked hello", "1100 asked silence"});
    if (looked) {
      CHECK(before.empty());
      CHECK(responses(rig, 71) == "1 1120 hello again\n");
      CHECK(responses(rig, 72).empty());
      CHECK(responses(rig, 73) == "2 1120 you again\n");
      CHECK(responses(rig, 74).empty());
      CHECK(rig.digest() == digest);
    }
    digest = rig.digest();
  }
}

TEST_CASE("what cannot be published or asked leaves nothing behind but, for a caller, why") {
  Clerks factory;
  FleetRig rig(two(), 1, the_executor, &factory);
  while (rig.tick() < 5) rig.step();
  rig.step(std::vector<Input>{order(r1, "?"), order(r1, "much"),
                              PublishMessage{r1, "/order", "test_msgs/msg/Word", "go"},
                              PublishMessage{r1, "/orders", "test_msgs/msg/Other", "go"}, call(r1, "?", 1),
                              CallService{r1, "/r2/echo", "test_msgs/srv/Echo", "you", 2},
                              CallService{r1, "/r1/echo", "test_msgs/srv/Other", "you", 3}, call(r1, "last", 4)});
  while (rig.tick() < 10) rig.step();

  CHECK(factory.stories["r1"] == std::vector<std::string>{"1050 asked last"});
  CHECK(responses(rig, 1) == "1 1050 test_msgs/msg/Word: is no word");
  CHECK(responses(rig, 2) == "1 1050 no node serves '/r2/echo'");
  CHECK(responses(rig, 3) == "1 1050 '/r1/echo' is of type test_msgs/srv/Echo, not test_msgs/srv/Other");
  CHECK(responses(rig, 4) == "1 1060 last again\n");
}

TEST_CASE("the nodes of a leased robot are given what its holder publishes and asks alone") {
  Clerks factory;
  FleetRig rig(two(), 1, the_executor, &factory);
  while (rig.tick() < 5) rig.step();
  REQUIRE(rig.edit(Lease{{r1}, "ann", Lease::Kind::kTake}));
  rig.step(std::vector<Input>{order(r1, "nobody's"), order(r1, "bob's", "bob"), order(r1, "ann's", "ann"),
                              call(r1, "bob?", 1, "bob"), call(r1, "ann?", 2, "ann")});
  while (rig.tick() < 10) rig.step();

  CHECK(factory.stories["r1"] == std::vector<std::string>{"1050 heard ann's", "1050 asked ann?"});
}

TEST_CASE("hosts tell who has a topic or a service, and whether a text is a message of it") {
  Clerks factory;
  FleetRig rig(two(), 2, the_executor, &factory);
  while (rig.tick() < 3) rig.step();
  const auto takers = [&](NodesQuestion::Kind kind, const char* name, const char* text) {
    NodesQuestion question{kind, 0, name};
    question.text = text;
    std::string out;
    for (const auto& t : ask(rig, question).takers)
      out += std::to_string(t.agent.value()) + " " + t.type + " " + std::to_string(t.takers) + t.wrong + "\n";
    return out;
  };

  CHECK(takers(NodesQuestion::Kind::kTopic, "/orders", "go") == "1 test_msgs/msg/Word 1\n2 test_msgs/msg/Word 1\n");
  CHECK(takers(NodesQuestion::Kind::kTopic, "/r2/say", "?") ==
        "2 test_msgs/msg/Word 0test_msgs/msg/Word: is no word\n");
  CHECK(takers(NodesQuestion::Kind::kTopic, "/r1/echo", "go").empty());
  CHECK(takers(NodesQuestion::Kind::kService, "/r1/echo", "go") == "1 test_msgs/srv/Echo 1\n");
  CHECK(takers(NodesQuestion::Kind::kService, "/orders", "go").empty());
}

TEST_CASE("responses that nobody fetches do not pile up") {
  Clerks factory;
  FleetRig rig(two(), 1, the_executor, &factory);
  while (rig.tick() < 5) rig.step();
  std::vector<Input> inputs;
  for (std::uint64_t id = 0; id <= kMaxResponses; ++id) inputs.push_back(call(r1, "hello", id));
  rig.step(inputs);
  while (rig.tick() < 10) rig.step();

  CHECK(responses(rig, 0).empty());
  CHECK_FALSE(responses(rig, 1).empty());
  CHECK_FALSE(responses(rig, kMaxResponses).empty());
}
