// A ROS 2 node on Cyclone DDS as rmw_cyclonedds makes it look from outside.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "raw_type.h"

namespace peers {

using Gid = std::array<std::uint8_t, 16>;  // as ROS shows it: the participant's 12 bytes, then the entity's 4

std::string hex_of(const std::uint8_t* bytes, std::size_t count);
inline std::string hex_of(const Bytes& bytes) { return hex_of(bytes.data(), bytes.size()); }
inline std::string hex_of(const Gid& gid) { return hex_of(gid.data(), gid.size()); }
std::optional<Bytes> bytes_of(std::string_view hex);

// "pkg/msg/Name" and a suffix as DDS has it: pkg::msg::dds_::Name<suffix>_.
std::string dds_type(const std::string& ros_type, const std::string& suffix = "");
// The value of `key=value;` in USER_DATA, empty if there is none.
std::string user_data_of(const dds_qos_t* qos);
std::string value_in(const std::string& user_data, const std::string& key);

struct EndpointQos {
  bool reliable = true;
  bool transient_local = false;
  bool keep_all = false;
  int depth = 10;
  std::string user_data;
};

// Exits with what went wrong: without a participant or an endpoint there is nothing to test.
dds_entity_t need(dds_entity_t result, const std::string& what);

// The configuration of rmw_cyclonedds for ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST; empty for other ranges, which are
// Cyclone's own settings. Indices of participants go as far as ports of a domain do.
std::string configuration(std::string_view discovery_range);

// Announces its endpoints in ros_discovery_info, whole after each.
class Node {
 public:
  Node(dds_domainid_t domain, std::string space, std::string name, std::size_t gid_size);
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node();

  dds_entity_t add_writer(const std::string& topic, const std::string& type, const EndpointQos& qos);
  dds_entity_t add_reader(const std::string& topic, const std::string& type, const EndpointQos& qos);
  void announce();

  dds_entity_t participant() const { return participant_; }
  dds_entity_t discovery_reader() const { return discovery_reader_; }
  Gid gid() const { return gid_; }

 private:
  std::string space_, name_;
  std::size_t gid_size_;
  dds_entity_t participant_ = 0, discovery_writer_ = 0, discovery_reader_ = 0;
  Gid gid_{};
  std::vector<Gid> writers_, readers_;
};

}  // namespace peers
