#include "adapters/ros2/remote_graph.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "adapters/ros2/names.h"

namespace convoy::ros2 {

namespace {

constexpr std::array<std::uint8_t, 4> kParticipantId{0, 0, 1, 0xc1};
constexpr std::array<std::uint8_t, 2> kCycloneVendor{1,
                                                     0x10};  // of the first bytes of a guid, as the OMG gives them out

bool has(const std::vector<Guid>& guids, const Guid& guid) {
  return std::find(guids.begin(), guids.end(), guid) != guids.end();
}

}  // namespace

Guid participant_of(const Guid& endpoint) {
  Guid out = endpoint;
  std::copy(kParticipantId.begin(), kParticipantId.end(), out.begin() + 12);
  return out;
}

std::string full_name(std::string_view ns, std::string_view node) {
  return (ns == "/" ? "" : std::string(ns)) + "/" + std::string(node);
}

void RemoteGraph::take(const Discovery& what) {
  ++version_;
  switch (what.kind) {
    case Discovery::Kind::kParticipant: participants_[what.participant.guid] = what.participant; break;
    case Discovery::Kind::kParticipantGone:
      participants_.erase(what.participant.guid);
      nodes_.erase(what.participant.guid);
      std::erase_if(endpoints_, [&](const auto& one) { return same_participant(one.first, what.participant.guid); });
      break;
    case Discovery::Kind::kEndpoint:
      if (endpoints_.size() < kMaxRemoteEndpoints) endpoints_[what.endpoint.guid] = what.endpoint;
      else ++left_out_;
      break;
    case Discovery::Kind::kEndpointGone: endpoints_.erase(what.endpoint.guid); break;
  }
}

void RemoteGraph::take(const ParticipantEntities& told) { nodes_[told.participant] = told.nodes, ++version_; }

const RemoteEndpoint* RemoteGraph::find(const Guid& endpoint) const {
  const auto at = endpoints_.find(endpoint);
  return at == endpoints_.end() ? nullptr : &at->second;
}

std::string_view RemoteGraph::type_hash(const Guid& endpoint) const {
  const RemoteEndpoint* one = find(endpoint);
  return one ? user_datum(one->user_data, "typehash") : std::string_view();
}

Dialect RemoteGraph::dialect(const Guid& request_writer) const {
  const RemoteEndpoint* one = find(request_writer);
  const bool says_so = one && !user_datum(one->user_data, "clientid").empty();
  const bool made_so = std::equal(kCycloneVendor.begin(), kCycloneVendor.end(), request_writer.begin());
  return says_so || (!one && made_so) ? Dialect::kCyclone : Dialect::kFast;
}

std::optional<Guid> RemoteGraph::reply_reader(const Guid& request_writer, std::string_view reply_topic) const {
  const RemoteEndpoint* writer = find(request_writer);
  if (!writer) return std::nullopt;
  const std::string_view client = user_datum(writer->user_data, "clientid");
  // Those of a participant lie beside each other.
  Guid from = request_writer;
  std::fill(from.begin() + 12, from.end(), std::uint8_t{0});
  for (auto at = endpoints_.lower_bound(from); at != endpoints_.end() && same_participant(at->first, from); ++at)
    if (const RemoteEndpoint& one = at->second;
        !one.writer && one.topic == reply_topic && user_datum(one.user_data, "clientid") == client)
      return one.guid;
  return std::nullopt;
}

bool RemoteGraph::of_run(const Guid& endpoint, std::string_view run) const {
  const auto at = participants_.find(participant_of(endpoint));
  return at != participants_.end() && user_datum(at->second.user_data, kRunDatum) == run;
}

std::vector<RunClient> RemoteGraph::clients_of(std::string_view run) const {
  std::vector<RunClient> out;
  for (const auto& [guid, nodes] : nodes_) {
    const auto at = participants_.find(guid);
    if (at == participants_.end() || user_datum(at->second.user_data, kRunDatum) != run) continue;
    const std::string_view text = user_datum(at->second.user_data, kClientDatum);
    RunClient one{0, guid};
    const bool numbered = std::from_chars(text.data(), text.data() + text.size(), one.number).ec == std::errc{};
    const auto its_own = [](const NodeEntities& node) { return node.name == kClientNode; };
    if (numbered && std::any_of(nodes.begin(), nodes.end(), its_own)) out.push_back(one);
  }
  return out;
}

bool RemoteGraph::run_writes(std::string_view run, std::string_view dds_topic) const {
  return std::any_of(endpoints_.begin(), endpoints_.end(), [&](const auto& one) {
    return one.second.writer && one.second.topic == dds_topic && of_run(one.first, run);
  });
}

bool RemoteGraph::run_has_node(std::string_view run, std::string_view name) const {
  return std::any_of(nodes_.begin(), nodes_.end(), [&](const auto& told) {
    const auto is_it = [&](const NodeEntities& node) { return full_name(node.ns, node.name) == name; };
    return of_run(told.first, run) && std::any_of(told.second.begin(), told.second.end(), is_it);
  });
}

std::string RemoteGraph::node_of(const Guid& endpoint) const {
  const auto at = nodes_.find(participant_of(endpoint));
  if (at == nodes_.end()) return {};
  for (const NodeEntities& node : at->second)
    if (has(node.readers, endpoint) || has(node.writers, endpoint)) return full_name(node.ns, node.name);
  return {};
}

bool RemoteGraph::there(const Guid& participant) const { return participants_.count(participant) > 0; }

std::vector<std::string> RemoteGraph::nodes() const {
  std::set<std::string> out;
  for (const auto& [participant, nodes] : nodes_)
    for (const NodeEntities& node : nodes) out.insert(full_name(node.ns, node.name));
  return {out.begin(), out.end()};
}

}  // namespace convoy::ros2
