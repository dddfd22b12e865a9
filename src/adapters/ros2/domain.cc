#include "adapters/ros2/domain.h"

#include <fmt/format.h>

#include <algorithm>

#include "adapters/ros2/names.h"
#include "adapters/ros2/topics.h"
#include "core/check.h"

namespace convoy::ros2 {

namespace {

constexpr const char* kDiscoveryHash = "RIHS01_91a0593bacdcc50ea9bdcf849a938b128412cc1ea821245c663bcd26f83c295e";
constexpr Duration kAgain = std::chrono::milliseconds(2);  // between looks at what DDS does not ring for

}  // namespace

Result<std::unique_ptr<Domain>> Domain::open(const OpenWire& open, DomainOptions options) {
  std::unique_ptr<Domain> out(new Domain(std::move(options)));
  std::string user_data = "enclave=/;";
  if (!out->options_.run.empty()) user_data += std::string(kRunDatum) + "=" + out->options_.run + ";";
  if (out->options_.client > 0) user_data += fmt::format("{}={};", kClientDatum, out->options_.client);
  auto opened = open(user_data);
  if (!opened) return tl::unexpected(opened.error());
  out->wire_ = std::move(*opened);
  if (auto ok = out->tell_of_nodes(); !ok) return tl::unexpected(ok.error());
  return out;
}

Status Domain::tell_of_nodes() {
  // Humble's endpoints have no hash.
  const std::string datum = options_.gids == GidSize::kIron ? type_hash_datum(kDiscoveryHash) : std::string();
  auto writer = wire_->make_writer({kDiscoveryTopic, kDiscoveryType, kLatched, datum});
  if (!writer) return tl::unexpected(writer.error());
  auto reader = wire_->make_reader({kDiscoveryTopic, kDiscoveryType, {.transient_local = true, .depth = 0}, datum});
  if (!reader) return tl::unexpected(reader.error());
  telling_ = {std::move(*writer), std::move(*reader), true};
  return {};
}

Domain::~Domain() {
  EXPECTS(places_.empty() && nodes_.empty());
  telling_.writer.reset(), telling_.reader.reset();
}

// ------------------------------------------------------------------------------------------------------ spin

void Domain::spin(Moment now, Party party) {
  now_ = now;
  std::vector<WireReader*> ready = std::exchange(unfinished_, {});
  wire_->clear_descriptor();
  for (const Discovery& what : wire_->take_discoveries())
    if (!own(what.participant.guid) && !own(what.endpoint.guid)) graph_.take(what);
  for (WireReader* reader : wire_->take_ready())
    if (std::find(ready.begin(), ready.end(), reader) == ready.end()) ready.push_back(reader);
  for (WireReader* reader : ready) {
    hear_of_nodes(*reader);
    if (readers_.count(reader) == 0) continue;  // gone, or was that
    if (party_of(*reader) == party) hand_over(*reader);
    else unfinished_.push_back(reader);
  }
  for (Endpoint* one : std::exchange(waiting_, {})) {
    const auto place = places_.find(one);
    if (place != places_.end() && (place->second.node->party() != party || one->work(now) != kNever)) one->wait();
  }
  publish_nodes();
}

Party Domain::party_of(WireReader& reader) const { return places_.find(readers_.at(&reader))->second.node->party(); }

void Domain::hear_of_nodes(WireReader& reader) {
  if (telling_.reader.get() != &reader) return;
  for (Received got; reader.take(got);) {
    const auto told = decode_entities(got.cdr);
    if (!told) ++counts_.malformed;
    else if (!own(told->participant)) graph_.take(*told);
  }
}

// The reader may go in one of its callbacks.
void Domain::hand_over(WireReader& reader) {
  Received got;
  for (int i = 0; i < kMaxTakenAtOnce; ++i) {
    const auto to = readers_.find(&reader);
    if (to == readers_.end() || !reader.take(got)) return;
    ++counts_.received;
    to->second->received(got);
  }
  if (readers_.count(&reader) > 0) unfinished_.push_back(&reader);
}

void Domain::publish_nodes() {
  if (!std::exchange(telling_.due, false)) return;
  ParticipantEntities told{wire_->guid(), {}};
  std::map<const Node*, std::size_t> index;
  for (const Node* node : nodes_)
    index[node] = told.nodes.size(), told.nodes.push_back({node->ns(), node->name(), {}, {}});
  std::vector<const Place*> sorted;
  for (const auto& [endpoint, place] : places_) sorted.push_back(&place);
  std::sort(sorted.begin(), sorted.end(), [](const Place* a, const Place* b) { return a->guid < b->guid; });
  for (const Place* place : sorted) {
    NodeEntities& node = told.nodes[index.at(place->node)];
    (place->writer ? node.writers : node.readers).push_back(place->guid);
  }
  (void)telling_.writer->write(encode(told, options_.gids));
}

Moment Domain::deadline(Party party) const {
  if (telling_.due) return now_;
  for (WireReader* reader : unfinished_)
    if (readers_.count(reader) > 0 && party_of(*reader) == party) return now_;
  for (Endpoint* one : waiting_)
    if (places_.find(one)->second.node->party() == party) return now_ + kAgain;
  return kNever;
}

std::vector<int> Domain::descriptors() const { return {wire_->descriptor()}; }

bool Domain::own(const Guid& guid) const { return same_participant(wire_->guid(), guid); }

bool Domain::ours(const Guid& endpoint) const {
  return own(endpoint) || (!options_.run.empty() && graph_.of_run(endpoint, options_.run));
}

bool Domain::node_elsewhere(std::string_view ns, std::string_view name, Party party) const {
  const auto it_is = [&](const Node* node) {
    return node->party() != party && node->ns() == ns && node->name() == name;
  };
  return std::any_of(nodes_.begin(), nodes_.end(), it_is) ||
         (!options_.run.empty() && graph_.run_has_node(options_.run, full_name(ns, name)));
}

// ------------------------------------------------------------------------------------------- nodes and endpoints

void Domain::enter(const Node& node) {
  nodes_.push_back(&node);
  telling_.due = true;
}

void Domain::leave(const Node& node) {
  std::erase(nodes_, &node);
  telling_.due = true;
}

void Domain::enter(Endpoint& endpoint, const Place& place, WireReader* reader) {
  places_.insert({&endpoint, place});
  if (reader) readers_[reader] = &endpoint;
  telling_.due = true;
}

void Domain::leave(Endpoint& endpoint) {
  if (places_.erase(&endpoint) > 0) telling_.due = true;
  std::erase_if(readers_, [&](const auto& one) { return one.second == &endpoint; });
  std::erase(waiting_, &endpoint);
}

void Endpoint::wait() {
  auto& waiting = domain_.waiting_;
  if (std::find(waiting.begin(), waiting.end(), this) == waiting.end()) waiting.push_back(this);
}

Result<std::unique_ptr<WireWriter>> Endpoint::make_writer(const Node& node, const EndpointSpec& spec) {
  auto made = domain_.wire_->make_writer(spec);
  if (made) domain_.enter(*this, {&node, true, (*made)->guid()}, nullptr);
  return made;
}

Result<std::unique_ptr<WireReader>> Endpoint::make_reader(const Node& node, const EndpointSpec& spec) {
  auto made = domain_.wire_->make_reader(spec);
  if (made) domain_.enter(*this, {&node, false, (*made)->guid()}, made->get());
  return made;
}

Node::Node(Domain& domain, std::string ns, std::string name, Party party)
    : domain_(domain), ns_(std::move(ns)), name_(std::move(name)), party_(party) {
  domain_.enter(*this);
}
Node::~Node() { domain_.leave(*this); }

Result<std::unique_ptr<Publisher>> Node::publisher(std::string_view topic, const TypeName& type, const Qos& qos) {
  const auto name = resolve_name(topic, ns_, name_);
  if (!name) return tl::unexpected(name.error());
  std::unique_ptr<Publisher> out(new Publisher(domain_));
  auto writer = out->make_writer(*this, {dds_topic(*name), dds_type(type.name), qos, type_hash_datum(type.hash)});
  if (!writer) return tl::unexpected(writer.error());
  out->writer_ = std::move(*writer), out->topic_ = *name;
  return out;
}

Result<std::unique_ptr<Subscription>> Node::subscription(std::string_view topic, const TypeName& type, const Qos& qos,
                                                         Hears hears) {
  const auto name = resolve_name(topic, ns_, name_);
  if (!name) return tl::unexpected(name.error());
  std::unique_ptr<Subscription> out(new Subscription(domain_, std::move(hears)));
  auto reader = out->make_reader(*this, {dds_topic(*name), dds_type(type.name), qos, type_hash_datum(type.hash)});
  if (!reader) return tl::unexpected(reader.error());
  out->reader_ = std::move(*reader);
  return out;
}

}  // namespace convoy::ros2
