#include "nodes/node.h"

#include <algorithm>

#include "nodes/graph.h"

namespace convoy::nodes {

void CallbackGroup::surrender() {
  while (!parked_.empty()) graph()->released_.push_back(parked_.pop_front());
}

void CallbackGroup::set_held(bool held) {
  if (held == held_ || !graph()) return;
  held_ = held;
  if (held) ++busy_;
  else let_go();
}

void CallbackGroup::park(Entity& entity, bool fresh) {
  if (!entity.may_wait()) return entity.release();
  parked_.push_back(&entity);
  if (fresh) graph()->parked();
}

void CallbackGroup::park_timer(Timer& timer) {
  parked_timers_.push_back(&timer);
  if (std::exchange(timer.parked_due_, timer.due_) != timer.due_) graph()->parked();
}

void CallbackGroup::forget_timer(Timer& timer) { std::erase(parked_timers_, &timer); }

void CallbackGroup::let_go() {
  if (--busy_ > 0) return;
  while (!parked_.empty()) {
    Entity* entity = parked_.pop_front();
    entity->waits_no_more();
    graph()->released_.push_back(entity);
  }
  for (Timer* timer : parked_timers_) graph()->arm_timer(*timer);
  parked_timers_.clear();
}

Node::Node(Graph& graph, NodeSpec spec)
    : Entity(graph, nullptr, spec.ranks),
      spec_(std::move(spec)),
      full_name_(full_node_name({spec_.name, spec_.space})),
      default_group_(new CallbackGroup(graph, CallbackGroup::Kind::kMutuallyExclusive, spec_.ranks)) {}

Node::~Node() = default;

void Node::detach() {
  std::erase(graph()->nodes_, this);
  graph()->note_change(*this);
}

void Node::hold_node() { hold(); }
void Node::release_node() { release(); }

Result<std::string> Node::resolve(std::string_view name, NameOf kind) const {
  return nodes::resolve(name, kind, {spec_.name, spec_.space}, spec_.remaps);
}

Owned<CallbackGroup> Node::create_group(CallbackGroup::Kind kind) {
  EXPECTS(graph());
  entered("create_callback_group() of", full_name_);
  return Owned<CallbackGroup>(new CallbackGroup(*graph(), kind));
}

Result<Owned<Publisher>> Node::create_publisher(const PublisherSpec& spec) {
  EXPECTS(graph() && spec.type);
  entered("create_publisher() on", spec.topic);
  const auto name = resolve(spec.topic, NameOf::kTopic);
  if (!name) return tl::unexpected(name.error());
  const auto topic = graph()->topic(*name, *spec.type);
  if (!topic) return tl::unexpected(topic.error());
  return Owned<Publisher>(new Publisher(*graph(), *this, **topic, spec));
}

Result<Owned<Subscription>> Node::create_subscription(SubscriptionSpec spec) {
  EXPECTS(graph() && spec.type && spec.callback);
  entered("create_subscription() on", spec.topic);
  const auto name = resolve(spec.topic, NameOf::kTopic);
  if (!name) return tl::unexpected(name.error());
  const auto topic = graph()->topic(*name, *spec.type);
  if (!topic) return tl::unexpected(topic.error());
  return Owned<Subscription>(new Subscription(*graph(), *this, **topic, std::move(spec)));
}

Result<Owned<Service>> Node::create_service(ServiceSpec spec) {
  EXPECTS(graph() && spec.type && spec.callback);
  entered("create_service() on", spec.service);
  const auto name = resolve(spec.service, NameOf::kService);
  if (!name) return tl::unexpected(name.error());
  const auto service = graph()->service(*name, *spec.type);
  if (!service) return tl::unexpected(service.error());
  return Owned<Service>(new Service(*graph(), *this, **service, std::move(spec)));
}

Result<Owned<Client>> Node::create_client(ServiceSpec spec) {
  EXPECTS(graph() && spec.type && spec.callback);
  entered("create_client() on", spec.service);
  const auto name = resolve(spec.service, NameOf::kService);
  if (!name) return tl::unexpected(name.error());
  const auto service = graph()->service(*name, *spec.type);
  if (!service) return tl::unexpected(service.error());
  return Owned<Client>(new Client(*graph(), *this, **service, std::move(spec)));
}

Owned<Timer> Node::create_timer(TimerSpec spec) {
  EXPECTS(graph() && spec.callback && spec.period >= Duration(0));
  entered("create_timer() of", full_name_);
  return Owned<Timer>(new Timer(*graph(), *this, std::move(spec)));
}

Owned<Trigger> Node::create_trigger(std::function<void()> callback, CallbackGroup* group) {
  EXPECTS(graph() && callback);
  entered("a trigger of", full_name_);
  return Owned<Trigger>(new Trigger(*graph(), group ? *group : default_group(), std::move(callback)));
}

}  // namespace convoy::nodes
