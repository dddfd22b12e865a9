#include "nodes/topic.h"

#include <algorithm>

#include "nodes/graph.h"

namespace convoy::nodes {
namespace {

// The next free number among those of one node.
template <class T>
std::uint32_t next_ordinal(const std::vector<T*>& all, const Node& node, std::uint32_t T::*ordinal) {
  std::uint32_t next = 0;
  for (const T* one : all)
    if (one->node().full_name() == node.full_name()) next = std::max(next, one->*ordinal + 1);
  return next;
}

void notify(const MatchListener& listener, const Match& match) {
  if (listener) listener(match);
}

}  // namespace

Topic::Topic(std::string name, const MessageType& type)
    : name_(std::move(name)), type_(&type), key_(hash64(as_bytes(name_))) {}

void Topic::deliver(Delivery delivery, const std::vector<Subscription*>& to) {
  if (to[0]->topic_->mixed_) [[unlikely]]
    return deliver_mixed(std::move(delivery), to);
  if (to.size() == 1) return to[0]->push(std::move(delivery));
  std::size_t owners = 0;
  for (const Subscription* s : to) owners += s->takes_ownership_;
  const auto one = [&](MessageValue message) {
    return Delivery{std::move(message), delivery.published, {}, delivery.index, delivery.from};
  };
  // Once shared, no subscriber can have the object itself: one that takes ownership makes a copy.
  if (owners == 0 || !delivery.message.is_owned()) {
    delivery.message.share();
    for (Subscription* s : to) s->push(one(delivery.message.again()));
    return;
  }
  MessageValue shared;
  if (owners < to.size()) shared = delivery.message.copy(), shared.share();
  for (Subscription* s : to) {
    if (!s->takes_ownership_) s->push(one(shared.again()));
    else s->push(one(--owners == 0 ? std::move(delivery.message) : delivery.message.copy()));
  }
}

// The same, with subscriptions that take it in the other form: they get one that was converted once, by the same rules.
void Topic::deliver_mixed(Delivery delivery, const std::vector<Subscription*>& to) {
  struct Form {
    MessageValue message, shared;
    std::size_t takers = 0, owners = 0;
  } forms[2];
  const Subscription* other = nullptr;
  const bool is_bytes = delivery.message.type().is_bytes();
  for (const Subscription* s : to) {
    Form& form = forms[s->type_->is_bytes() == is_bytes ? 0 : 1];
    if (&form == &forms[1]) other = s;
    ++form.takers, form.owners += s->takes_ownership_;
  }
  if (other && !(forms[1].message = other->convert(delivery.message))) return;
  forms[0].message = std::move(delivery.message);
  for (Form& form : forms) {
    if (form.takers == 0) continue;
    if (form.owners == 0) form.message.share();
    else if (form.message.is_owned() && form.owners < form.takers)
      form.shared = form.message.copy(), form.shared.share();
  }
  for (Subscription* s : to) {
    Form& form = forms[s->type_->is_bytes() == is_bytes ? 0 : 1];
    MessageValue mine;
    if (form.message && !form.message.is_owned()) mine = form.message.again();
    else if (!s->takes_ownership_) mine = form.shared.again();
    else mine = --form.owners == 0 ? std::move(form.message) : form.message.copy();
    s->push({std::move(mine), delivery.published, {}, delivery.index, delivery.from});
  }
}

Publisher::Publisher(Graph& graph, Node& node, Topic& topic, const PublisherSpec& spec)
    : Entity(graph, nullptr, spec.ranks),
      node_(&node),
      topic_(&topic),
      type_(spec.type),
      qos_(spec.qos),
      ordinal_(next_ordinal(topic.publishers_, node, &Publisher::ordinal_)),
      stays_inside_(spec.stays_inside),
      on_match_(spec.on_match) {
  node.hold_node();
  delay_ = graph.delays_.sender(DelayRule::Of::kTopic, topic.name_, node.full_name(), ordinal_);
  topic.publishers_.push_back(this);
  topic.joined_by(*type_);
  for (Subscription* s : topic.subscriptions_) connect(*s);
  refresh();
  graph.note_change(*this);
}

Publisher::~Publisher() { node_->release_node(); }

void Publisher::detach() {
  std::erase(topic_->publishers_, this);
  for (Subscription* s : direct_) notify(s->on_match_, {.change = -1});
  for (const Link& link : links_) notify(link.subscription->on_match_, {.change = -1});
  direct_.clear();
  links_.clear();
  kept_.clear();
  graph()->note_change(*this);
}

void Publisher::connect(Subscription& subscription) {
  if (const char* what = missing(qos_, subscription.qos_)) {
    graph()->warn("topic '" + topic_->name_ + "': " + node_->full_name() + " offers less " + what + " than " +
                  subscription.node_->full_name() + " asks for; no messages will go from one to the other");
    notify(on_match_, {.missing = what});
    notify(subscription.on_match_, {.missing = what});
    return;
  }
  notify(on_match_, {.change = 1});
  notify(subscription.on_match_, {.change = 1});
  if (DelaySource delay = graph()->delays_.link(DelayRule::Of::kTopic, topic_->name_, node_->full_name(), ordinal_,
                                                subscription.node_->full_name(), subscription.ordinal_))
    links_.push_back({&subscription, delay});
  else direct_.push_back(&subscription);
  if (!qos_.transient_local || !subscription.qos_.transient_local) return;
  const std::size_t wanted = std::min<std::size_t>(kept_.size(), subscription.bound_);
  for (std::size_t i = kept_.size() - wanted; i < kept_.size(); ++i) {
    const Delivery& kept = kept_[i];
    subscription.push_converted({kept.message.again(), kept.published, {}, kept.index, kept.from});
  }
}

void Publisher::disconnect(Subscription& subscription) {
  const std::size_t parted = std::erase(direct_, &subscription) + std::erase_if(links_, [&](const Link& link) {
                               return link.subscription == &subscription;
                             });
  if (parted > 0) notify(on_match_, {.change = -1});
}

bool Publisher::goes_away() const { return !stays_inside_ && graph()->goes_away(*topic_); }

void Publisher::refresh() {
  slow_ = delay_ || !links_.empty() || direct_.size() != topic_->subscriptions_.size() || qos_.transient_local ||
          !topic_->taps_.empty() || goes_away() || rank() >= kFirstSilentRank;
}

void Publisher::publish(MessageValue message) {
  if (!graph()) return;
  entered("publish() on", topic_->name());
  if (slow_) [[unlikely]]
    return publish_slow(std::move(message));
  Graph& g = *graph();
  const std::uint64_t index = next_index_++;
  ++topic_->count_;
  topic_->last_ = g.now_;
  g.note_published(topic_->key_, rank(), index, message.type(), message.get());
  Delivery delivery{std::move(message), g.now_, {}, index, rank()};
  if (!direct_.empty()) Topic::deliver(std::move(delivery), direct_);
}

void Publisher::publish_copy(const void* message) {
  if (!graph()) return;
  entered("publish() on", topic_->name());
  if (slow_ || !direct_.empty()) { return publish(MessageValue::owned(*type_, type_->copy(message))); }
  ++topic_->count_;
  topic_->last_ = graph()->now_;
  graph()->note_published(topic_->key_, rank(), next_index_++, *type_, message);
}

void Publisher::publish_slow(MessageValue message) {
  Graph& g = *graph();
  const std::uint64_t index = next_index_++;
  ++topic_->count_;
  topic_->last_ = g.now_;
  if (rank() < kFirstSilentRank) g.note_published(topic_->key_, rank(), index, message.type(), message.get());
  Delivery delivery{std::move(message), g.now_, {}, index, rank()};
  for (const Tap& tap : topic_->taps_) tap(delivery);
  const Duration by = delay_ ? delay_.draw() : Duration(0);
  if (goes_away()) g.send_away(*this, delivery, delay_ ? by : kNoDelay);
  if (!links_.empty()) return publish_links(std::move(delivery), by);
  if (by > Duration(0)) g.delay(by, topic_, this, nullptr, node_->origin(), std::move(delivery));
  else arrive(std::move(delivery), direct_);
}

void Publisher::publish_links(Delivery delivery, Duration by) {
  Graph& g = *graph();
  delivery.message.share();
  const auto again = [&] {
    return Delivery{delivery.message.again(), delivery.published, {}, delivery.index, delivery.from};
  };
  std::vector<Subscription*> at_once;
  if (by <= Duration(0)) at_once = direct_;
  for (Link& link : links_) {
    const Duration own = link.delay.draw();
    if (own > Duration(0)) link.subscription->delay_converted(own, node_->origin(), again());
    else at_once.push_back(link.subscription);
  }
  std::sort(at_once.begin(), at_once.end(), [](auto* a, auto* b) { return a->rank() < b->rank(); });
  if (by > Duration(0)) g.delay(by, topic_, this, nullptr, node_->origin(), again());
  arrive(std::move(delivery), at_once);
}

void Publisher::arrive(Delivery delivery, const std::vector<Subscription*>& at) {
  if (qos_.transient_local && !gone()) {
    delivery.message.share();
    if (kept_.size() == qos_.bound()) kept_.erase(kept_.begin());
    kept_.push_back({delivery.message.again(), delivery.published, {}, delivery.index, delivery.from});
  }
  if (!at.empty()) Topic::deliver(std::move(delivery), at);
}

void Publisher::arrive_late(Delivery delivery) {
  if (!gone()) return arrive(std::move(delivery), direct_);
  // It left while the message was under way; the list of its receivers is made once more.
  std::vector<Subscription*> reached;
  for (Subscription* s : topic_->subscriptions_)
    if (!missing(qos_, s->qos_) && !graph()->delays_.link(DelayRule::Of::kTopic, topic_->name_, node_->full_name(),
                                                          ordinal_, s->node_->full_name(), s->ordinal_))
      reached.push_back(s);
  arrive(std::move(delivery), reached);
}

Subscription::Subscription(Graph& graph, Node& node, Topic& topic, SubscriptionSpec spec)
    : Receiver(graph, spec.group ? *spec.group : node.default_group(), spec.qos.bound(), std::move(spec.callback)),
      node_(&node),
      topic_(&topic),
      type_(spec.type),
      qos_(spec.qos),
      ordinal_(next_ordinal(topic.subscriptions_, node, &Subscription::ordinal_)),
      takes_ownership_(spec.takes_ownership),
      on_match_(std::move(spec.on_match)) {
  node.hold_node();
  topic.subscriptions_.push_back(this);
  ++graph.interfaces_version_;
  graph.note_change(*this);
  topic.joined_by(*type_);
  for (Publisher* p : topic.publishers_) p->connect(*this), p->refresh();
  for (const auto& p : topic.remote_publishers_) graph.connect(*p, *this);
}

Subscription::~Subscription() { node_->release_node(); }

MessageValue Subscription::convert(const MessageValue& message) const {
  Bytes scratch;
  void* object = type_->from_bytes(bytes_of(message.type(), message.get(), scratch));
  if (object) return MessageValue::owned(*type_, object);
  graph()->stop(
      {ErrorCode::kInvalid, "topic '" + topic_->name_ + "': bytes that are no " + std::string(type_->name()), {}});
  return {};
}

void Subscription::push_converted(Delivery delivery) {
  if (takes(delivery.message) || (delivery.message = convert(delivery.message))) push(std::move(delivery));
}

void Subscription::delay_converted(Duration by, WorldNumber origin, Delivery delivery) {
  if (takes(delivery.message) || (delivery.message = convert(delivery.message)))
    graph()->delay(by, topic_, nullptr, this, origin, std::move(delivery));
}

void Subscription::detach() {
  std::erase(topic_->subscriptions_, this);
  ++graph()->interfaces_version_;
  graph()->note_change(*this);
  graph()->disconnect(*topic_, *this);
  for (Publisher* p : topic_->publishers_) p->disconnect(*this), p->refresh();
}

}  // namespace convoy::nodes
