#include "testing/chatter.h"

#include <utility>

#include "core/hash.h"
#include "core/random.h"
#include "nodes/plain_type.h"

namespace convoy::testing {

namespace {

struct Remark {
  std::string text;
};
template <class V, MaybeConst<Remark> T>
void fields(V& v, T& m) {
  v("text", m.text);
}
const nodes::PlainType<Remark> kRemark(kRemarkType);
const nodes::ServiceType kAsk{kAskType, &kRemark, &kRemark};
const std::string& text(const nodes::Delivery& d) { return static_cast<const Remark*>(d.message.get())->text; }

constexpr std::size_t kLarge = 100'000;  // bytes; more than one message between agents may have

class Chatter final : public Software {
 public:
  Chatter(const SoftwareSpec& spec, Stories& stories, nodes::Execution* stacks, nodes::Execution* threads)
      : graph_({.now = spec.now + spec.setup.nodes.start,
                .agent = spec.entity.number.value(),
                .origin = spec.entity.number,
                .digest_messages = true,
                .execution = stacks}),
        random_{stream_key(spec.setup.seed, spec.entity.number.value(), "chatter"), 0},
        will_{stream_key(spec.setup.seed, spec.entity.number.value(), "edits"), 0},
        edits_(!spec.entity.kind->edits.empty()),
        name_(spec.entity.name),
        drives_(spec.model.drive != Drive::kNone),
        stories_(stories),
        heard_(stories.heard[name_]) {
    node_ = *graph_.create_node({.name = "chatter", .space = "/" + name_});
    for (std::uint64_t n = 1 + random_.below(2); n > 0; --n) {
      const bool latched = random_.below(4) == 0;
      speaks_.push_back(
          *node_->create_publisher({.topic = topic(), .type = &kRemark, .qos = {.transient_local = latched}}));
      if (latched) speaks_.back()->publish(kRemark.make({"first words of " + name_}));
    }
    for (std::uint64_t n = random_.below(4); n > 0; --n) subscribe();
    if (random_.below(2) == 0) {
      serves_ =
          *node_->create_service({.service = "/ask" + std::to_string(random_.below(kServices)),
                                  .type = &kAsk,
                                  .callback = [this](nodes::Delivery& d) {
                                    note(d, "asked ");
                                    serves_->respond({d.from, d.index}, kRemark.make({name_ + " answers " + text(d)}));
                                  }});
    }
    asks_ = *node_->create_client({.service = "/ask" + std::to_string(random_.below(kServices)),
                                   .type = &kAsk,
                                   .callback = [this](nodes::Delivery& d) {
                                     ++stories_.answers;
                                     note(d, "answer ");
                                   }});
    for (std::uint64_t n = 1 + random_.below(2); n > 0; --n)
      timers_.push_back(node_->create_timer(
          {.period = std::chrono::milliseconds(3 + random_.below(60)), .callback = [this] { speak(); }}));
    if (threads && spec.entity.number.value() % 2 == 0)
      for (std::size_t i = 0; i < 2; ++i) start_thread(*threads, i);
  }
  ~Chatter() override { graph_.shutdown(); }

  nodes::Graph& graph() override { return graph_; }
  const nodes::Graph& graph() const override { return graph_; }
  Instant next() const override { return graph_.next(); }
  Status run(Instant t, const Readings* readings) override {
    if (readings && readings->odometry) hear("odometry " + std::to_string(readings->state.pose.p.x));
    return graph_.run_instant(t);
  }
  std::optional<Twist> take_command() override { return std::exchange(command_, std::nullopt); }
  std::vector<EditRequest> take_edit_requests() override { return std::exchange(requests_, {}); }
  void edited(const EditReply& reply) override {
    ++(reply.error == 0 ? stories_.edits : stories_.refusals);
    hear("edit " + std::to_string(reply.id) + " " + std::to_string(reply.number.value()) + reply.name + reply.text);
  }
  std::string text_of(const nodes::Delivery& d) const override { return text(d); }
  Result<Bytes> encode(const nodes::MessageType&, const std::string& yaml) const override { return save(Remark{yaml}); }
  Status set_parameter(const std::string& node, const std::string& name, const std::string& value) override {
    ++stories_.parameters;
    hear(node + " " + name + " = " + value);
    return {};
  }

 private:
  // Sleeps, waits for a sign of the other one, lets it go first, speaks.
  void start_thread(nodes::Execution& threads, std::size_t i) {
    auto strand = threads.make([this, i] {
      for (;;) {
        ++stories_.turns;
        nodes::Stacks& stacks = graph_.stacks();
        const Instant later = graph_.now() + std::chrono::milliseconds(1 + random_.below(40));
        switch (random_.below(4)) {
          case 0: stacks.sleep_until(later); break;
          case 1: hear(stacks.sleep_until(later, &signs_[i]) ? "thread had a sign" : "thread had none"); break;
          case 2: stacks.pass(), stacks.yield(), stacks.sleep_until(later); break;
          default: signs_[1 - i].open(), speak(), stacks.sleep_until(later);
        }
      }
    });
    graph_.stacks().add_task(std::move(strand));
  }
  std::string topic() { return "/talk" + std::to_string(random_.below(kTopics)); }
  void hear(const std::string& what) {
    ++stories_.events;
    heard_ = chain(chain(heard_, static_cast<std::uint64_t>(nanos(graph_.now()))), hash64(as_bytes(what)));
  }
  void note(const nodes::Delivery& d, const std::string& how) {
    stories_.from_others += text(d).compare(0, name_.size() + 1, name_ + " ") != 0;
    stories_.large += text(d).size() > kLarge;
    stories_.outside += text(d).starts_with(kFromOutside);
    hear(how + std::to_string(nanos(d.published)) + " " + text(d));
  }
  void subscribe() {
    const bool latched = random_.below(4) == 0;
    listens_.push_back(*node_->create_subscription({.topic = topic(),
                                                    .type = &kRemark,
                                                    .qos = {.transient_local = latched},
                                                    .callback = [this](nodes::Delivery& d) { note(d, "heard "); }}));
  }
  // Anything may be refused: it may not ask for all, and others change what it has made.
  void ask() {
    EditRequest request{.kind = static_cast<EditKind>(will_.below(kEditKinds)), .id = ++asked_};
    const double x = will_.uniform(-1, 1), y = will_.uniform(-1, 1);
    request.entity = will_.below(6) == 0 ? kAsker : made_;
    switch (request.kind) {
      case EditKind::kSpawn:
        request.entity = made_ = name_ + "_" + std::to_string(asked_);
        request.model = "box";
        request.frame = kAsker, request.pose = Pose{{x, y, 0}, {}};
        break;
      case EditKind::kSet:
        request.frame = kAsker, request.pose = Pose{{x, y, 0}, {}};
        if (will_.below(2) == 0) request.twist = Twist{{0.1 * x, 0, 0}, {0, 0, y}};
        break;
      case EditKind::kAttach: request.parent = will_.below(4) == 0 ? made_ : kAsker; break;
      case EditKind::kDelete:
        if (request.entity == kAsker) request.entity = made_;  // it goes on
        break;
      case EditKind::kDetach: break;
    }
    requests_.push_back(std::move(request));
  }
  void speak() {
    if (edits_ && will_.below(5) == 0) ask();
    std::string words = name_ + " " + std::to_string(++spoken_);
    if (random_.below(40) == 0) words += std::string(2 * kLarge, 'x');
    speaks_[random_.below(speaks_.size())]->publish(kRemark.make({std::move(words)}));
    if (random_.below(3) == 0 && asks_->service_is_ready()) asks_->call(kRemark.make({std::to_string(spoken_)}));
    if (drives_ && random_.below(6) == 0) {
      const double forward = random_.uniform(-0.2, 0.5), turn = random_.uniform(-1, 1);
      command_ = Twist{{forward, 0, 0}, {0, 0, turn}};
    }
    if (random_.below(12) == 0) {  // interfaces come and go
      if (listens_.size() > 2) listens_.erase(listens_.begin());
      else subscribe();
    }
  }

  nodes::Graph graph_;
  Random random_, will_;  // what it says; how it changes the world
  bool edits_;
  std::string name_;
  bool drives_;
  Stories& stories_;
  std::uint64_t& heard_;
  nodes::Owned<nodes::Node> node_;
  std::vector<nodes::Owned<nodes::Publisher>> speaks_;
  std::vector<nodes::Owned<nodes::Subscription>> listens_;
  nodes::Owned<nodes::Service> serves_;
  nodes::Owned<nodes::Client> asks_;
  std::vector<nodes::Owned<nodes::Timer>> timers_;
  nodes::Gate signs_[2] = {nodes::Gate(graph_), nodes::Gate(graph_)};
  int spoken_ = 0;
  std::uint32_t asked_ = 0;
  std::string made_ = "nothing";  // the newest that it asked for
  std::vector<EditRequest> requests_;
  std::optional<Twist> command_;
};

}  // namespace

Bytes remark(const std::string& text) { return save(Remark{text}); }

Result<std::unique_ptr<Software>> Chatters::make(const SoftwareSpec& spec) {
  return std::make_unique<Chatter>(spec, stories_, stacks_, threads_);
}

}  // namespace convoy::testing
