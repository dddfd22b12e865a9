// Nodes and callback groups: they make publishers, subscriptions, timers, services and clients, and name them.
#pragma once

#include <string>
#include <vector>

#include "convoy/ids.h"
#include "convoy/result.h"
#include "nodes/name.h"
#include "nodes/parameters.h"
#include "nodes/service.h"
#include "nodes/timer.h"
#include "nodes/topic.h"
#include "nodes/trigger.h"

namespace convoy::nodes {

// Callbacks of one group never run while another of it is suspended in the middle.
class CallbackGroup final : public Entity {
 public:
  enum class Kind : std::uint8_t { kMutuallyExclusive, kReentrant };
  Kind kind() const { return kind_; }
  // While held, what comes waits in order; a program that spins by itself lets go only while it spins.
  void set_held(bool held);
  bool busy() const { return busy_ > 0; }
  bool anything_waits() const { return !parked_.empty() || !parked_timers_.empty(); }

 private:
  friend class Graph;
  friend class Node;
  friend class Stacks;
  friend class Timer;
  CallbackGroup(Graph& graph, Kind kind, Ranks ranks = Ranks::kUser) : Entity(graph, nullptr, ranks), kind_(kind) {}
  void surrender() override;
  // An event, which brings its use along; fresh: it has not waited before.
  void park(Entity& entity, bool fresh);
  void park_timer(Timer& timer);
  void forget_timer(Timer& timer);
  void let_go();  // one reason less to be busy; after the last, what waited is next

  Kind kind_;
  bool held_ = false;
  int busy_ = 0;  // holds, and callbacks of it that are suspended
  Ring<Entity*> parked_;
  std::vector<Timer*> parked_timers_;
};

struct NodeSpec {
  std::string name;
  std::string space = "/";
  std::vector<Remap> remaps;  // those that hold for this node, in the order in which they are tried
  // Delayed messages that are due together go by the origin of their publisher first: nodes that could run in another
  // agent have that agent's number here, and the order is the same where they run.
  WorldNumber origin;
  Ranks ranks = Ranks::kUser;
};

class Node final : public Entity {
 public:
  const std::string& name() const { return spec_.name; }
  const std::string& space() const { return spec_.space; }
  const std::string& full_name() const { return full_name_; }
  WorldNumber origin() const { return spec_.origin; }
  CallbackGroup& default_group() const { return *default_group_; }
  ParameterStore& parameters() { return parameters_; }

  Result<std::string> resolve(std::string_view name, NameOf kind) const;
  Owned<CallbackGroup> create_group(CallbackGroup::Kind kind);
  Result<Owned<Publisher>> create_publisher(const PublisherSpec& spec);
  Result<Owned<Subscription>> create_subscription(SubscriptionSpec spec);
  Result<Owned<Service>> create_service(ServiceSpec spec);
  Result<Owned<Client>> create_client(ServiceSpec spec);
  Owned<Timer> create_timer(TimerSpec spec);
  Owned<Trigger> create_trigger(std::function<void()> callback, CallbackGroup* group = nullptr);

  // What its entities do for as long as they live.
  void hold_node();
  void release_node();

 private:
  friend class Graph;
  Node(Graph& graph, NodeSpec spec);
  ~Node() override;
  void detach() override;

  NodeSpec spec_;
  std::string full_name_;
  Owned<CallbackGroup> default_group_;
  ParameterStore parameters_;
};

}  // namespace convoy::nodes
