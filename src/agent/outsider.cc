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
Result<nodes::MessageValue> message_of(const Software& software, const nodes::MessageType& type,
                                       const std::string& text, const std::string& name) {
  const auto bytes = encode(software, type, text);
  if (!bytes) return fail(bytes.error().code, bytes.error().message(), name);
  void* object = type.from_bytes(*bytes);
  if (!object) return fail(ErrorCode::kInvalid, "is no message of type " + std::string(type.name()), name);
  return nodes::MessageValue::owned(type, object);
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
  const auto& topics = software_.graph().topics();
  const auto found = topics.find(message.topic);
  if (found == topics.end()) return fail(ErrorCode::kNotFound, "no node has the topic '" + message.topic + "'");
  const nodes::MessageType& type = found->second->type();
  if (auto ok = check_type(message.topic, type.name(), message.type); !ok) return ok;
  auto value = message_of(software_, type, message.text, message.topic);
  if (!value) return tl::unexpected(value.error());
  const auto own = node();
  if (!own) return tl::unexpected(own.error());
  auto& publisher = publishers_[message.topic];
  if (!publisher) {
    auto made = (*own)->create_publisher(
        {.topic = message.topic, .type = &type, .qos = kQuality, .ranks = nodes::Ranks::kSystem});
    if (!made) return tl::unexpected(made.error());
    publisher = std::move(*made);
  }
  publisher->publish(std::move(*value));
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
  const auto& services = software_.graph().services();
  const auto found = services.find(call.service);
  if (found == services.end() || found->second->servers().empty())
    return fail(ErrorCode::kNotFound, "no node serves '" + call.service + "'");
  const nodes::ServiceType& type = found->second->type();
  if (auto ok = check_type(call.service, type.name, call.type); !ok) return ok;
  auto value = message_of(software_, *type.request, call.text, call.service);
  if (!value) return tl::unexpected(value.error());
  const auto own = client(*found->second);
  if (!own) return tl::unexpected(own.error());
  if (under_way_.size() == kMaxCallsUnderWay) under_way_.pop_front();
  under_way_.push_back({found->second.get(), (*own)->call(std::move(*value)), call.id});
  return {};
}

void Outsider::responded(const nodes::ServiceName& service, const nodes::Delivery& response) {
  const auto call = std::find_if(under_way_.begin(), under_way_.end(), [&](const Call& one) {
    return one.service == &service && one.index == response.index;
  });
  if (call == under_way_.end()) return;
  std::string text = software_.text_of(response);
  if (text.size() > kMaxMessageText) text.resize(kMaxMessageText), text += "...\n";
  keep(call->id, {{}, software_.graph().now(), std::move(text), {}});
  under_way_.erase(call);
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
    if (found == graph.services().end() || found->second->servers().empty()) return std::nullopt;
    type = found->second->type().request;
    out.type = found->second->type().name;
    out.takers = static_cast<std::uint32_t>(found->second->servers().size());
  }
  if (const auto bytes = encode(software, *type, question.text); !bytes) out.wrong = bytes.error().message();
  return out;
}

}  // namespace convoy
