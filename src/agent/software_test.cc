// Nodes inside agents: what they send to those of others, wherever either runs.
#include "agent/software.h"

#include <doctest/doctest.h>

#include <map>

#include "agent/fleet_rig.h"
#include "nodes/plain_type.h"

namespace software_test {

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
const nodes::PlainType<Word> kOther("test_msgs/msg/Other");
const nodes::ServiceType kEcho{"test_msgs/srv/Echo", &kWord, &kWord};
const std::string& text(const nodes::Delivery& d) { return static_cast<const Word*>(d.message.get())->text; }

using Stories = std::map<std::string, std::vector<std::string>>;  // by agent

// Every agent publishes how often it has published, subscribes to all others, calls the next one, and drives
// while it is commanded to.
class Gossip final : public Software {
 public:
  Gossip(const SoftwareSpec& spec, Stories& stories)
      : graph_({.now = spec.now + spec.setup.nodes.start,
                .agent = spec.entity.number.value(),
                .origin = spec.entity.number,
                .digest_messages = true}),
        name_(spec.entity.name),
        story_(stories[name_]) {
    node_ = *graph_.create_node({.name = "gossip", .space = "/" + name_});
    out_ = *node_->create_publisher({.topic = "say", .type = &kWord});
    map_ = *node_->create_publisher({.topic = "/map", .type = &kWord, .qos = {.transient_local = true}});
    map_->publish(kWord.make({"map of " + name_}));
    for (const char* other : {"r1", "r2", "r3", "r4"})
      if (other != name_)
        in_.push_back(*node_->create_subscription(
            {.topic = "/" + std::string(other) + "/say", .type = &kWord, .callback = [this](nodes::Delivery& d) {
               tell(text(d).substr(0, 8) + " of " + std::to_string(nanos(d.published)));
             }}));
    in_.push_back(*node_->create_subscription(
        {.topic = "/map", .type = &kWord, .qos = {.transient_local = true}, .callback = [this](nodes::Delivery& d) {
           tell(text(d));
         }}));
    serves_ = *node_->create_service({.service = "echo", .type = &kEcho, .callback = [this](nodes::Delivery& d) {
                                        serves_->respond({d.from, d.index}, kWord.make({name_ + " heard " + text(d)}));
                                      }});
    asks_ = *node_->create_client({.service = name_ == "r1" ? "/r2/echo" : "/r1/echo",
                                   .type = &kEcho,
                                   .callback = [this](nodes::Delivery& d) { tell(text(d)); }});
    timer_ = node_->create_timer({.period = 7ms, .callback = [this] { speak(); }});
  }
  nodes::Graph& graph() override { return graph_; }
  const nodes::Graph& graph() const override { return graph_; }
  Instant next() const override { return graph_.next(); }
  Status run(Instant t, const Readings* readings) override {
    if (readings && readings->odometry) tell("odometry");
    return graph_.run_instant(t);
  }
  std::optional<Twist> take_command() override { return std::exchange(command_, std::nullopt); }
  std::string text_of(const nodes::Delivery& d) const override { return text(d) + "\n"; }
  std::optional<Ended> ended() const override { return ended_; }
  Status set_parameter(const std::string&, const std::string& name, const std::string& value) override {
    tell(name + " = " + value);
    return {};
  }

 private:
  void tell(const std::string& what) { story_.push_back(std::to_string(nanos(graph_.now())) + " " + what); }
  void speak() {
    ++spoken_;
    // Every fifth is far larger than a message between agents may be.
    out_->publish(kWord.make({name_ + std::to_string(spoken_) + (spoken_ % 5 == 0 ? std::string(200'000, 'x') : "")}));
    if (asks_->service_is_ready()) asks_->call(kWord.make({std::to_string(spoken_)}));
    command_ = Twist{{0.1, 0, 0}, {0, 0, 0}};
    if (spoken_ == 20 && name_ == "r4") ended_ = Ended{3, "tired", true};
  }

  nodes::Graph graph_;
  std::string name_;
  std::vector<std::string>& story_;
  nodes::Owned<nodes::Node> node_;
  nodes::Owned<nodes::Publisher> out_, map_;
  std::vector<nodes::Owned<nodes::Subscription>> in_;
  nodes::Owned<nodes::Service> serves_;
  nodes::Owned<nodes::Client> asks_;
  nodes::Owned<nodes::Timer> timer_;
  int spoken_ = 0;
  std::optional<Twist> command_;
  std::optional<Ended> ended_;
};

class Gossips final : public SoftwareFactory {
 public:
  std::vector<CodeFile> code_of(std::span<const ComponentSpec>, CodeSource, std::optional<Error>&) override {
    return {};
  }
  Result<std::unique_ptr<Software>> make(const SoftwareSpec& spec) override {
    if (spec.entity.kind->components[0].type == "none") return fail(ErrorCode::kNotFound, "no such class");
    return std::make_unique<Gossip>(spec, stories);
  }
  Stories stories;
};

EntitySpec talker(const char* name, const char* model = "turtlebot3_burger") {
  EntitySpec spec;
  spec.name = name;
  spec.model = model;
  spec.pose = {{static_cast<double>(name[1] - '0'), 0, 0}, {}};
  spec.components = {{"somewhere", "gossip", {}}};
  return spec;
}

Setup three() {
  Setup setup;
  setup.models = built_in_models();
  setup.network.delay = 3ms;
  setup.nodes.start = 1s;
  setup.entities = {talker("r1"), talker("r2"), talker("r3", "program")};
  return setup;
}

std::size_t times(const std::vector<std::string>& story, const std::string& what) {
  return static_cast<std::size_t>(std::count(story.begin(), story.end(), what));
}

SerialExecutor the_executor;

}  // namespace

TEST_CASE("nodes of agents receive from each other a tick and the network's delay later, whoever runs them") {
  std::optional<Stories> first;
  std::uint64_t digest = 0;
  for (int fleets : {1, 2, 3}) {
    Gossips factory;
    FleetRig rig(three(), fleets, the_executor, &factory);
    while (rig.tick() < 40) {
      if (rig.tick() == 15) REQUIRE(rig.edit(Spawn{talker("r4"), Owner(1)}));
      if (rig.tick() == 25) REQUIRE(rig.edit(Attach{WorldNumber(1), WorldNumber(2)}));
      std::vector<Input> inputs;
      if (rig.tick() == 12) inputs.push_back(SetParameter{WorldNumber(2), "/r2/gossip", "speed", "3"});
      rig.step(inputs);
    }
    // 1.007 s + 10 ms + 3 ms, though in its first tick r2 could not know of r1; and the one in pieces.
    const auto& r1 = factory.stories["r1"];
    CHECK(times(r1, "1020000000 r21 of 1007000000") == 1);
    CHECK(times(r1, "1048000000 r25xxxxx of 1035000000") == 1);
    CHECK(times(r1, "1020000000 r31 of 1007000000") == 1);  // a program without a body
    CHECK(times(r1, "1020000000 map of r2") == 1);
    CHECK(times(r1, "1000000000 map of r1") == 1);
    // A request and its answer, a tick and the delay each. The first could go when r2 was known.
    CHECK(times(r1, "1040000000 r2 heard 2") == 1);
    CHECK(times(factory.stories["r2"], "1120000000 speed = 3") == 1);
    // r4 came at 1.15 s, and got what r1 kept for late ones once r1 knew of it.
    CHECK(std::count_if(factory.stories["r4"].begin(), factory.stories["r4"].end(),
                        [](const std::string& s) { return s.find("map of r1") != s.npos; }) == 1);
    // r2 rides on r1 from the 25th tick on: its nodes go on.
    CHECK(factory.stories["r1"].back().find("of 13") != std::string::npos);
    CHECK(rig.state(WorldNumber(1)).pose.p.x > 1.02);
    if (!first) first = factory.stories, digest = rig.digest();
    CHECK(factory.stories == *first);
    CHECK(rig.digest() == digest);
  }
}

TEST_CASE("domains do not discover each other, and what is deleted is forgotten") {
  Gossips factory;
  Setup setup = three();
  setup.entities[1].domain = 7;
  FleetRig rig(setup, 2, the_executor, &factory);
  while (rig.tick() < 10) rig.step();
  CHECK(rig.world().directory().who(Interface::Kind::kSubscribes, "/r1/say").size() == 1);    // r3
  CHECK(rig.world().directory().who(Interface::Kind::kSubscribes, "7:/r1/say").size() == 1);  // r2
  for (const std::string& line : factory.stories["r2"]) CHECK(line.find("of r1") == std::string::npos);
  CHECK(rig.world().directory().who(Interface::Kind::kServes, "/r1/echo").size() == 1);
  // The directory comes along in the world's image, for a host that joins late.
  auto late = World::make(setup);
  REQUIRE(late);
  REQUIRE(late->load_image(rig.world().image()));
  CHECK(late->directory().all() == rig.world().directory().all());
  REQUIRE(rig.edit(Delete{WorldNumber(1)}));
  CHECK(rig.world().directory().who(Interface::Kind::kServes, "/r1/echo").empty());
  while (rig.tick() < 20) rig.step();
}

TEST_CASE("the end of an agent's software is reported once; one that cannot be made reports why") {
  Gossips factory;
  Setup setup = three();
  setup.entities = {talker("r4"), talker("r2")};
  setup.entities[1].components[0].type = "none";
  FleetRig rig(setup, 1, the_executor, &factory);
  std::vector<std::string> announced;
  while (rig.tick() < 30) {
    rig.step();
    for (const Message& message : rig.inbox()) {
      EndedMessage ended;
      if (message.topic == kEndedTopic && load(message.payload, ended))
        announced.push_back(std::to_string(message.from.value()) + " " + std::to_string(ended.exit_code) + " " +
                            ended.why);
    }
  }
  CHECK(announced == std::vector<std::string>{"2 2 no such class", "1 3 tired"});
  CHECK(rig.world().directory().all().empty());
}

TEST_CASE("an observer receives what is published and changes no digest") {
  std::uint64_t digest = 0;
  for (bool watched : {false, true}) {
    Gossips factory;
    FleetRig rig(three(), 1, the_executor, &factory);
    const auto ask = [&](const NodesQuestion& question) {
      NodesAnswer answer;
      REQUIRE(load(rig.fleet(0).answer(save(question)), answer));
      return answer;
    };
    std::vector<std::string> messages;
    while (rig.tick() < 10) {
      if (watched && rig.tick() >= 2)
        for (const auto& h : ask({NodesQuestion::Kind::kWatch, 5, "/r2/say"}).messages)
          messages.push_back(std::to_string(nanos(h.at)) + " " + h.text.substr(0, 2));
      rig.step();
    }
    if (!watched) {
      digest = rig.digest();
      continue;
    }
    CHECK(rig.digest() == digest);
    CHECK(messages.size() == 10);  // 1.021 s to 1.084 s, every 7 ms; the last tick was not asked for
    CHECK(messages[0] == "1021000000 r2");
    const NodesAnswer all = ask({NodesQuestion::Kind::kList, 0, ""});
    const auto topic = std::find_if(all.topics.begin(), all.topics.end(),
                                    [](const auto& t) { return t.agent == WorldNumber(2) && t.name == "/r2/say"; });
    REQUIRE(topic != all.topics.end());
    CHECK(topic->count == 14);
    CHECK(topic->publishers == 1);
    CHECK(ask({NodesQuestion::Kind::kWatch, 5, "/r2/say"}).messages.size() == 2);
    CHECK(ask({NodesQuestion::Kind::kUnwatch, 5, ""}).messages.empty());
  }
}

TEST_CASE("parameters of nodes are set in the order of the journal, all of them, before anything else of the tick") {
  for (int fleets : {1, 3}) {
    Gossips factory;
    FleetRig rig(three(), fleets, the_executor, &factory);
    const auto set = [](WorldNumber robot, const char* name, const char* value) {
      return SetParameter{robot, robot == WorldNumber{1} ? "/r1/gossip" : "/r2/gossip", name, value};
    };
    const WorldNumber r1{1}, r2{2};
    while (rig.tick() < 4) rig.step();
    for (auto& [name, story] : factory.stories) story.clear();
    rig.step(std::vector<Input>{set(r2, "speed", "3"), set(r1, "speed", "1"), set(r2, "limit", "2"),
                                set(r2, "speed", "4"), set(r1, "gain", "5"), set(r2, "limit", "1")});

    const auto first = [&](const char* agent, std::size_t n) {
      const auto& story = factory.stories[agent];
      REQUIRE(story.size() >= n);
      return std::vector<std::string>(story.begin(), story.begin() + static_cast<std::ptrdiff_t>(n));
    };
    CHECK(first("r1", 2) == std::vector<std::string>{"1040000000 speed = 1", "1040000000 gain = 5"});
    CHECK(first("r2", 4) == std::vector<std::string>{"1040000000 speed = 3", "1040000000 limit = 2",
                                                     "1040000000 speed = 4", "1040000000 limit = 1"});
  }
}

TEST_CASE("what a lease keeps from a robot's nodes is counted, and its holder's reaches them") {
  Gossips factory;
  FleetRig rig(three(), 1, the_executor, &factory);
  const WorldNumber r2{2};
  while (rig.tick() < 4) rig.step();
  REQUIRE(rig.edit(Lease{{r2}, "ann", Lease::Kind::kTake}));
  factory.stories["r2"].clear();
  SetParameter mine{r2, "/r2/gossip", "speed", "3"}, others = mine;
  mine.holder = "ann", others.value = "9";
  rig.step(std::vector<Input>{others, mine});

  CHECK(factory.stories["r2"].at(0) == "1040000000 speed = 3");
  CHECK(rig.agent(r2)->rule().ignored[0] == 1);
}

}  // namespace software_test
