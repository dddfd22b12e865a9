// One agent's nodes, advanced by simulated time in one written order (docs/nodes.md).
//
//   Graph graph({.now = instant(0)});
//   auto node = *graph.create_node({.name = "talker"});
//   auto out = *node->create_publisher({.topic = "chatter", .type = &kString});
//   auto timer = node->create_timer({.period = 100ms, .callback = [&] { out->publish(kString.make({"hello"})); }});
//   while (graph.next() <= end) graph.run_instant(graph.next());
//
// Single-threaded. A process may have any number of graphs; they share nothing.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/ports.h"
#include "nodes/blocking.h"
#include "nodes/node.h"
#include "nodes/remote.h"
#include "nodes/trail.h"

namespace convoy::nodes {

// Beyond a bound the graph stops, with an error that names the cycle of publishers.
struct Bounds {
  std::uint32_t levels = 10'000;       // events that follow from each other within one instant, without time passing
  std::uint64_t events = 100'000'000;  // callbacks within one instant
  std::size_t delayed = 1'000'000;     // messages that wait for their instant
};

struct GraphOptions {
  Instant now{};  // the clock while nodes are built. Earlier than the first instant that runs: timers start overdue
  TimerOrder order = TimerOrder::kStable;
  std::uint64_t seed = 1;
  std::uint64_t agent = 0;       // the agent's world number: with names it makes the random streams
  WorldNumber origin;            // of nodes that are given none
  bool digest_messages = false;  // the bytes of messages count too
  Bounds bounds;
  std::vector<DelayRule> delays;
  Log* log = nullptr;              // for warnings; none: they are dropped
  Execution* execution = nullptr;  // none: callbacks cannot block
  // Called first by what nodes call: "publish() on", "/scan". It need not return.
  void (*entered)(const char* call, std::string_view name) = nullptr;
  std::function<void()> on_stack;   // called first on each stack that the execution makes
  std::function<void()> on_parked;  // an event or a timer begins to wait because its group is busy or held
};

// This many levels before the bound the graph starts to record who triggers whom, so that the error can name the cycle.
inline constexpr std::uint32_t kWatchedLevels = 64;

// A topic that nodes of a graph subscribe to, or a service that they offer.
struct GraphInterface {
  bool service = false;
  std::string name, type;
};

class Graph {
 public:
  explicit Graph(GraphOptions options);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  Result<Owned<Node>> create_node(NodeSpec spec);
  // The origin of nodes that are made from now on, and are given none.
  void set_origin(WorldNumber origin) { options_.origin = origin; }

  // --- time
  Instant now() const { return now_; }
  // The earliest instant at which something happens by itself: now when events wait, kNoInstant when nothing ever will.
  Instant next() const;
  // begin_instant() and finish_instant().
  Status run_instant(Instant t);
  // Moves the clock, and lets delayed messages in that are due. Then samples of the world may be published.
  void begin_instant(Instant t);
  // Events in order, then one timer, and again, until nothing is left at this instant.
  Status finish_instant();
  // Unwinds callbacks that are suspended. To be called while what they use is still there; nothing runs after it.
  void shutdown();

  // --- blocking
  // Suspends callbacks, and has tasks beside them.
  Stacks& stacks() { return stacks_; }
  const Stacks& stacks() const { return stacks_; }
  const Entity* running() const { return running_; }  // whose callback runs; null: nobody's
  // Ends everything with this error: for a callback that cannot go on.
  void stop(Error error);
  const std::optional<Error>& failure() const { return failure_; }

  // --- what happened
  std::uint64_t digest() const { return trail_.digest(); }
  std::uint64_t callbacks() const { return callbacks_; }    // subscriptions, services, clients, triggers and timers
  std::uint64_t published() const;                          // messages on topics
  std::uint64_t lost_calls() const { return lost_calls_; }  // requests without a server

  // --- for people
  const std::map<std::string, std::unique_ptr<Topic>, std::less<>>& topics() const { return topics_; }
  const std::map<std::string, std::unique_ptr<ServiceName>, std::less<>>& services() const { return services_; }
  const std::vector<Node*>& nodes() const { return nodes_; }  // users', in order of creation
  // Subscribes to a topic that exists, until the graph ends.
  Status tap(std::string_view topic, Tap tap);
  // The watch is called for each topic that exists and each that is made from now on; it may tap them.
  void watch_topics(TopicWatch watch);
  // Counts changes of the graph: nodes, users' publishers, subscriptions, services and clients, and interfaces of other
  // agents.
  std::uint64_t changes() const { return changes_; }
  void warn(const std::string& text) const;
  // Rules that no publisher, link or service has asked for so far.
  std::vector<const DelayRule*> unused_delays() const { return delays_.unused(); }

  // --- other agents
  // Sets the other agents; call it again after each change. `outside` outlives the graph, or is replaced by null
  // before.
  void set_outside(const Outside* outside);
  // The agents that began together with this graph are known now: messages published before are sent to them.
  void startup_over();
  std::vector<RemoteMessage> take_outgoing() { return std::exchange(outgoing_, {}); }
  // A message from the agent `origin`, handed in by (sender's number, index). It is delivered when its own delay is
  // over, or at `arrival` where no rule applies; at once if that is past.
  Status incoming(const RemoteMessage& message, WorldNumber origin, Instant arrival);
  // By which others may reach this graph, by name; the version changes with them.
  std::vector<GraphInterface> interfaces() const;
  std::uint64_t interfaces_version() const { return interfaces_version_; }

 private:
  friend class CallbackGroup;
  friend class Client;
  friend class Entity;
  friend class Node;
  friend class Publisher;
  friend class Receiver;
  friend class Service;
  friend class Stacks;
  friend class Subscription;
  friend class Timer;
  friend class Topic;
  friend class Trigger;

  // A message that waits for its instant: for one receiver, or for all that its publisher reaches then.
  struct Delayed {
    Instant due;
    WorldNumber origin;
    std::uint64_t sequence;  // insertion order
    Topic* topic = nullptr;
    Publisher* publisher = nullptr;  // held; null: from elsewhere
    Receiver* receiver = nullptr;    // held; null: all
    RemotePublisher* remote = nullptr;
    Delivery delivery;
  };
  // Gives back an entity's use, even when its callback is unwound.
  struct Use {
    Entity& entity;
    explicit Use(Entity& e) : entity(e) {}
    ~Use() { entity.release(); }
  };
  static bool later(const std::unique_ptr<Delayed>& a, const std::unique_ptr<Delayed>& b);

  void enqueue(Entity& entity) {
    if (watching_) [[unlikely]]
      watch(entity);
    entity.hold();
    queue_.push_back(&entity);
  }
  void delay(Duration by, Topic* topic, Publisher* publisher, Receiver* receiver, WorldNumber origin,
             Delivery delivery);
  void push_delayed(std::unique_ptr<Delayed> delayed);
  void deliver_due();

  void drain();
  void parked() {
    if (options_.on_parked) options_.on_parked();
  }
  void note_change(const Entity& entity) { changes_ += entity.rank() < kFirstSystemRank; }
  bool run_event();
  bool run_timer();
  void call(Entity& entity);
  // The bound on levels is near: from now on it is recorded which event causes which. True when it is passed.
  bool near_bound();
  void watch(const Entity& next);
  void arm_timer(Timer& timer);
  void drop_timer(Timer& timer);

  Result<Topic*> topic(const std::string& name, const MessageType& type);
  Result<ServiceName*> service(const std::string& name, const ServiceType& type);
  void note_published(std::uint64_t key, std::uint32_t rank, std::uint64_t index, const MessageType& type,
                      const void* message) {
    trail_.note(key, static_cast<std::uint64_t>(nanos(now_)), rank, index);
    if (options_.digest_messages) [[unlikely]]
      note_bytes(type, message);
  }
  void note_bytes(const MessageType& type, const void* message);

  // To all who subscribe to the topic, or one of them.
  void send_away(const Publisher& publisher, const Delivery& delivery, Duration delay, WorldNumber to = kNoEntity);
  RemoteMessage remote_message(const Publisher& publisher, const Delivery& delivery, Duration delay, WorldNumber to);
  Status kept_comes_in(RemotePublisher& publisher, Delivery delivery, Instant due);
  static void keep(RemotePublisher& publisher, Delivery& delivery);
  void call_away(const Client& client, std::uint64_t index, const MessageValue& request, Duration delay);
  bool answer_away(const Service& service, const CallId& call, const MessageValue& response, Duration delay);
  void update_subscribers(Topic& topic);
  bool goes_away(const Topic& topic) const {
    return !topic.remote_subscribers_.empty() || (startup_ == Startup::kGathering && goes_outside(topic.name_));
  }
  Status call_comes_in(const RemoteMessage& message, WorldNumber origin, Instant due);
  RemotePublisher& remote_publisher(Topic& topic, const RemoteMessage& message, WorldNumber origin);
  void connect(RemotePublisher& publisher, Subscription& subscription);
  void disconnect(Topic& topic, Subscription& subscription);
  void arrive(RemotePublisher& publisher, Delivery delivery);

  GraphOptions options_;
  Instant now_;
  DelayBook delays_;
  Trail trail_;
  std::uint64_t callbacks_ = 0;
  std::uint64_t lost_calls_ = 0;
  std::optional<Error> failure_;

  Ring<Entity*> queue_;
  Ring<Entity*> released_;  // events of groups that were busy: before everything in the queue
  TimerQueue timers_;
  std::vector<std::unique_ptr<Delayed>> delayed_;  // a heap by (due, origin, sequence)
  std::uint64_t next_sequence_ = 0;
  std::uint64_t next_timer_ = 0;
  std::array<std::uint32_t, 3> next_rank_{0, kFirstSystemRank, kFirstSilentRank};  // by Ranks

  std::uint64_t events_ = 0;    // in this instant
  std::size_t level_left_ = 0;  // events of this level that are still in the queue
  std::uint32_t level_ = 0;
  bool watching_ = false;  // near the bound: which message causes which is recorded
  std::vector<std::pair<std::string, std::string>> watched_edges_;

  Entity* running_ = nullptr;  // whose callback runs
  Stacks stacks_;

  std::map<std::string, std::unique_ptr<Topic>, std::less<>> topics_;
  std::map<std::string, std::unique_ptr<ServiceName>, std::less<>> services_;
  std::vector<TopicWatch> topic_watches_;
  std::vector<Node*> nodes_;
  const Outside* outside_ = nullptr;
  std::vector<RemoteMessage> outgoing_;
  // In its first tick it does not know which agents began together with it, and keeps what they would have received.
  struct Early {
    RemoteMessage message;
    std::vector<WorldNumber> received_by;
  };
  enum class Startup : std::uint8_t { kAlone, kGathering, kDone } startup_ = Startup::kAlone;
  std::vector<Early> early_;
  struct RemoteClient {
    WorldNumber agent;
    std::uint32_t rank;
    friend bool operator==(const RemoteClient&, const RemoteClient&) = default;
  };
  std::vector<RemoteClient> remote_clients_;  // clients that have called from outside
  std::uint64_t interfaces_version_ = 1;
  std::uint64_t changes_ = 0;
  Entity* entities_ = nullptr;  // all that live
  Bytes scratch_;
};

}  // namespace convoy::nodes
