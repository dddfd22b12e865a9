#include "nodes/service.h"

#include <algorithm>

#include "nodes/graph.h"

namespace convoy::nodes {

ServiceName::ServiceName(std::string name, const ServiceType& type)
    : name_(std::move(name)), type_(&type), key_(hash64(as_bytes(name_))) {}

Service::Service(Graph& graph, Node& node, ServiceName& name, ServiceSpec spec)
    : Receiver(graph, spec.group ? *spec.group : node.default_group(), kMaxCallsWaiting, std::move(spec.callback),
               spec.ranks),
      node_(&node),
      name_(&name),
      for_outside_(spec.for_outside) {
  node.hold_node();
  delay_ = graph.delays_.sender(DelayRule::Of::kResponse, name.name_, node.full_name(), 0);
  auto& servers = name.servers_;
  const auto place = for_outside_
                         ? servers.end()
                         : std::find_if(servers.begin(), servers.end(), [](auto* s) { return s->for_outside_; });
  if (place != servers.begin())
    graph.warn("service '" + name.name_ + "': " + servers[0]->node_->full_name() + " answers; " + node.full_name() +
               ", which offers it too, will not be asked");
  servers.insert(place, this);
  note_interface();
}

Service::~Service() { node_->release_node(); }

void Service::detach() {
  std::erase(name_->servers_, this);
  note_interface();
}

void Service::note_interface() {
  if (for_outside_) {
    ++graph()->changes_;  // nodes that wait for it look again
    return;
  }
  ++graph()->interfaces_version_;
  graph()->note_change(*this);
}

Service* ServiceName::server() const { return servers_.empty() || servers_[0]->for_outside() ? nullptr : servers_[0]; }

void Service::respond(const CallId& call, MessageValue response) {
  if (!graph()) return;
  Graph& g = *graph();
  entered("a response of", name_->name());
  g.note_published(~name_->key_, rank(), call.index, *name_->type_->response, response.get());
  const Duration by = delay_ ? delay_.draw() : Duration(0);
  if (g.answer_away(*this, call, response, delay_ ? by : kNoDelay)) return;
  const auto& clients = name_->clients_;
  const auto at = std::lower_bound(clients.begin(), clients.end(), call.client,
                                   [](const Client* c, std::uint32_t rank) { return c->rank() < rank; });
  if (at == clients.end() || (*at)->rank() != call.client) return;
  Delivery delivery{std::move(response), g.now(), {}, call.index, call.client};
  if (by > Duration(0)) g.delay(by, nullptr, nullptr, *at, node_->origin(), std::move(delivery));
  else (*at)->push(std::move(delivery));
}

Client::Client(Graph& graph, Node& node, ServiceName& name, ServiceSpec spec)
    : Receiver(graph, spec.group ? *spec.group : node.default_group(), kMaxCallsWaiting, std::move(spec.callback),
               spec.ranks),
      node_(&node),
      name_(&name) {
  node.hold_node();
  std::uint32_t ordinal = 0;
  for (const Client* c : name.clients_) ordinal += c->node_->full_name() == node.full_name();
  delay_ = graph.delays_.sender(DelayRule::Of::kRequest, name.name_, node.full_name(), ordinal);
  // By rank, as responses look for them: those of users come before what is made for others.
  const auto next = std::upper_bound(name.clients_.begin(), name.clients_.end(), rank(),
                                     [](std::uint32_t rank, const Client* c) { return rank < c->rank(); });
  name.clients_.insert(next, this);
  graph.note_change(*this);
}

Client::~Client() { node_->release_node(); }

void Client::detach() {
  std::erase(name_->clients_, this);
  graph()->note_change(*this);
}

std::uint64_t Client::call(MessageValue request) {
  entered("a request to", name_->name());
  const std::uint64_t index = next_index_++;
  if (!graph()) return index;
  Graph& g = *graph();
  ++name_->count_;
  g.note_published(name_->key_, rank(), index, *name_->type_->request, request.get());
  if (name_->remote_ != kNoEntity && !name_->server()) {
    g.call_away(*this, index, request, delay_ ? delay_.draw() : kNoDelay);
    return index;
  }
  if (name_->servers_.empty()) {
    if (g.lost_calls_++ == 0) g.warn("service '" + name_->name_ + "': nobody offers it; a request is lost");
    return index;
  }
  Service* server = name_->servers_[0];
  Delivery delivery{std::move(request), g.now(), {}, index, rank()};
  const Duration by = delay_ ? delay_.draw() : Duration(0);
  if (by > Duration(0)) g.delay(by, nullptr, nullptr, server, node_->origin(), std::move(delivery));
  else server->push(std::move(delivery));
  return index;
}

}  // namespace convoy::nodes
