// Guard conditions, wait sets, changes of the graph, and what is taken instead of awaited.
#include <algorithm>

#include "rclcpp/executors.hpp"
#include "rclcpp/node.hpp"
#include "rclcpp/wait_set.hpp"
#include "waitables.hpp"

// --- rcl's arrays

namespace {

template <class T>
rcl_ret_t add(rcl_wait_set_t* set, std::vector<const T*> rcl_wait_set_impl_t::*all, const T** rcl_wait_set_t::*first,
              std::size_t rcl_wait_set_t::*size, const T* one, std::size_t* index) {
  if (!set || !set->impl || !one) return RCL_RET_INVALID_ARGUMENT;
  auto& to = set->impl->*all;
  if (index) *index = to.size();
  to.push_back(one);
  set->*first = to.data(), set->*size = to.size();
  return RCL_RET_OK;
}

}  // namespace

#define CONVOY_ADD(name, many)                                                                                       \
  rcl_ret_t rcl_wait_set_add_##name(rcl_wait_set_t* set, const rcl_##name##_t* one, std::size_t* index) {            \
    return add(set, &rcl_wait_set_impl_t::many, &rcl_wait_set_t::many, &rcl_wait_set_t::size_of_##many, one, index); \
  }
CONVOY_ADD(subscription, subscriptions)
CONVOY_ADD(guard_condition, guard_conditions)
CONVOY_ADD(timer, timers)
CONVOY_ADD(client, clients)
CONVOY_ADD(service, services)
CONVOY_ADD(event, events)
#undef CONVOY_ADD

namespace convoy::ros {

void WaitArrays::clear() {
  arrays_ = {};
  set_ = {};
  set_.impl = &arrays_;
}

bool WaitArrays::empty() const {
  return arrays_.subscriptions.empty() && arrays_.guard_conditions.empty() && arrays_.timers.empty() &&
         arrays_.clients.empty() && arrays_.services.empty() && arrays_.events.empty();
}

bool WaitArrays::keep_others(bool any) {
  const auto waits = [](const auto* one) { return one && one->receiver && one->receiver->waiting() > 0; };
  for (auto& one : arrays_.subscriptions) keep(one, waits(one), any);
  for (auto& one : arrays_.clients) keep(one, waits(one), any);
  for (auto& one : arrays_.services) keep(one, waits(one), any);
  for (auto& one : arrays_.timers) {
    const nodes::Timer* timer = one ? one->timer : nullptr;
    keep(one, timer && timer->graph() && timer->due() <= timer->graph()->now(), any);
  }
  for (auto& one : arrays_.events) keep(one, false, any);
  return any;
}

}  // namespace convoy::ros

namespace rclcpp {

namespace kernel = convoy::nodes;
using convoy::ros::Simulation;

// --- guard conditions

GuardCondition::GuardCondition(const Context::SharedPtr& context) : context_(context) {
  if (!context) throw std::invalid_argument("context argument unexpectedly nullptr");
}

void GuardCondition::trigger() {
  convoy::ros::in_order("a guard condition");
  if (on_trigger_) on_trigger_(1);
  else ++untaken_;
  handle_.triggered = true;
  // At the end of the callback that runs, if one does.
  Simulation* simulation = Simulation::current();
  if (simulation && !simulation->watched().running()) simulation->find_topics_again();
}

void GuardCondition::add_to_wait_set(rcl_wait_set_t& wait_set) {
  detail::add_guard_condition_to_rcl_wait_set(wait_set, *this);
}

void GuardCondition::set_on_trigger_callback(std::function<void(std::size_t)> callback) {
  on_trigger_ = std::move(callback);
  if (on_trigger_ && untaken_ > 0) on_trigger_(std::exchange(untaken_, 0));
}

// --- wait sets

namespace detail {

WaitSetBase::~WaitSetBase() {
  const auto let_go = [](const auto& entities) {
    for (const auto& entity : entities)
      if (const auto one = entity.weak.lock(); one && entity.claimed) exchange_in_use(*one, false);
  };
  std::apply([&](const auto&... all) { (let_go(all), ...); }, all_);
}

void WaitSetBase::wait_result_acquire() {
  if (holding_) throw std::runtime_error("wait_result_acquire() called while already holding");
  holding_ = true, dirty_ = false;
  const auto hold = [](auto& entities) {
    for (auto& entity : entities) entity.held = entity.weak.lock();
  };
  std::apply([&](auto&... all) { (hold(all), ...); }, all_);
}

void WaitSetBase::wait_result_release() {
  holding_ = false, dirty_ = false;
  const auto release = [](auto& entities) {
    for (auto& entity : entities) entity.held.reset();
  };
  if (!owns_) std::apply([&](auto&... all) { (release(all), ...); }, all_);
}

void WaitSetBase::prune() {
  const auto forget = [](auto& entities) {
    std::erase_if(entities, [](const auto& entity) { return entity.weak.expired(); });
  };
  std::apply([&](auto&... all) { (forget(all), ...); }, all_);
}

void WaitSetBase::fill() {
  prune();
  arrays_.clear();
  rcl_wait_set_t* set = &arrays_.set();
  const auto each = [](const auto& entities, auto add) {
    for (const auto& entity : entities)
      if (const auto one = entity.weak.lock()) add(*one);
  };
  each(all<SubscriptionBase>(),
       [&](auto& s) { rcl_wait_set_add_subscription(set, s.get_subscription_handle().get()); });
  each(all<GuardCondition>(), [&](auto& g) { rcl_wait_set_add_guard_condition(set, &g.get_rcl_guard_condition()); });
  each(all<TimerBase>(), [&](auto& t) { rcl_wait_set_add_timer(set, t.get_timer_handle().get()); });
  each(all<ClientBase>(), [&](auto& c) { rcl_wait_set_add_client(set, c.get_client_handle().get()); });
  each(all<ServiceBase>(), [&](auto& s) { rcl_wait_set_add_service(set, s.get_service_handle().get()); });
  each(all<Waitable>(), [&](auto& w) { w.add_to_wait_set(*set); });
}

WaitResultKind WaitSetBase::wait_for(std::chrono::nanoseconds timeout) {
  convoy::ros::in_order("a wait set");
  if (holding_) throw std::runtime_error("a wait set waits while a result of it is there");
  Simulation* simulation = Simulation::current();
  if (!simulation) throw std::runtime_error("a wait set waits outside of a simulation");
  bool empty = false;
  const auto done = [&] {
    fill();
    empty = arrays_.empty();
    return arrays_.keep_ready([](const rcl_guard_condition_t& condition) { return condition.triggered; }) || empty;
  };
  if (!done()) {
    if (timeout == std::chrono::nanoseconds(0)) return WaitResultKind::Timeout;
    const bool forever = timeout < std::chrono::nanoseconds(0) || timeout > kernel::kNoInstant - simulation->now();
    if (!simulation->wait_until(forever ? kernel::kNoInstant : simulation->now() + timeout, done))
      return WaitResultKind::Timeout;
  }
  if (empty) return WaitResultKind::Empty;
  for (const rcl_guard_condition_t* condition : arrays_.guard_conditions())
    if (condition) condition->triggered = false;
  return WaitResultKind::Ready;
}

}  // namespace detail

// --- taking

bool SubscriptionBase::take_serialized(SerializedMessage& message, MessageInfo& info) {
  kernel::Delivery d;
  if (!subscription_->take(d)) return false;
  std::vector<std::uint8_t> bytes, scratch;
  const auto view = kernel::bytes_of(d.message.type(), d.message.get(), scratch);
  message = SerializedMessage(std::vector<std::uint8_t>(view.begin(), view.end()));
  info = MessageInfo(d);
  return true;
}

bool SubscriptionBase::take_type_erased(void* message, MessageInfo& info) {
  kernel::Delivery d;
  if (!subscription_->take(d)) return false;
  assign(message, d.message);
  info = MessageInfo(d);
  return true;
}

namespace {
kernel::Delivery delivery_of(kernel::MessageValue message, const MessageInfo& info) {
  const rmw_message_info_t& rmw = info.get_rmw_message_info();
  kernel::Delivery d{std::move(message), convoy::instant(rmw.source_timestamp),
                     convoy::instant(rmw.received_timestamp)};
  if (rmw.publication_sequence_number > 0) d.index = rmw.publication_sequence_number - 1;
  std::memcpy(&d.from, rmw.publisher_gid.data, sizeof d.from);
  return d;
}
}  // namespace

void SubscriptionBase::handle_message(std::shared_ptr<void>& message, const MessageInfo& info) {
  auto d = delivery_of(kernel::MessageValue::shared(subscription_->type(), message), info);
  subscription_->handle(d);
}

void SubscriptionBase::handle_serialized_message(const std::shared_ptr<SerializedMessage>& message,
                                                 const MessageInfo& info) {
  void* object = subscription_->type().from_bytes(message->bytes());
  if (!object)
    throw std::runtime_error("topic '" + name_ + "': bytes that are no " + std::string(subscription_->type().name()));
  auto d = delivery_of(kernel::MessageValue::owned(subscription_->type(), object), info);
  subscription_->handle(d);
}

std::shared_ptr<void> TimerBase::call() {
  if (!timer_->take()) return nullptr;
  return std::make_shared<TimerInfo>(info());
}

// --- the graph

std::uint64_t Event::changes() const {
  const auto node = node_.lock();
  const kernel::Graph* graph = node ? node->kernel().graph() : nullptr;
  return graph ? graph->changes() : seen_;
}

namespace node_interfaces {

Event::SharedPtr NodeGraphInterface::get_graph_event() {
  auto event = std::make_shared<Event>();
  event->node_ = base_, event->seen_ = base_->simulation().graph().changes();
  std::erase_if(events_, [](const Event::WeakPtr& weak) { return weak.expired(); });
  events_.push_back(event);
  return event;
}

void NodeGraphInterface::wait_for_graph_change(Event::SharedPtr event, std::chrono::nanoseconds timeout) {
  if (!event) throw exceptions::InvalidEventError();
  const bool known =
      std::any_of(events_.begin(), events_.end(), [&](const Event::WeakPtr& weak) { return weak.lock() == event; });
  if (!known) throw exceptions::EventNotRegisteredError();
  if (event->check() || timeout == std::chrono::nanoseconds(0)) return;
  Simulation& s = base_->simulation();
  const bool forever = timeout < std::chrono::nanoseconds(0) || timeout > kernel::kNoInstant - s.now();
  s.wait_until(forever ? kernel::kNoInstant : s.now() + timeout, [&] { return event->check(); });
}

std::size_t NodeGraphInterface::count_graph_users() const {
  return static_cast<std::size_t>(
      std::count_if(events_.begin(), events_.end(), [](const Event::WeakPtr& weak) { return !weak.expired(); }));
}

// --- waitables

NodeWaitablesInterface::~NodeWaitablesInterface() {
  if (used_) base_->simulation().waitables().remove_all(this);
}

void NodeWaitablesInterface::add_waitable(Waitable::SharedPtr waitable, CallbackGroup::SharedPtr group) {
  if (!waitable) throw std::invalid_argument("a waitable is nullptr");
  if (!group) group = base_->get_default_callback_group();
  if (!base_->callback_group_in_node(group)) throw std::runtime_error("Cannot create waitable, group not in node.");
  used_ = true;
  base_->simulation().waitables().add(waitable, *base_, *group, this);
}

void NodeWaitablesInterface::remove_waitable(Waitable::SharedPtr waitable, CallbackGroup::SharedPtr) noexcept {
  if (waitable) base_->simulation().waitables().remove(*waitable, this);
}

GuardCondition::SharedPtr NodeBaseInterface::get_shared_notify_guard_condition() {
  if (!notify_) notify_ = std::make_shared<GuardCondition>();
  return notify_;
}

}  // namespace node_interfaces

// --- executors and groups that are given to them

Executor::~Executor() {
  for (const auto& weak : groups_)
    if (const auto group = weak.lock()) group->get_associated_with_executor_atomic() = false;
}

void Executor::add_callback_group(CallbackGroup::SharedPtr group, NodeBase, bool) {
  if (group->automatically_add_to_executor_with_node() && !simulation().is_program()) return;  // it runs with its node
  if (group->get_associated_with_executor_atomic().exchange(true))
    throw std::runtime_error("Callback group has already been added to an executor.");
  groups_.push_back(group);
  if (spinning_) group->spin(true);
}

void Executor::remove_callback_group(CallbackGroup::SharedPtr group, bool) {
  if (std::erase_if(groups_, [&](const auto& weak) { return weak.lock() == group; }) == 0)
    throw std::runtime_error("Callback group needs to be associated with executor.");
  if (spinning_) group->spin(false);
  group->get_associated_with_executor_atomic() = false;
}

std::vector<CallbackGroup::WeakPtr> Executor::get_automatically_added_callback_groups_from_nodes() const {
  std::vector<CallbackGroup::WeakPtr> out;
  for (const auto& weak : nodes_)
    if (const auto node = weak.lock())
      node->for_each_callback_group([&](const CallbackGroup::SharedPtr& group) {
        if (group->automatically_add_to_executor_with_node() && !group->get_associated_with_executor_atomic())
          out.push_back(group);
      });
  return out;
}

std::vector<CallbackGroup::WeakPtr> Executor::get_all_callback_groups() const {
  std::vector<CallbackGroup::WeakPtr> out = groups_;
  for (auto& group : get_automatically_added_callback_groups_from_nodes()) out.push_back(std::move(group));
  return out;
}

// In a callback of a component: until something waits in a group that this executor alone has.
bool Executor::wait_for_groups(std::chrono::nanoseconds timeout) {
  if (groups_.empty()) return false;
  const auto waits = [&] {
    return std::any_of(groups_.begin(), groups_.end(), [](const auto& weak) {
      const auto group = weak.lock();
      return group && group->kernel().anything_waits();
    });
  };
  Simulation& s = simulation();
  const bool forever = timeout < std::chrono::nanoseconds(0) || timeout > kernel::kNoInstant - s.now();
  return s.wait_until(forever ? kernel::kNoInstant : s.now() + timeout, waits);
}

}  // namespace rclcpp
