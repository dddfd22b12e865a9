#include "nodes/benchmark.h"

namespace convoy::nodes::benchmark {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const PlainType<UInt64> kUInt64("std_msgs/msg/UInt64");
const PlainType<TriggerRequest> kRequest("std_srvs/srv/Trigger_Request");
const PlainType<TriggerResponse> kResponse("std_srvs/srv/Trigger_Response");
const ServiceType kTrigger{"std_srvs/srv/Trigger", &kRequest, &kResponse};

constexpr Instant kStart = instant(10'000'000'000);
constexpr Duration kLength = seconds(100);
const QoS kDepth1{.depth = 1};

std::uint64_t data(const Delivery& d) { return static_cast<const UInt64*>(d.message.get())->data; }

std::uint64_t number(std::string_view decimal) {
  std::uint64_t n = 0;
  for (char c : decimal) n = 10 * n + static_cast<std::uint64_t>(c - '0');
  return n;
}

// A node with a state that each callback stirs.
struct Stirred {
  Stirred(Graph& graph, const char* name, std::uint64_t initial)
      : graph(graph), node(*graph.create_node({.name = name})), state(initial) {}

  std::uint64_t stir(std::uint64_t id) {
    ++callbacks;
    state = combine(state, id);
    return state = combine(state, static_cast<std::uint64_t>(nanos(graph.now())));
  }
  std::uint64_t stir(std::uint64_t id, std::uint64_t input) { return stir(id), state = combine(state, input); }

  Owned<Publisher> publisher(const char* topic) {
    return *node->create_publisher({.topic = topic, .type = &kUInt64, .qos = kDepth1});
  }
  Owned<Subscription> subscription(const char* topic, DeliveryCallback callback) {
    return *node->create_subscription(
        {.topic = topic, .type = &kUInt64, .qos = kDepth1, .callback = std::move(callback)});
  }
  Owned<Timer> timer(Duration period, std::function<void()> callback) {
    return node->create_timer({.period = period, .callback = std::move(callback)});
  }

  Graph& graph;
  Owned<Node> node;
  std::uint64_t state;
  std::uint64_t callbacks = 0;
};

void send(const Owned<Publisher>& to, std::uint64_t value) { to->publish(kUInt64.make({value})); }

struct A : Stirred {
  explicit A(Graph& g) : Stirred(g, "a", 55272744) {
    t1 = publisher("t1");
    t2 = publisher("t2");
    a1 = timer(milliseconds(100), [this] { send(t1, stir(11162456753)); });
    a2 = timer(milliseconds(50), [this] { send(t2, stir(11151784617)); });
    t5 = subscription("t5", [this](Delivery& d) { stir(22255799981, data(d)); });
  }
  Owned<Publisher> t1, t2;
  Owned<Timer> a1, a2;
  Owned<Subscription> t5;
};

struct B : Stirred {
  explicit B(Graph& g) : Stirred(g, "b", 34983402) {
    t3 = publisher("t3");
    t5 = publisher("t5");
    t2 = subscription("t2", [this](Delivery& d) { send(t3, stir(22229447589, data(d))); });
    b = timer(milliseconds(40), [this] { send(t5, stir(11111071799)); });
  }
  Owned<Publisher> t3, t5;
  Owned<Subscription> t2;
  Owned<Timer> b;
};

struct C : Stirred {
  explicit C(Graph& g) : Stirred(g, "c", 87997653) {
    t4 = publisher("t4");
    s1 = *node->create_client({.service = "s1", .type = &kTrigger, .callback = [this](Delivery& d) {
                                 stir(44442759714,
                                      number(static_cast<const TriggerResponse*>(d.message.get())->message));
                               }});
    t1 = subscription("t1", [this](Delivery& d) { stir(22295316797, data(d)), s1->call(kRequest.make({})); });
    t3 = subscription("t3", [this](Delivery& d) { send(t4, stir(22227118361, data(d))); });
  }
  Owned<Publisher> t4;
  Owned<Client> s1;
  Owned<Subscription> t1, t3;
};

struct D : Stirred {
  explicit D(Graph& g) : Stirred(g, "d", 11380831) {
    t5 = publisher("t5");
    t4 = subscription("t4", [this](Delivery& d) { send(t5, stir(2227672095, data(d))); });
    s1 = *node->create_service(
        {.service = "s1", .type = &kTrigger, .callback = [this](Delivery& d) {
           s1->respond({d.from, d.index}, kResponse.make({true, std::to_string(stir(33396054244))}));
         }});
  }
  Owned<Publisher> t5;
  Owned<Subscription> t4;
  Owned<Service> s1;
};

struct Monitor {
  explicit Monitor(Graph& g) : node(*g.create_node({.name = "monitor"})) {
    timer = node->create_timer({.period = seconds(1), .callback = [this, &g] {
                                  if (first == kNoInstant) first = g.now();
                                  if (g.now() - first >= kLength) finished = true;
                                }});
  }
  Owned<Node> node;
  Owned<Timer> timer;
  Instant first = kNoInstant;
  bool finished = false;
};

}  // namespace

std::uint64_t splitmix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

std::uint64_t combine(std::uint64_t h1, std::uint64_t h2) {
  constexpr std::uint64_t k = 0x9ddfea08eb382d69;
  std::uint64_t a = (h1 ^ h2) * k;
  a ^= a >> 47;
  std::uint64_t b = (h2 ^ a) * k;
  b ^= b >> 47;
  b *= k;
  return splitmix64(b);
}

struct Benchmark::Nodes {
  explicit Nodes(Graph& g) : a(g), b(g), c(g), d(g), monitor(g) {}
  A a;
  B b;
  C c;
  D d;
  Monitor monitor;
};

Benchmark::Benchmark(TimerOrder order, Start start, std::vector<DelayRule> delays)
    : graph_(std::make_unique<Graph>(GraphOptions{
          .now = start == Start::kOverdue ? instant(0) : kStart, .order = order, .delays = std::move(delays)})),
      nodes_(std::make_unique<Nodes>(*graph_)) {}

Benchmark::~Benchmark() = default;

bool Benchmark::step() {
  if (nodes_->monitor.finished) return false;
  return graph_->run_instant(std::max(graph_->next(), kStart)).has_value();
}

Outcome Benchmark::outcome() const {
  Outcome out{{nodes_->a.state, nodes_->b.state, nodes_->c.state, nodes_->d.state}};
  out.combined = 505510631;
  for (std::uint64_t state : out.states) out.combined = combine(out.combined, state);
  out.callbacks = nodes_->a.callbacks + nodes_->b.callbacks + nodes_->c.callbacks + nodes_->d.callbacks;
  out.digest = graph_->digest();
  return out;
}

Outcome run(TimerOrder order, Start start) {
  Benchmark benchmark(order, start);
  while (benchmark.step()) {}
  return benchmark.outcome();
}

}  // namespace convoy::nodes::benchmark
