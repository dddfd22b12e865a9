#include "agent/outsider.h"

#include <algorithm>

namespace convoy {
namespace {

// Whoever subscribes gets it, whatever quality it asks for.
constexpr nodes::QoS kQuality{.depth = 1, .reliable = true, .transient_local = true};

Status check_type(const std::string& name, std::string_view type, const std::string& wanted) {
  if (type == wanted) return {};
  return fail(ErrorCode::kInvalid, "'" + name + "' is of type " + std::string(type) + ", not " + wanted);
}

Result<Bytes> encode(const Software& software, const nodes::MessageType& type, const std::string& text) {
  auto bytes = software.encode(type, text);
  if (bytes && bytes->size() > kMaxPublishedBytes)
    return fail(ErrorCode::kInvalid, "is a message of " + std::to_string(bytes->size()) + " bytes; at most " +
                                         std::to_string(kMaxPublishedBytes) + " can be published so");
  return bytes;
}

// `name`: of the topic or service, for errors.
Result<nodes::MessageValue> message_of(const nodes::MessageType& type, ByteView bytes, const std::string& name) {
  void* object = type.from_bytes(bytes);
  if (!object) return fail(ErrorCode::kInvalid, "is no message of type " + std::string(type.name()), name);
  return nodes::MessageValue::owned(type, object);
}
Result<nodes::MessageValue> message_of(const Software& software, const nodes::MessageType& type,
                                       const std::string& text, const std::string& name) {
  const auto bytes = encode(software, type, text);
  if (!bytes) return fail(bytes.error().code, bytes.error().message(), name);
  return message_of(type, *bytes, name);
}

Result<const nodes::Topic*> topic_of(const Software& software, const std::string& name, std::string_view type) {
  const auto& topics = software.graph().topics();
  const auto found = topics.find(name);
  if (found == topics.end()) return fail(ErrorCode::kNotFound, "no node has the topic '" + name + "'");
  if (auto ok = check_type(name, found->second->type().name(), std::string(type)); !ok)
    return tl::unexpected(ok.error());
  return found->second.get();
}

// That a node serves, of this agent.
Result<const nodes::ServiceName*> service_of(const Software& software, const std::string& name, std::string_view type) {
  const auto& services = software.graph().services();
  const auto found = services.find(name);
  if (found == services.end() || !found->second->server())
    return fail(ErrorCode::kNotFound, "no node serves '" + name + "'");
  if (auto ok = check_type(name, found->second->type().name, std::string(type)); !ok) return tl::unexpected(ok.error());
  return found->second.get();
}

}  // namespace

Result<nodes::Node*> Outsider::node() {
  if (!node_) {
    auto made = software_.graph().create_node({.name = kOutsiderNode, .ranks = nodes::Ranks::kSystem});
    if (!made) return tl::unexpected(made.error());
    node_ = std::move(*made);
  }
  return &*node_;
}

Status Outsider::publish(const PublishMessage& message) {
  const auto topic = topic_of(software_, message.topic, message.type);
  if (!topic) return tl::unexpected(topic.error());
  auto value = message_of(software_, (*topic)->type(), message.text, message.topic);
  if (!value) return tl::unexpected(value.error());
  return publish(**topic, std::move(*value), Reaches::kAll);
}

Status Outsider::publish(const nodes::Topic& topic, nodes::MessageValue message, Reaches whom) {
  const auto own = node();
  if (!own) return tl::unexpected(own.error());
  const bool stays = whom == Reaches::kOwn;
  auto& publisher = (stays ? passing_ : publishers_)[topic.name()];
  if (!publisher) {
    auto made = (*own)->create_publisher({.topic = topic.name(),
                                          .type = &topic.type(),
                                          .qos = kQuality,
                                          .ranks = nodes::Ranks::kSystem,
                                          .stays_inside = stays});
    if (!made) return tl::unexpected(made.error());
    publisher = std::move(*made);
  }
  publisher->publish(std::move(message));
  return {};
}

Status Outsider::pass(const OutsideTraffic& traffic) {
  using Kind = OutsideTraffic::Kind;
  if (traffic.kind == Kind::kMessage) {
    const auto topic = topic_of(software_, traffic.name, traffic.type);
    if (!topic) return tl::unexpected(topic.error());
    auto value = message_of((*topic)->type(), traffic.bytes, traffic.name);
    if (!value) return tl::unexpected(value.error());
    return publish(**topic, std::move(*value), Reaches::kOwn);
  }
  if (traffic.kind == Kind::kRequest) {
    const auto service = service_of(software_, traffic.name, traffic.type);
    if (!service) return tl::unexpected(service.error());
    auto value = message_of(*(*service)->type().request, traffic.bytes, traffic.name);
    if (!value) return tl::unexpected(value.error());
    return request(**service, std::move(*value), traffic.number, true);
  }
  if (traffic.kind == Kind::kOffer) return offer(traffic);
  if (traffic.kind == Kind::kResponse) return respond(traffic);
  if (offers_.erase(traffic.name) > 0) outlet_.offer(traffic.name, false), software_.outside_changed();
  return {};
}

Status Outsider::call(const CallService& call) {
  auto ok = request(call);
  if (!ok) keep(call.id, {{}, software_.graph().now(), {}, ok.error().message()});
  return ok;
}

Result<nodes::Client*> Outsider::client(const nodes::ServiceName& service) {
  const auto own = node();
  if (!own) return tl::unexpected(own.error());
  auto& client = clients_[service.name()];
  if (!client) {
    auto made = (*own)->create_client({.service = service.name(),
                                       .type = &service.type(),
                                       .callback = [this, &service](nodes::Delivery& d) { responded(service, d); },
                                       .ranks = nodes::Ranks::kSystem});
    if (!made) return tl::unexpected(made.error());
    client = std::move(*made);
  }
  return &*client;
}

Status Outsider::request(const CallService& call) {
  const auto service = service_of(software_, call.service, call.type);
  if (!service) return tl::unexpected(service.error());
  auto value = message_of(software_, *(*service)->type().request, call.text, call.service);
  if (!value) return tl::unexpected(value.error());
  return request(**service, std::move(*value), call.id, false);
}

Status Outsider::request(const nodes::ServiceName& service, nodes::MessageValue request, std::uint64_t id,
                         bool in_bytes) {
  const auto own = client(service);
  if (!own) return tl::unexpected(own.error());
  if (under_way_.size() == kMaxCallsUnderWay) under_way_.pop_front();
  under_way_.push_back({&service, (*own)->call(std::move(request)), id, in_bytes});
  return {};
}

void Outsider::responded(const nodes::ServiceName& service, const nodes::Delivery& response) {
  const auto call = std::find_if(under_way_.begin(), under_way_.end(), [&](const Call& one) {
    return one.service == &service && one.index == response.index;
  });
  if (call == under_way_.end()) return;
  if (call->in_bytes) {
    NodesOutlet::Response out{call->id, {}};
    response.message.type().append_bytes(response.message.get(), out.bytes);
    outlet_.add(std::move(out));
    under_way_.erase(call);
    return;
  }
  std::string text = software_.text_of(response);
  if (text.size() > kMaxMessageText) text.resize(kMaxMessageText), text += "...\n";
  keep(call->id, {{}, software_.graph().now(), std::move(text), {}});
  under_way_.erase(call);
}

// ------------------------------------------------------------------------- services of programs outside

// Nodes call it as they call any other: its node is the one of the programs outside.
Status Outsider::offer(const OutsideTraffic& traffic) {
  const auto& services = software_.graph().services();
  const auto found = services.find(traffic.name);
  if (found == services.end()) return fail(ErrorCode::kNotFound, "no node calls '" + traffic.name + "'");
  const nodes::ServiceName& service = *found->second;
  if (auto ok = check_type(traffic.name, service.type().name, traffic.type); !ok) return ok;
  if (offers_.count(traffic.name) > 0) return {};
  const auto own = node();
  if (!own) return tl::unexpected(own.error());
  auto made = (*own)->create_service({.service = traffic.name,
                                      .type = &service.type(),
                                      .callback = [this, &service](nodes::Delivery& d) { asked(service, d); },
                                      .ranks = nodes::Ranks::kSystem,
                                      .for_outside = true});
  if (!made) return tl::unexpected(made.error());
  offers_[traffic.name].service = std::move(*made);
  outlet_.offer(traffic.name, true);
  software_.outside_changed();
  return {};
}

void Outsider::asked(const nodes::ServiceName& service, const nodes::Delivery& request) {
  const auto offer = offers_.find(service.name());
  if (offer == offers_.end()) return;
  auto& waiting = offer->second.waiting;
  if (waiting.size() == kMaxCallsUnderWay) waiting.erase(waiting.begin());
  NodesOutlet::Request out{service.name(), next_number_++, {}};
  waiting[out.number] = {request.from, request.index};
  request.message.type().append_bytes(request.message.get(), out.bytes);
  outlet_.add(std::move(out));
}

// One that comes late, or twice, is dropped.
Status Outsider::respond(const OutsideTraffic& traffic) {
  const auto offer = offers_.find(traffic.name);
  if (offer == offers_.end()) return {};
  const auto call = offer->second.waiting.find(traffic.number);
  if (call == offer->second.waiting.end()) return {};
  auto value = message_of(*offer->second.service->name().type().response, traffic.bytes, traffic.name);
  if (!value) return tl::unexpected(value.error());
  offer->second.service->respond(call->second, std::move(*value));
  offer->second.waiting.erase(call);
  return {};
}

void Outsider::keep(std::uint64_t id, NodesAnswer::Response response) {
  if (responses_.size() == kMaxResponses) responses_.pop_front();
  responses_.push_back({id, std::move(response)});
}

void Outsider::answer(std::uint64_t id, WorldNumber agent, NodesAnswer& out, std::size_t& room) const {
  for (const Kept& kept : responses_) {
    const std::size_t bytes = kept.response.text.size() + kept.response.why.size();
    if (kept.id != id || bytes > room) continue;
    room -= bytes;
    out.responses.push_back(kept.response);
    out.responses.back().agent = agent;
  }
}

std::optional<NodesAnswer::Taker> taker_of(const NodesQuestion& question, const Software& software) {
  NodesAnswer::Taker out;
  const nodes::MessageType* type = nullptr;
  const nodes::Graph& graph = software.graph();
  if (question.kind == NodesQuestion::Kind::kTopic) {
    const auto found = graph.topics().find(question.name);
    if (found == graph.topics().end()) return std::nullopt;
    type = &found->second->type();
    out.type = type->name();
    out.takers = static_cast<std::uint32_t>(found->second->subscriptions().size());
  } else {
    const auto found = graph.services().find(question.name);
    if (found == graph.services().end() || !found->second->server()) return std::nullopt;
    type = found->second->type().request;
    out.type = found->second->type().name;
    out.takers = static_cast<std::uint32_t>(found->second->servers().size());
  }
  if (const auto bytes = encode(software, *type, question.text); !bytes) out.wrong = bytes.error().message();
  return out;
}

}  // namespace convoy
