#include "adapters/ros2/nodes_door.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "adapters/ros2/topics.h"
#include "agent/outsider.h"
#include "core/hash.h"

namespace convoy::ros2 {

namespace {

using Kind = OutsideTraffic::Kind;

constexpr Duration kServerAnswers = std::chrono::minutes(10);  // within, or its reply is dropped
constexpr std::int32_t kMaxDepth = 1000;                       // of a writer

bool of_users(const nodes::Node& node) { return node.rank() < nodes::kFirstSystemRank; }
bool of_outsider(const nodes::Node& node) { return !of_users(node) && node.name() == kOutsiderNode; }

bool stays(const std::string& name) { return name == "/clock" || name.starts_with("/convoy/"); }

Qos offered(const nodes::QoS& qos) {
  return {qos.reliable, qos.transient_local,
          static_cast<std::int32_t>(std::min<std::uint32_t>(qos.bound(), kMaxDepth))};
}

// What reaches any of the subscriptions reaches this.
Qos requested(const std::vector<nodes::Subscription*>& subscriptions) {
  Qos out{.reliable = true, .transient_local = true, .depth = 1};
  for (const nodes::Subscription* one : subscriptions) {
    const Qos own = offered(one->qos());
    out.reliable = out.reliable && own.reliable, out.transient_local = out.transient_local && own.transient_local;
    out.depth = std::max(out.depth, own.depth);
  }
  return out;
}

bool is_message(const nodes::MessageType& type, ByteView bytes) {
  void* object = type.from_bytes(bytes);
  if (object) type.destroy(object);
  return object != nullptr;
}

// That no other request has, of this door or of one before it.
std::uint64_t number_of(const ReplyTo& from) {
  return chain(hash64(from.client), static_cast<std::uint64_t>(from.sequence));
}

}  // namespace

NodesDoor::NodesDoor(DoorHere& here, WorldNumber agent, std::shared_ptr<NodesOutlet> outlet, HolderOf holder_of)
    : here_(here), agent_(agent), outlet_(std::move(outlet)), holder_of_(std::move(holder_of)) {
  outlet_->use();
}

NodesDoor::~NodesDoor() {
  *alive_ = false;
  if (!outlet_->graph()) return;
  for (const auto& [rank, one] : leaving_) outlet_->collect(one.topic, false);
}

template <class T>
T NodesDoor::made(Result<T> result, const std::string& what) {
  if (result) return std::move(*result);
  if (warned_.insert(what).second)
    here_.log.line(LogLevel::kWarn, fmt::format("ROS 2: {} stays inside: {}", what, result.error().message()));
  return nullptr;
}

// ---------------------------------------------------------------------------------------------------- endpoints

void NodesDoor::keep_up(const Names& taken) {
  const nodes::Graph* graph = outlet_->graph();
  if (!graph) return;
  const std::uint64_t version = graph->changes() + graph->interfaces_version();
  const bool anew = version_ != version || taken_ != taken.size();
  if (anew) version_ = version, taken_ = taken.size(), renew(taken);
  look_for_servers();
  collect(anew);
}

// Of each topic what any of its publishers has somebody for.
void NodesDoor::collect(bool anew) {
  for (auto& [rank, one] : leaving_) {
    const bool wanted = one.latched || one.end->wanted_outside();
    anew = std::exchange(one.wanted, wanted) != wanted || anew;
  }
  if (!anew) return;
  std::map<std::string, bool> wanted;
  for (const auto& [rank, one] : leaving_) wanted[one.topic] |= one.wanted;
  for (const auto& [topic, is] : wanted) outlet_->collect(topic, is);
}

void NodesDoor::renew(const Names& taken) {
  const nodes::Graph& graph = *outlet_->graph();
  close_gone(graph);
  for (const nodes::Node* node : graph.nodes())
    if (of_users(*node)) node_of(*node);
  open_topics(graph, taken);
  open_services(graph);
}

// What other nodes have of it is opened anew at these.
void NodesDoor::close_gone(const nodes::Graph& graph) {
  std::set<std::string, std::less<>> there;
  for (const nodes::Node* node : graph.nodes()) there.insert(node->full_name());
  std::set<const Node*> gone;
  for (const auto& [name, node] : nodes_)
    if (there.count(name) == 0) gone.insert(node.get());
  if (gone.empty()) return;
  const auto at_gone = [&](const auto& one) { return gone.count(one.second.node) > 0; };
  for (const auto& one : leaving_)
    if (at_gone(one)) outlet_->collect(one.second.topic, false);
  std::erase_if(leaving_, at_gone), std::erase_if(entering_, at_gone);
  std::erase_if(served_, at_gone), std::erase_if(called_, at_gone);
  std::erase_if(nodes_, [&](const auto& one) { return gone.count(one.second.get()) > 0; });
}

// What is made for nodes stands at the first of them.
Node& NodesDoor::node_of(const nodes::Node& node) {
  const nodes::Graph& graph = *outlet_->graph();
  const nodes::Node* own = &node;
  for (std::size_t i = 0; !of_users(*own) && i < graph.nodes().size(); ++i) own = graph.nodes()[i];
  auto& out = nodes_[own->full_name()];
  if (!out) out = std::make_unique<Node>(here_.domain, own->space(), own->name(), here_.party);
  return *out;
}

void NodesDoor::open_topics(const nodes::Graph& graph, const Names& taken) {
  std::set<std::uint32_t> publishers;
  std::set<std::string> subscriptions;
  for (const auto& [name, topic] : graph.topics()) {
    if (stays(name) || taken.count(name) > 0) continue;
    for (const nodes::Publisher* one : topic->publishers()) {
      if (of_outsider(one->node())) continue;
      publishers.insert(one->rank());
      if (leaving_.count(one->rank()) == 0) leave_by(*topic, *one);
    }
    if (topic->subscriptions().empty() || !nodes::goes_outside(name)) continue;
    subscriptions.insert(name);
    if (entering_.count(name) == 0) enter_by(*topic);
  }
  std::erase_if(leaving_, [&](const auto& one) {
    const bool gone = publishers.count(one.first) == 0;
    if (gone) outlet_->collect(one.second.topic, false);
    return gone;
  });
  std::erase_if(entering_, [&](const auto& one) { return subscriptions.count(one.first) == 0; });
}

void NodesDoor::leave_by(const nodes::Topic& topic, const nodes::Publisher& publisher) {
  Node& node = node_of(publisher.node());
  auto writer = made(node.publisher(topic.name(), topic.type(), offered(publisher.qos())), topic.name());
  if (!writer) return;
  Bytes bytes;
  for (const nodes::Delivery& kept : publisher.kept())  // from before it was seen here
    writer->publish(nodes::bytes_of(kept.message.type(), kept.message.get(), bytes));
  leaving_[publisher.rank()] = {{std::move(writer), &node}, topic.name(), publisher.qos().transient_local};
}

void NodesDoor::enter_by(const nodes::Topic& topic) {
  Node& node = node_of(topic.subscriptions()[0]->node());
  auto reader = made(node.subscription(topic.name(), topic.type(), requested(topic.subscriptions()),
                                       [this, name = topic.name(), &type = topic.type()](const Received& sample) {
                                         heard(name, type, sample);
                                       }),
                     topic.name());
  if (reader) entering_[topic.name()] = {std::move(reader), &node};
}

void NodesDoor::open_services(const nodes::Graph& graph) {
  std::set<std::string> served, called;
  for (const auto& [name, service] : graph.services()) {
    if (stays(name)) continue;
    if (service->server()) {
      served.insert(name);
      if (served_.count(name) == 0) serve(*service);
    } else if (!service->served_inside() && !service->clients().empty() && of_users(service->clients()[0]->node())) {
      called.insert(name);
      if (called_.count(name) == 0) call(*service);
    }
  }
  std::erase_if(served_, [&](const auto& one) { return served.count(one.first) == 0; });
  std::erase_if(called_, [&](const auto& one) { return called.count(one.first) == 0; });
  for (const std::string& name : outlet_->offered())
    if (called.count(name) == 0) comes({agent_, Kind::kWithdraw, name, "", 0, {}, ""});
}

void NodesDoor::serve(const nodes::ServiceName& service) {
  Node& node = node_of(service.server()->node());
  auto server = made(node.service(service.name(), service.type(),
                                  [this, name = service.name(), &type = service.type()](const ServiceRequest& request) {
                                    asked(name, type, request);
                                  }),
                     service.name());
  if (server) served_[service.name()] = {std::move(server), &node};
}

void NodesDoor::call(const nodes::ServiceName& service) {
  Node& node = node_of(service.clients()[0]->node());
  auto client = made(node.client(service.name(), service.type()), service.name());
  if (client) called_[service.name()] = {{std::move(client), &node}, service.type().name};
}

// Nodes may call what somebody outside serves from the next tick on.
void NodesDoor::look_for_servers() {
  for (const auto& [name, one] : called_) {
    const bool there = one.end->ready_outside(), offered = outlet_->offered().count(name) > 0;
    if (there == offered) continue;
    const Kind kind = there ? Kind::kOffer : Kind::kWithdraw;
    const auto says_so = [kind, &name = name](const auto& t) { return t.kind == kind && t.name == name; };
    if (std::none_of(incoming_.begin(), incoming_.end(), says_so)) comes({agent_, kind, name, one.type, 0, {}, ""});
  }
}

// ---------------------------------------------------------------------------------------------------- what comes

void NodesDoor::comes(OutsideTraffic traffic) {
  if (incoming_.size() == kMaxIncoming) incoming_.pop_front(), ++here_.domain.counts().crowded;
  incoming_.push_back(std::move(traffic));
}

void NodesDoor::heard(const std::string& topic, const nodes::MessageType& type, const Received& sample) {
  if (!outlet_->graph() || here_.domain.ours(sample.writer)) return;
  if (sample.cdr.size() > kMaxTrafficBytes) {
    ++here_.counts.too_large;
  } else if (!is_message(type, sample.cdr)) {
    ++here_.domain.counts().malformed;
  } else {
    comes({agent_, Kind::kMessage, topic, std::string(type.name()), 0, sample.cdr, holder_of_(sample.writer)});
  }
}

void NodesDoor::asked(const std::string& service, const nodes::ServiceType& type, const ServiceRequest& request) {
  if (!outlet_->graph() || here_.domain.ours(request.from.client)) return;
  if (request.cdr.size() > kMaxTrafficBytes) {
    ++here_.counts.too_large;
  } else if (!is_message(*type.request, request.cdr)) {
    ++here_.domain.counts().malformed;
  } else {
    const std::uint64_t number = number_of(request.from);
    if (asked_.size() == kMaxCalls) asked_.pop_front(), ++here_.domain.counts().crowded;
    asked_.push_back({number, service, request.from});
    comes({agent_, Kind::kRequest, service, type.name, number, request.cdr, holder_of_(request.from.client)});
  }
}

void NodesDoor::give(std::size_t& room, std::size_t& bytes, std::vector<Input>& inputs) {
  while (!incoming_.empty() && room > 0) {
    OutsideTraffic& next = incoming_.front();
    const std::size_t size = next.bytes.size() + next.name.size() + next.type.size() + next.holder.size();
    if (size > bytes) return;
    bytes -= size, --room;
    inputs.emplace_back(std::move(next));
    incoming_.pop_front();
  }
}

// --------------------------------------------------------------------------------------------------- what leaves

void NodesDoor::publish() {
  NodesOutlet::Taken all = outlet_->take();
  here_.domain.counts().crowded += all.dropped;
  for (const NodesOutlet::Message& message : all.messages) {
    const auto at = leaving_.find(message.publisher);
    if (at != leaving_.end()) at->second.end->publish(message.bytes);
  }
  for (const NodesOutlet::Response& response : all.responses) {
    const auto asked =
        std::find_if(asked_.begin(), asked_.end(), [&](const Asked& one) { return one.number == response.number; });
    if (asked == asked_.end()) continue;
    const auto server = served_.find(asked->service);
    if (server != served_.end()) server->second.end->reply(asked->from, response.bytes);
    asked_.erase(asked);
  }
  for (NodesOutlet::Request& request : all.requests) {
    const auto at = called_.find(request.service);
    if (at == called_.end()) continue;
    const auto replied = [this, alive = alive_, name = request.service, type = at->second.type,
                          number = request.number](Result<Bytes> reply) {
      if (!*alive || !reply) return;
      if (reply->size() > kMaxTrafficBytes) ++here_.counts.too_large;
      else comes({agent_, Kind::kResponse, name, type, number, std::move(*reply), ""});
    };
    at->second.end->call(request.bytes, here_.now + kServerAnswers, replied);
  }
}

// ---------------------------------------------------------------------------------------------- of all agents

// Of node graphs in domain 0, where a scenario does not say another, and in the domain that this is.
void NodesDoors::look_who_has_nodes() {
  const Fleet& fleet = *here_.fleet;
  if (std::exchange(roll_, fleet.roll()) == fleet.roll()) return;
  with_nodes_.clear();
  for (const std::unique_ptr<Agent>& agent : fleet.all())
    if (agent->equipment().nodes) with_nodes_.push_back(agent->number());
  std::erase_if(
      doors_, [&](const auto& one) { return !std::binary_search(with_nodes_.begin(), with_nodes_.end(), one.first); });
}

void NodesDoors::follow() {
  if (!here_.settings.nodes) return;
  look_who_has_nodes();
  const Fleet& fleet = *here_.fleet;
  const World& world = fleet.world();
  int opened = 0;
  for (const WorldNumber number : with_nodes_) {
    const auto& nodes = fleet.agent(number)->equipment().nodes;
    const std::uint32_t domain = world.entity(world.slot_of(number)).kind->domain;
    const std::shared_ptr<NodesOutlet> outlet =
        domain == 0 || domain == here_.settings.domain ? nodes->outlet() : nullptr;
    // A robot's nodes come and go with the robot's own.
    const RobotDoor* robot = robots_.find(number);
    if (!outlet || !outlet->graph() || (!robot && here_.control.roster().find(number))) {
      doors_.erase(number);
      continue;
    }
    auto& one = doors_[number];
    if (!one || !one->is_of(outlet.get())) {
      if (opened == kOpenedAtOnce) {
        doors_.erase(number);
        continue;  // it comes in a later call
      }
      ++opened;
      one = std::make_unique<NodesDoor>(here_, number, outlet, [this, number](const Guid& sender) {
        const RobotDoor* robot = robots_.find(number);
        return robot ? robot->claim().holder_of(sender) : std::string();
      });
    }
    static const NodesDoor::Names kNone;
    one->keep_up(robot ? robot->names() : kNone);
  }
}

void NodesDoors::give(std::size_t& room, std::vector<Input>& inputs) {
  std::size_t bytes = kMaxIncomingPerTick;
  for (auto& [number, door] : doors_) door->give(room, bytes, inputs);
}

void NodesDoors::publish() {
  for (auto& [number, door] : doors_) door->publish();
}

}  // namespace convoy::ros2
