#include "nodes/remote.h"

#include <algorithm>

#include "nodes/graph.h"

namespace convoy::nodes {
namespace {

constexpr std::size_t kKeptOfRemote = 100;         // of one transient local publisher elsewhere
constexpr std::uint32_t kRemoteClient = 1u << 31;  // marks callers of other agents among ranks

}  // namespace

bool goes_outside(std::string_view name) {
  return name != "/rosout" && name != "/parameter_events" && name != "/clock" && !name.starts_with("/convoy/");
}

// --- what leaves

void Graph::set_outside(const Outside* outside) {
  if (outside && startup_ == Startup::kAlone) {
    startup_ = Startup::kGathering;
    for (auto& [name, topic] : topics_)
      for (Publisher* p : topic->publishers_) {
        p->refresh();
        if (!goes_outside(name) || p->stays_inside_) continue;
        for (const Delivery& kept : p->kept_)  // from before its first tick
          early_.push_back({remote_message(*p, kept, kNoDelay, kNoEntity), {}}), early_.back().message.kept = true;
      }
  }
  outside_ = outside;
  ++changes_;
  for (auto& [name, topic] : topics_) update_subscribers(*topic);
  for (auto& [name, service] : services_)
    service->remote_ = outside_ && goes_outside(name) ? outside_->server(name) : kNoEntity;
}

void Graph::startup_over() {
  if (startup_ != Startup::kGathering) return;
  startup_ = Startup::kDone;
  for (Early& early : std::exchange(early_, {})) {
    for (WorldNumber agent : topics_.at(early.message.name)->remote_subscribers_) {
      if (std::binary_search(early.received_by.begin(), early.received_by.end(), agent)) continue;
      outgoing_.push_back(early.message);
      outgoing_.back().to = agent;
    }
  }
  for (auto& [name, topic] : topics_)
    for (Publisher* p : topic->publishers_) p->refresh();
}

void Graph::update_subscribers(Topic& topic) {
  std::vector<WorldNumber> subscribers;
  if (outside_ && goes_outside(topic.name_)) subscribers = outside_->subscribers(topic.name_);
  if (subscribers == topic.remote_subscribers_) return;
  std::vector<WorldNumber> before = std::exchange(topic.remote_subscribers_, std::move(subscribers));
  for (Publisher* p : topic.publishers_) p->refresh();
  for (WorldNumber agent : topic.remote_subscribers_) {
    if (std::binary_search(before.begin(), before.end(), agent)) continue;
    if (startup_ == Startup::kGathering) continue;  // they get what is kept from all_met()
    for (Publisher* p : topic.publishers_)          // what it keeps for late ones
      if (!p->stays_inside_)
        for (const Delivery& kept : p->kept_) send_away(*p, kept, kNoDelay, agent);
  }
}

RemoteMessage Graph::remote_message(const Publisher& publisher, const Delivery& delivery, Duration delay,
                                    WorldNumber to) {
  const Topic& topic = *publisher.topic_;
  RemoteMessage out{RemoteMessage::Kind::kTopic,
                    to,
                    topic.name(),
                    std::string(topic.type().name()),
                    publisher.node_->full_name(),
                    publisher.ordinal_,
                    delivery.from,
                    delivery.index,
                    delivery.published,
                    delay,
                    publisher.qos_.reliable,
                    publisher.qos_.transient_local,
                    to != kNoEntity,
                    {}};
  delivery.message.type().append_bytes(delivery.message.get(), out.bytes);
  return out;
}

void Graph::send_away(const Publisher& publisher, const Delivery& delivery, Duration delay, WorldNumber to) {
  const Topic& topic = *publisher.topic_;
  RemoteMessage out = remote_message(publisher, delivery, delay, to);
  if (startup_ == Startup::kGathering && to == kNoEntity) early_.push_back({out, topic.remote_subscribers_});
  if (to != kNoEntity || !topic.remote_subscribers_.empty()) outgoing_.push_back(std::move(out));
}

void Graph::call_away(const Client& client, std::uint64_t index, const MessageValue& request, Duration delay) {
  const ServiceName& service = *client.name_;
  RemoteMessage out{RemoteMessage::Kind::kRequest,
                    service.remote_,
                    service.name(),
                    service.type().name,
                    client.node_->full_name(),
                    0,
                    client.rank(),
                    index,
                    now_,
                    delay,
                    true,
                    false,
                    false,
                    {}};
  service.type().request->append_bytes(request.get(), out.bytes);
  outgoing_.push_back(std::move(out));
}

bool Graph::answer_away(const Service& service, const CallId& call, const MessageValue& response, Duration delay) {
  if (!(call.client & kRemoteClient)) return false;
  const RemoteClient& caller = remote_clients_[call.client & ~kRemoteClient];
  RemoteMessage out{RemoteMessage::Kind::kResponse,
                    caller.agent,
                    service.name_->name(),
                    service.name_->type().name,
                    service.node_->full_name(),
                    0,
                    caller.rank,
                    call.index,
                    now_,
                    delay,
                    true,
                    false,
                    false,
                    {}};
  service.name_->type().response->append_bytes(response.get(), out.bytes);
  outgoing_.push_back(std::move(out));
  return true;
}

std::vector<GraphInterface> Graph::interfaces() const {
  std::vector<GraphInterface> all;
  for (const auto& [name, topic] : topics_)
    if (!topic->subscriptions_.empty() && goes_outside(name))
      all.push_back({false, name, std::string(topic->type().name())});
  for (const auto& [name, service] : services_)
    if (service->server() && goes_outside(name)) all.push_back({true, name, service->type().name});
  return all;
}

// --- what comes in

Status Graph::incoming(const RemoteMessage& message, WorldNumber origin, Instant arrival) {
  const Instant due = std::max(message.delay == kNoDelay ? arrival : message.published + message.delay, now_);
  if (message.kind != RemoteMessage::Kind::kTopic) return call_comes_in(message, origin, due);
  const auto found = topics_.find(message.name);
  if (found == topics_.end() || found->second->subscriptions_.empty()) return {};  // no subscription here any more
  Topic& topic = *found->second;
  if (topic.type().name() != message.type)
    return fail(ErrorCode::kInvalid, "topic '" + message.name + "' is of type " + std::string(topic.type().name()) +
                                         " here, and " + message.type + " at " + message.node);
  void* object = topic.type().from_bytes(message.bytes);
  if (!object)
    return fail(ErrorCode::kInvalid,
                "topic '" + message.name + "': bytes from " + message.node + " that are no " + message.type);
  trail_.note(topic.key_, static_cast<std::uint64_t>(nanos(due)), origin.value(), message.index);
  Delivery delivery{MessageValue::owned(topic.type(), object), message.published, {}, message.index, message.rank};
  RemotePublisher& publisher = remote_publisher(topic, message, origin);
  if (message.kept) return kept_comes_in(publisher, std::move(delivery), due);
  if (!publisher.links.empty()) delivery.message.share();
  for (RemotePublisher::Link& link : publisher.links) {
    Delivery again{delivery.message.again(), delivery.published, {}, delivery.index, delivery.from};
    const Instant at = std::max(message.published + link.delay.draw(), now_);
    link.subscription->delay_converted(at - now_, origin, std::move(again));
  }
  push_delayed(std::unique_ptr<Delayed>(
      new Delayed{due, origin, next_sequence_++, &topic, nullptr, nullptr, &publisher, std::move(delivery)}));
  return {};
}

// What was published before this graph was known: only for subscriptions that want what is kept.
Status Graph::kept_comes_in(RemotePublisher& publisher, Delivery delivery, Instant due) {
  keep(publisher, delivery);
  for (Subscription* s : publisher.direct)
    if (s->qos_.transient_local)
      s->delay_converted(due - now_, publisher.origin,
                         {delivery.message.again(), delivery.published, {}, delivery.index, delivery.from});
  return {};
}

Status Graph::call_comes_in(const RemoteMessage& message, WorldNumber origin, Instant due) {
  const bool request = message.kind == RemoteMessage::Kind::kRequest;
  const auto found = services_.find(message.name);
  Receiver* receiver = nullptr;
  std::uint32_t from = message.rank;
  if (found != services_.end() && request) {
    receiver = found->second->server();
  } else if (found != services_.end()) {
    for (Client* client : found->second->clients_)
      if (client->rank() == message.rank) receiver = client;
  }
  if (!receiver) {
    if (request) warn("service '" + message.name + "': nobody offers it; a request of " + message.node + " is lost");
    return {};
  }
  const ServiceType& type = found->second->type();
  if (type.name != message.type)
    return fail(ErrorCode::kInvalid, "service '" + message.name + "' is of type " + type.name + " here, and " +
                                         message.type + " at " + message.node);
  const MessageType& part = request ? *type.request : *type.response;
  void* object = part.from_bytes(message.bytes);
  if (!object)
    return fail(ErrorCode::kInvalid,
                "service '" + message.name + "': bytes from " + message.node + " that are no " + message.type);
  if (request) {
    const RemoteClient caller{origin, message.rank};
    const auto known = std::find(remote_clients_.begin(), remote_clients_.end(), caller);
    from = kRemoteClient | static_cast<std::uint32_t>(known - remote_clients_.begin());
    if (known == remote_clients_.end()) remote_clients_.push_back(caller);
  }
  trail_.note(request ? found->second->key_ : ~found->second->key_, static_cast<std::uint64_t>(nanos(due)),
              origin.value(), message.index);
  receiver->hold();
  push_delayed(std::unique_ptr<Delayed>(
      new Delayed{due, origin, next_sequence_++, nullptr, nullptr, receiver, nullptr,
                  Delivery{MessageValue::owned(part, object), message.published, {}, message.index, from}}));
  return {};
}

RemotePublisher& Graph::remote_publisher(Topic& topic, const RemoteMessage& message, WorldNumber origin) {
  for (const auto& known : topic.remote_publishers_)
    if (known->origin == origin && known->rank == message.rank) return *known;
  topic.remote_publishers_.push_back(std::make_unique<RemotePublisher>(RemotePublisher{
      origin, message.rank, message.node, message.ordinal, message.reliable, message.transient_local, {}, {}, {}}));
  RemotePublisher& publisher = *topic.remote_publishers_.back();
  for (Subscription* s : topic.subscriptions_) connect(publisher, *s);
  return publisher;
}

void Graph::connect(RemotePublisher& publisher, Subscription& subscription) {
  const QoS offered{.reliable = publisher.reliable, .transient_local = publisher.transient_local};
  if (const char* what = missing(offered, subscription.qos_)) {
    warn("topic '" + subscription.topic_->name() + "': " + publisher.node + " offers less " + what + " than " +
         subscription.node_->full_name() + " asks for; no messages will go from one to the other");
    return;
  }
  if (DelaySource delay = delays_.link(DelayRule::Of::kTopic, subscription.topic_->name(), publisher.node,
                                       publisher.ordinal, subscription.node_->full_name(), subscription.ordinal_))
    publisher.links.push_back({&subscription, delay});
  else publisher.direct.push_back(&subscription);
  if (!subscription.qos_.transient_local) return;
  const std::size_t wanted = std::min<std::size_t>(publisher.kept.size(), subscription.qos_.bound());
  for (std::size_t i = publisher.kept.size() - wanted; i < publisher.kept.size(); ++i) {
    const Delivery& kept = publisher.kept[i];
    subscription.push_converted({kept.message.again(), kept.published, {}, kept.index, kept.from});
  }
}

void Graph::disconnect(Topic& topic, Subscription& subscription) {
  for (const auto& publisher : topic.remote_publishers_) {
    std::erase(publisher->direct, &subscription);
    std::erase_if(publisher->links, [&](const auto& link) { return link.subscription == &subscription; });
  }
}

void Graph::keep(RemotePublisher& publisher, Delivery& delivery) {
  delivery.message.share();
  if (publisher.kept.size() == kKeptOfRemote) publisher.kept.erase(publisher.kept.begin());
  publisher.kept.push_back({delivery.message.again(), delivery.published, {}, delivery.index, delivery.from});
}

void Graph::arrive(RemotePublisher& publisher, Delivery delivery) {
  if (publisher.transient_local) keep(publisher, delivery);
  if (!publisher.direct.empty()) Topic::deliver(std::move(delivery), publisher.direct);
}

}  // namespace convoy::nodes
