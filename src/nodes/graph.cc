#include "nodes/graph.h"

#include <algorithm>

#include "nodes/cycle.h"

namespace convoy::nodes {

Graph::Graph(GraphOptions options)
    : options_(std::move(options)),
      now_(options_.now),
      delays_(std::move(options_.delays), options_.seed, options_.agent),
      timers_(options_.order),
      stacks_(*this, options_.execution) {}

void Graph::shutdown() { stacks_.end(); }

Graph::~Graph() {
  shutdown();
  for (Entity* e = entities_; e; e = e->next_) e->surrender();
  while (!queue_.empty()) queue_.pop_front()->release();
  while (!released_.empty()) released_.pop_front()->release();
  for (auto& delayed : delayed_) {
    if (delayed->publisher) delayed->publisher->release();
    if (delayed->receiver) delayed->receiver->release();
  }
  delayed_.clear();
  timers_.clear();
  // What is left has an owner outside, which may still call it.
  for (Entity* e = entities_; e; e = e->next_) e->graph_ = nullptr;
}

Result<Owned<Node>> Graph::create_node(NodeSpec spec) {
  if (options_.entered) options_.entered("the making of node", spec.name);
  if (auto ok = check_node_name(spec.name); !ok) return tl::unexpected(ok.error());
  if (auto ok = check_namespace(spec.space); !ok) return tl::unexpected(ok.error());
  if (spec.origin == kNoEntity) spec.origin = options_.origin;
  const bool hidden = spec.ranks != Ranks::kUser;
  Owned<Node> node(new Node(*this, std::move(spec)));
  if (hidden) return node;
  for (const Node* other : nodes_)
    if (other->full_name() == node->full_name()) {
      warn("two nodes are called " + node->full_name());
      break;
    }
  nodes_.push_back(node.get());
  note_change(*node);
  return node;
}

std::uint64_t Graph::published() const {
  std::uint64_t sum = 0;
  for (const auto& [name, topic] : topics_) sum += topic->count();
  return sum;
}

void Graph::warn(const std::string& text) const {
  if (options_.log) options_.log->line(LogLevel::kWarn, text);
}

void Graph::stop(Error error) {
  if (!failure_) failure_ = std::move(error);
}

// --- names

Result<Topic*> Graph::topic(const std::string& name, const MessageType& type) {
  if (const auto found = topics_.find(name); found != topics_.end()) {
    Topic& topic = *found->second;
    if (same_type(topic.type(), type)) return &topic;
    const char* how = topic.type().name() == type.name() ? " of another definition" : "";
    return fail(ErrorCode::kInvalid, "topic '" + name + "' is of type " + std::string(topic.type().name()) +
                                         ", and somebody wants it to be " + std::string(type.name()) + how);
  }
  auto made = std::unique_ptr<Topic>(new Topic(name, type));
  Topic& topic = *topics_.emplace(name, std::move(made)).first->second;
  update_subscribers(topic);
  for (const TopicWatch& watch : topic_watches_) watch(topic);
  return &topic;
}

Result<ServiceName*> Graph::service(const std::string& name, const ServiceType& type) {
  if (const auto found = services_.find(name); found != services_.end()) {
    ServiceName& service = *found->second;
    if (service.type().name == type.name && same_type(*service.type().request, *type.request) &&
        same_type(*service.type().response, *type.response))
      return &service;
    const char* how = service.type().name == type.name ? " of another definition" : "";
    return fail(ErrorCode::kInvalid, "service '" + name + "' is of type " + service.type().name +
                                         ", and somebody wants it to be " + type.name + how);
  }
  auto made = std::unique_ptr<ServiceName>(new ServiceName(name, type));
  if (outside_ && goes_outside(name)) made->remote_ = outside_->server(name);
  return services_.emplace(name, std::move(made)).first->second.get();
}

Status Graph::tap(std::string_view name, Tap tap) {
  const auto found = topics_.find(name);
  if (found == topics_.end()) return fail(ErrorCode::kNotFound, "no topic '" + std::string(name) + "'");
  found->second->taps_.push_back(std::move(tap));
  for (Publisher* p : found->second->publishers_) p->refresh();
  return {};
}

void Graph::watch_topics(TopicWatch watch) {
  for (const auto& entry : topics_) watch(*entry.second);
  topic_watches_.push_back(std::move(watch));
}

// --- delayed messages

bool Graph::later(const std::unique_ptr<Delayed>& a, const std::unique_ptr<Delayed>& b) {
  if (a->due != b->due) return a->due > b->due;
  if (a->origin != b->origin) return a->origin > b->origin;
  return a->sequence > b->sequence;
}

void Graph::delay(Duration by, Topic* topic, Publisher* publisher, Receiver* receiver, WorldNumber origin,
                  Delivery delivery) {
  if (publisher) publisher->hold();
  if (receiver) receiver->hold();
  push_delayed(std::unique_ptr<Delayed>(
      new Delayed{now_ + by, origin, next_sequence_++, topic, publisher, receiver, nullptr, std::move(delivery)}));
}

void Graph::push_delayed(std::unique_ptr<Delayed> delayed) {
  EXPECTS(delayed->topic || delayed->receiver);
  if (delayed_.size() >= options_.bounds.delayed)
    stop({ErrorCode::kUnavailable,
          "more than " + std::to_string(options_.bounds.delayed) + " delayed messages wait, the newest of " +
              (delayed->topic ? delayed->topic->name() : delayed->receiver->label()),
          {}});
  delayed_.push_back(std::move(delayed));
  std::push_heap(delayed_.begin(), delayed_.end(), later);
}

void Graph::deliver_due() {
  while (!delayed_.empty() && delayed_.front()->due <= now_) {
    std::pop_heap(delayed_.begin(), delayed_.end(), later);
    const std::unique_ptr<Delayed> delayed = std::move(delayed_.back());
    delayed_.pop_back();
    if (Receiver* receiver = delayed->receiver) {
      if (!receiver->gone()) receiver->push(std::move(delayed->delivery));
      receiver->release();
    } else if (Publisher* publisher = delayed->publisher) {
      publisher->arrive_late(std::move(delayed->delivery));
      publisher->release();
    } else {
      arrive(*delayed->remote, std::move(delayed->delivery));
    }
  }
}

// --- time

Instant Graph::next() const {
  if (failure_) return kNoInstant;
  if (!queue_.empty() || !released_.empty() || stacks_.sleepers_.any_ready()) return now_;
  Instant next = std::min(timers_.next(), stacks_.sleepers_.next());
  if (!delayed_.empty()) next = std::min(next, delayed_.front()->due);
  return next == kNoInstant ? next : std::max(next, now_);
}

Status Graph::run_instant(Instant t) {
  begin_instant(t);
  return finish_instant();
}

void Graph::begin_instant(Instant t) {
  EXPECTS(t >= now_);
  now_ = t;
  events_ = 0;
  deliver_due();
}

Status Graph::finish_instant() {
  EXPECTS(!stacks_.ending_);
  level_ = 0;
  level_left_ = queue_.size();
  if (options_.execution) stacks_.drain();
  else drain();
  running_ = nullptr;
  if (failure_) return tl::unexpected(*failure_);
  return {};
}

// Returns when nothing is left at this instant, or when it is chosen whose callback is to go on first.
void Graph::drain() {
  Sleepers& sleepers = stacks_.sleepers_;
  while (!failure_ || stacks_.letting_out_) {
    if (sleepers.any_ready()) [[unlikely]]
      return stacks_.pick(sleepers.take_ready());
    if (stacks_.letting_out_) [[unlikely]]
      return;
    if (run_event()) continue;
    level_ = 0;
    watching_ = false;
    if (run_timer()) continue;
    if (sleepers.next() <= now_) stacks_.pick(sleepers.take_next());
    return;
  }
}

bool Graph::run_event() {
  Entity* entity;
  bool fresh = true;
  if (!released_.empty()) [[unlikely]] {
    entity = released_.pop_front();
    fresh = false;
  } else {
    if (queue_.empty()) return false;
    if (level_left_ == 0) [[unlikely]] {
      level_left_ = queue_.size();
      if (++level_ + kWatchedLevels > options_.bounds.levels && near_bound()) return true;
    }
    --level_left_;
    entity = queue_.pop_front();
  }
  if (!entity->gone_ && entity->group_->busy()) [[unlikely]]
    return entity->group_->park(*entity, fresh), true;
  const Use use(*entity);
  if (!entity->gone_) call(*entity);
  return true;
}

bool Graph::run_timer() {
  if (timers_.next() > now_ || timers_.next() > stacks_.sleepers_.next()) return false;
  Timer& timer = timers_.front();
  if (timer.group()->busy()) [[unlikely]] {
    timers_.remove(timer);
    timer.group()->park_timer(timer);
    return true;
  }
  timer.rearm(now_);
  timers_.front_changed();
  ++callbacks_;
  trail_.note(~std::uint64_t{timer.rank()}, static_cast<std::uint64_t>(nanos(now_)));
  timer.hold();
  const Use use(timer);
  call(timer);
  return true;
}

void Graph::call(Entity& entity) {
  if (++events_ > options_.bounds.events) [[unlikely]]
    return stop({ErrorCode::kState,
                 "more than " + std::to_string(options_.bounds.events) + " callbacks in the one instant " +
                     std::to_string(nanos(now_)) + " ns, the last for " + entity.label(),
                 {}});
  running_ = &entity;
  entity.run();
}

bool Graph::near_bound() {
  if (!watching_) watched_edges_.clear();
  watching_ = true;
  if (level_ <= options_.bounds.levels) return false;
  std::string text = "more than " + std::to_string(options_.bounds.levels) +
                     " messages follow from each other in the one instant " + std::to_string(nanos(now_)) + " ns: ";
  const std::vector<std::string> names = find_cycle(watched_edges_);
  for (std::size_t i = 0; i < names.size(); ++i) text += (i > 0 ? " -> " : "") + names[i];
  return stop({ErrorCode::kState, std::move(text), {}}), true;
}

void Graph::watch(const Entity& next) {
  const std::pair<std::string, std::string> edge{running_ ? running_->label() : std::string(), next.label()};
  if (std::find(watched_edges_.begin(), watched_edges_.end(), edge) == watched_edges_.end())
    watched_edges_.push_back(edge);
}

void Graph::note_bytes(const MessageType& type, const void* message) {
  const ByteView bytes = bytes_of(type, message, scratch_);
  trail_.note(hash64(bytes), bytes.size());
}

void Graph::arm_timer(Timer& timer) { timers_.push(timer); }

void Graph::drop_timer(Timer& timer) {
  if (timer.position_ != Timer::kNowhere) timers_.remove(timer);
  else if (timer.due_ != kNoInstant) timer.group()->forget_timer(timer);
}

}  // namespace convoy::nodes
