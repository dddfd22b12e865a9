// What a ROS 2 program on Cyclone DDS knows of others: their endpoints from discovery, their nodes from ros_discovery_info.
#pragma once
#include <map>

#include "cyclone_node.h"

namespace peers {

struct Endpoint {
  Gid gid, participant;
  bool writes = false;
  std::string topic, type, user_data, qos;  // the last as members of a JSON object
};

struct NodeInfo {
  std::string full_name;
  std::vector<Gid> readers, writers;
};

// Of other participants alone. As rmw_cyclonedds does it, nodes count only of participants that tell their enclave.
class Graph {
 public:
  Graph(const Node& node, std::size_t gid_size);

  void update();

  const std::map<Gid, std::string>& participants() const { return participants_; }  // with their USER_DATA
  const std::map<Gid, Endpoint>& endpoints() const { return endpoints_; }
  std::vector<NodeInfo> nodes() const;
  std::size_t bad_infos() const { return bad_infos_; }

  // Every endpoint that nodes name has been discovered.
  bool complete() const;

 private:
  void update_participants();
  void update_endpoints(dds_entity_t reader, bool writes);
  void update_nodes();

  Gid own_;
  std::size_t gid_size_, bad_infos_ = 0;
  dds_entity_t participant_reader_, writer_reader_, reader_reader_, discovery_reader_;
  std::map<Gid, std::string> participants_;
  std::map<Gid, Endpoint> endpoints_;
  std::map<Gid, std::vector<NodeInfo>> nodes_;  // by participant
};

std::string json_text(const std::string& text);

}  // namespace peers
