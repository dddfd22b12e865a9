// Callbacks of a node graph, one kind at a time, beside a loop of std::priority_queue and std::function that does no more
// than call them in order of time.
//
//   bench_nodes [--callbacks N]     one JSON object: nanoseconds of CPU time for one callback of each kind
//
// The digest is on: it cannot be turned off.
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <queue>

#include "nodes/benchmark.h"
#include "os/fibres.h"

using namespace convoy;
using namespace convoy::nodes;

namespace {

using Number = benchmark::UInt64;
const PlainType<Number> kNumber("std_msgs/msg/UInt64");
const ServiceType kAsk{"ask", &kNumber, &kNumber};
const Duration kPeriod = std::chrono::microseconds(100);

std::uint64_t sink = 0;
std::uint64_t number(const Delivery& d) { return static_cast<const Number*>(d.message.get())->data; }

// Nanoseconds of CPU time for one of `count` things that `work` does, the least of three.
template <class F>
double each(std::uint64_t count, F work) {
  double least = 1e300;
  for (int i = 0; i < 3; ++i) {
    const std::clock_t begin = std::clock();
    work();
    least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC * 1e9);
  }
  return least / static_cast<double>(count);
}

// Runs a graph until it has called back so often.
void run(Graph& graph, std::uint64_t callbacks) {
  while (graph.callbacks() < callbacks)
    if (!graph.run_instant(graph.next())) std::abort();
}

// What the loop of a graph costs at least: time order, a call through std::function.
double plain_timers(std::uint64_t n) {
  struct Due {
    std::int64_t at;
    std::size_t index;
    bool operator<(const Due& other) const { return at != other.at ? at > other.at : index > other.index; }
  };
  return each(n, [n] {
    std::priority_queue<Due> queue;
    std::vector<std::function<void()>> calls;
    for (std::size_t i = 0; i < 10; ++i) calls.push_back([i] { sink += i; }), queue.push({0, i});
    for (std::uint64_t k = 0; k < n; ++k) {
      const Due due = queue.top();
      queue.pop();
      queue.push({due.at + 100, due.index});
      calls[due.index]();
    }
  });
}

// The least for a message: an object made anew, and a queue of std::function.
double plain_messages(std::uint64_t n) {
  return each(n, [n] {
    std::deque<std::function<void()>> queue;
    std::uint64_t left = n;
    std::function<void(std::shared_ptr<const Number>)> heard = [&](const std::shared_ptr<const Number>& m) {
      sink += m->data;
      if (--left > 0) queue.push_back([&heard, next = std::make_shared<const Number>(Number{left})] { heard(next); });
    };
    queue.push_back([&] { heard(std::make_shared<const Number>()); });
    while (!queue.empty()) {
      const auto call = std::move(queue.front());
      queue.pop_front();
      call();
    }
  });
}

double timers(std::uint64_t n, Execution* execution) {
  return each(n, [=] {
    Graph graph({.execution = execution});
    auto node = *graph.create_node({.name = "a"});
    std::vector<Owned<Timer>> timers;
    for (std::uint64_t i = 0; i < 10; ++i)
      timers.push_back(node->create_timer({.period = kPeriod, .callback = [i] { sink += i; }}));
    run(graph, n);
  });
}

// A message that goes round between two nodes, a hundred times an instant.
double messages(std::uint64_t n, bool owns, std::vector<DelayRule> delays = {}) {
  return each(n, [&] {
    Graph graph({.delays = delays});
    auto a = *graph.create_node({.name = "a"}), b = *graph.create_node({.name = "b"});
    auto ping = *a->create_publisher({.topic = "ping", .type = &kNumber});
    auto pong = *b->create_publisher({.topic = "pong", .type = &kNumber});
    const auto on = [&](Publisher* next) {
      return [next](Delivery& d) {
        sink += number(d);
        if (number(d) > 0) next->publish(kNumber.make({number(d) - 1}));
      };
    };
    auto to_b = *b->create_subscription(
        {.topic = "ping", .type = &kNumber, .takes_ownership = owns, .callback = on(pong.get())});
    auto to_a = *a->create_subscription(
        {.topic = "pong", .type = &kNumber, .takes_ownership = owns, .callback = on(ping.get())});
    auto timer = a->create_timer({.period = kPeriod, .callback = [&] { ping->publish(kNumber.make({100})); }});
    run(graph, n);
  });
}

double fan_out(std::uint64_t n) {
  return each(n, [=] {
    Graph graph({});
    auto node = *graph.create_node({.name = "a"});
    auto out = *node->create_publisher({.topic = "t", .type = &kNumber});
    std::vector<Owned<Subscription>> in;
    for (int i = 0; i < 10; ++i)
      in.push_back(*node->create_subscription(
          {.topic = "t", .type = &kNumber, .callback = [](Delivery& d) { sink += number(d); }}));
    auto timer = node->create_timer({.period = kPeriod, .callback = [&] { out->publish(kNumber.make({1})); }});
    run(graph, n);
  });
}

// One round trip is two callbacks: the request at the server, the response at the client.
double services(std::uint64_t n) {
  return each(n / 2, [=] {
    Graph graph({});
    auto node = *graph.create_node({.name = "a"});
    Owned<Service> server;
    server = *node->create_service({.service = "s", .type = &kAsk, .callback = [&](Delivery& d) {
                                      server->respond({d.from, d.index}, kNumber.make({number(d)}));
                                    }});
    Owned<Client> client;
    client = *node->create_client({.service = "s", .type = &kAsk, .callback = [&](Delivery& d) {
                                     if (number(d) > 0) client->call(kNumber.make({number(d) - 1}));
                                   }});
    auto timer = node->create_timer({.period = kPeriod, .callback = [&] { client->call(kNumber.make({100})); }});
    run(graph, n);
  });
}

// A callback that blocks: it begins, is suspended, goes on.
double sleeps(std::uint64_t n) {
  return each(n, [=] {
    os::Fibres fibres;
    Graph graph({.execution = &fibres});
    auto node = *graph.create_node({.name = "a"});
    auto timer = node->create_timer(
        {.period = kPeriod, .callback = [&] { graph.stacks().sleep_until(graph.now() + kPeriod / 2); }});
    run(graph, n);
    graph.shutdown();
  });
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t n = 5'000'000;
  for (int i = 1; i + 1 < argc; i += 2)
    if (!std::strcmp(argv[i], "--callbacks")) n = static_cast<std::uint64_t>(std::atoll(argv[i + 1]));
  const std::vector<DelayRule> late{{.name = "/ping", .delay = {.low = std::chrono::microseconds(1)}},
                                    {.name = "/pong", .delay = {.low = std::chrono::microseconds(1)}}};
  os::Fibres fibres;
  fmt::print(
      "{{\"plain_timer\": {:.2f}, \"plain_message\": {:.2f}, \"timer\": {:.2f}, \"timer_fibres\": {:.2f}, "
      "\"message\": {:.2f}, \"message_owned\": {:.2f}, \"fan_out\": {:.2f}, \"delayed\": {:.2f}, "
      "\"service\": {:.2f}, \"sleep\": {:.2f}, \"benchmark\": {:.2f}, \"sink\": {}}}\n",
      plain_timers(n), plain_messages(n), timers(n, nullptr), timers(n, &fibres), messages(n, false), messages(n, true),
      fan_out(n), messages(n, false, late), services(n), sleeps(n / 10),
      each(19011 * 50,
           [] {
             for (int i = 0; i < 50; ++i)
               sink += benchmark::run(TimerOrder::kRslcpp, benchmark::Start::kOverdue).combined;
           }),
      sink % 10);
}
