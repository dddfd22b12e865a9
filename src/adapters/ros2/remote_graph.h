// What a domain of ROS 2 has beside ourselves: participants, their endpoints, and the nodes that these belong to.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/ros2/discovery_info.h"
#include "adapters/ros2/wire.h"

namespace convoy::ros2 {

inline constexpr std::size_t kMaxRemoteEndpoints = 200'000;  // beyond these new ones are not kept, and counted

// A pair in USER_DATA of this project's own participants: the run that they are of.
inline constexpr const char* kRunDatum = "convoy_run";
// The number of its client among those of the run, and the node that the client has once it has a world.
inline constexpr const char* kClientDatum = "convoy_client";
inline constexpr const char* kClientNode = "simulation";

// A process of a run, by the lowest number of a client in it.
struct RunClient {
  std::uint32_t number = 0;
  Guid participant{};
};

// Whose request it was, and in which manner it is to be answered.
enum class Dialect : std::uint8_t { kFast, kCyclone };

class RemoteGraph {
 public:
  void take(const Discovery& what);
  void take(const ParticipantEntities& told);

  const RemoteEndpoint* find(const Guid& endpoint) const;
  // Of the type that it is an endpoint of; empty: it has not said.
  std::string_view type_hash(const Guid& endpoint) const;
  Dialect dialect(const Guid& request_writer) const;
  // rmw_cyclonedds: the reader of replies that belongs to a writer of requests.
  std::optional<Guid> reply_reader(const Guid& request_writer, std::string_view reply_topic) const;
  // Is the endpoint of a process of that run?
  bool of_run(const Guid& endpoint, std::string_view run) const;
  // Processes of that run whose clients have a world.
  std::vector<RunClient> clients_of(std::string_view run) const;
  // Has a process of that run a writer of the topic?
  bool run_writes(std::string_view run, std::string_view dds_topic) const;
  // Has one a node of that full name?
  bool run_has_node(std::string_view run, std::string_view name) const;
  // "/scout/robot"; empty: nobody has said so.
  std::string node_of(const Guid& endpoint) const;
  bool there(const Guid& participant) const;

  std::vector<std::string> nodes() const;  // full names, sorted, each once
  const std::map<Guid, RemoteEndpoint>& endpoints() const { return endpoints_; }
  const std::map<Guid, RemoteParticipant>& participants() const { return participants_; }
  // Another one whenever something has changed.
  std::uint64_t version() const { return version_; }
  std::uint64_t left_out() const { return left_out_; }

 private:
  std::map<Guid, RemoteParticipant> participants_;
  std::map<Guid, RemoteEndpoint> endpoints_;
  std::map<Guid, std::vector<NodeEntities>> nodes_;  // by participant
  std::uint64_t version_ = 0, left_out_ = 0;
};

Guid participant_of(const Guid& endpoint);
std::string full_name(std::string_view ns, std::string_view node);  // "/scout/robot"

}  // namespace convoy::ros2
