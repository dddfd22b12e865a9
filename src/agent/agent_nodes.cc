#include "agent/agent_nodes.h"

#include <algorithm>

#include "core/hash.h"
#include "core/overloads.h"

namespace convoy {
namespace {

constexpr std::size_t kPart = kMaxMessageBytes - 1024;

NodesAnswer::Node describe(const nodes::Graph& graph, const nodes::Node& node) {
  NodesAnswer::Node out;
  out.name = node.full_name();
  const auto is_its = [&](const auto* entity) { return &entity->node() == &node; };
  const auto note = [&](const auto& entities, auto& list, const std::string& name, std::string_view type) {
    if (std::any_of(entities.begin(), entities.end(), is_its)) list.push_back({name, std::string(type)});
  };
  for (const auto& [name, topic] : graph.topics()) {
    note(topic->publishers(), out.publishes, name, topic->type().name());
    note(topic->subscriptions(), out.subscribes, name, topic->type().name());
  }
  for (const auto& [name, service] : graph.services()) {
    note(service->servers(), out.serves, name, service->type().name);
    note(service->clients(), out.calls, name, service->type().name);
  }
  return out;
}

}  // namespace

AgentNodes::~AgentNodes() {
  if (outlet_) outlet_->close();
  if (software_) software_->graph().set_outside(nullptr);
}

void AgentNodes::end(Ended how) {
  if (outlet_) outlet_->close();
  if (!ended_) ended_ = std::move(how);
}

void AgentNodes::set_directory(const Directory& directory) {
  if (!software_ || over()) return;
  if (!outside_) outside_ = std::make_unique<AgentOutside>(directory, agent_, domain_);
  software_->graph().set_outside(outside_.get());
  software_->outside_changed();
}

void AgentNodes::receive(const nodes::RemoteMessage& message, WorldNumber from, Instant arrival) {
  if (!software_ || over()) return;
  // Two robots that use one name for different types do not get each other's messages, as in ROS 2.
  if (auto ok = software_->graph().incoming(message, from, arrival + start_);
      !ok && std::find(warned_.begin(), warned_.end(), message.name) == warned_.end()) {
    warned_.push_back(message.name);
    software_->graph().warn(ok.error().message());
  }
}

void AgentNodes::edited(const EditReply& reply) {
  if (software_ && !over()) software_->edited(reply);
}

std::uint64_t AgentNodes::digest() const {
  if (!software_) return 0;
  const std::uint64_t digest = software_->graph().digest();
  return seen_ != 0 ? chain(digest, seen_) : digest;
}

void AgentNodes::look(const ElementView& elements, Slot agent, const World& world, double view_radius) {
  if (!software_ || over() || !software_->looks_at_elements()) return;
  const std::vector<SeenElement> seen = elements.seen_by(agent, world, view_radius);
  std::uint64_t hash = 0;
  for (const SeenElement& one : seen) hash = chain(hash, one.hash);
  if (std::exchange(seen_, hash) != hash) software_->elements(seen);
}

void AgentNodes::answer(const NodesQuestion& question, NodesAnswer& out, std::size_t& room) {
  if (!software_) return;
  nodes::Graph& graph = software_->graph();
  using Kind = NodesQuestion::Kind;
  if (question.kind == Kind::kList) {
    const auto size = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
    for (const auto& [name, t] : graph.topics())
      out.topics.push_back({agent_, domain_, false, name, std::string(t->type().name()), size(t->publishers()),
                            size(t->subscriptions()), t->count()});
    for (const auto& [name, s] : graph.services())
      out.topics.push_back(
          {agent_, domain_, true, name, s->type().name, size(s->servers()), size(s->clients()), s->count()});
  } else if (question.kind == Kind::kNodes) {
    for (const nodes::Node* node : graph.nodes()) {
      if (!question.name.empty() && node->full_name() != question.name) continue;
      NodesAnswer::Node told = describe(graph, *node);
      std::size_t bytes = told.name.size();
      for (const auto* list : {&told.publishes, &told.subscribes, &told.serves, &told.calls})
        for (const auto& [name, type] : *list) bytes += name.size() + type.size();
      if (bytes > room) return;
      room -= bytes;
      told.agent = agent_, told.domain = domain_;
      out.nodes.push_back(std::move(told));
    }
  } else if (question.kind == Kind::kParameters) {
    for (nodes::Node* node : graph.nodes()) {
      if (!question.name.empty() && node->full_name() != question.name) continue;
      for (const std::string& name : node->parameters().names()) {
        const nodes::ParameterValue& value = *node->parameters().find(name);
        out.parameters.push_back({agent_, node->full_name(), name, std::string(nodes::to_string(nodes::type_of(value))),
                                  nodes::to_text(value), false, true});
        const std::size_t bytes = node->full_name().size() + name.size() + out.parameters.back().value.size();
        if (bytes > room) return out.parameters.pop_back();
        room -= bytes;
      }
    }
  } else if (question.kind == Kind::kTopic || question.kind == Kind::kService) {
    if (over()) return;
    if (auto taker = taker_of(question, *software_)) {
      taker->agent = agent_;
      const std::size_t bytes = taker->type.size() + taker->wrong.size();
      if (bytes > room) return;
      room -= bytes;
      out.takers.push_back(std::move(*taker));
    }
  } else if (question.kind == Kind::kResponse) {
    if (outsider_) outsider_->answer(question.watcher, agent_, out, room);
  } else {
    watchers_.answer(
        question, agent_, graph, [s = software_.get()](const nodes::Delivery& d) { return s->text_of(d); }, out, room);
  }
}

void AgentNodes::run_at(Instant t, const Readings* readings,
                        const std::function<void(const Twist&, Instant)>& command) {
  if (!software_ || over()) return;
  if (readings && std::exchange(begun_, true)) software_->graph().startup_over();
  if (!inputs_.empty()) carry_out_inputs(t + start_);
  if (auto ok = software_->run(t + start_, readings); !ok) return end({1, ok.error().message(), true});
  if (const auto twist = software_->take_command()) command(*twist, t);
  if (auto ended = software_->ended()) end(std::move(*ended));
}

void AgentNodes::carry_out_inputs(Instant t) {
  software_->graph().begin_instant(t);  // what their callbacks see is the time of now
  const Overloads carry_out{
      [this](const SetParameter& set) { return software_->set_parameter(set.node, set.name, set.value); },
      [this](const PublishMessage& message) { return outsider().publish(message); },
      [this](const CallService& call) { return outsider().call(call); },
      [this](const OutsideTraffic& traffic) { return outsider().pass(traffic); }};
  for (const NodesInput& input : std::exchange(inputs_, {}))
    if (auto ok = std::visit(carry_out, input); !ok) software_->graph().warn(ok.error().message());
}

Outsider& AgentNodes::outsider() { return outsider_ ? *outsider_ : outsider_.emplace(*software_, *outlet_); }

void AgentNodes::run_until(Instant end, const std::function<void(const Twist&, Instant)>& command) {
  while (software_ && !over()) {
    const Instant next = software_->next();
    if (next == nodes::kNoInstant || next - start_ >= end) return;
    run_at(next - start_, nullptr, command);
  }
}

// What is beyond the bounds is refused here already: the server does not take it.
void AgentNodes::send_edit_requests(Instant sent, const std::function<void(const char*, Bytes, Instant)>& send) {
  std::uint32_t asked = 0;
  for (const EditRequest& request : software_->take_edit_requests()) {
    Bytes bytes = save(request);
    if (++asked > kMaxEditRequests)
      software_->edited({request.id, static_cast<std::uint32_t>(ErrorCode::kUnavailable), kTooManyEdits, {}, {}});
    else if (bytes.size() > kMaxMessageBytes)
      software_->edited(
          {request.id, static_cast<std::uint32_t>(ErrorCode::kInvalid), "its names are too long", {}, {}});
    else send(kEditTopic, std::move(bytes), sent);
  }
}

void AgentNodes::take_sent(Instant end_of_tick, const std::function<void(const char*, Bytes, Instant)>& send) {
  if (software_) {
    std::size_t bytes = 0;
    for (const nodes::RemoteMessage& message : software_->graph().take_outgoing()) {
      bytes += message.bytes.size();
      if (message.bytes.size() > kMaxNodeMessage || bytes > kMaxNodeBytes) {
        end({1, "more leaves for other robots than may in one tick, the newest " + message.name, true});
        break;
      }
      Bytes all = save(message);
      std::size_t at = 0;
      for (; all.size() - at > kPart; at += kPart)
        send(
            kNodePart,
            Bytes(all.begin() + static_cast<std::ptrdiff_t>(at), all.begin() + static_cast<std::ptrdiff_t>(at + kPart)),
            message.published - start_);
      send(kNodeTopic, Bytes(all.begin() + static_cast<std::ptrdiff_t>(at), all.end()), message.published - start_);
    }
    const std::uint64_t version = over() ? ~std::uint64_t{0} : software_->graph().interfaces_version();
    if (announced_version_ != version) {
      announced_version_ = version;
      InterfacesMessage announced;
      if (!over())
        for (nodes::GraphInterface& i : software_->graph().interfaces())
          announced.all.push_back({i.service ? Interface::Kind::kServes : Interface::Kind::kSubscribes,
                                   in_domain(domain_, i.name), std::move(i.type)});
      if (announced.all.size() > kMaxInterfaces)
        end({1, "more than " + std::to_string(kMaxInterfaces) + " topics and services", true});
      else send(kInterfacesTopic, save(announced), end_of_tick - Duration(1));
    }
  }
  if (software_) send_edit_requests(end_of_tick - Duration(1), send);
  if (ended_ && !std::exchange(end_reported_, true))
    send(kEndedTopic, save(EndedMessage{ended_->exit_code, ended_->why, ended_->run}), end_of_tick - Duration(1));
}

}  // namespace convoy
