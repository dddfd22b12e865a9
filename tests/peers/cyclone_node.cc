#include "cyclone_node.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace peers {
namespace {

using Qos = std::unique_ptr<dds_qos_t, decltype(&dds_delete_qos)>;

Qos qos_of(const EndpointQos& wanted) {
  Qos qos(dds_create_qos(), &dds_delete_qos);
  dds_qset_reliability(qos.get(), wanted.reliable ? DDS_RELIABILITY_RELIABLE : DDS_RELIABILITY_BEST_EFFORT,
                       DDS_INFINITY);
  dds_qset_durability(qos.get(), wanted.transient_local ? DDS_DURABILITY_TRANSIENT_LOCAL : DDS_DURABILITY_VOLATILE);
  dds_qset_history(qos.get(), wanted.keep_all ? DDS_HISTORY_KEEP_ALL : DDS_HISTORY_KEEP_LAST, wanted.depth);
  dds_qset_writer_data_lifecycle(qos.get(), false);
  const dds_data_representation_id_t xcdr1 = DDS_DATA_REPRESENTATION_XCDR1;
  dds_qset_data_representation(qos.get(), 1, &xcdr1);
  if (!wanted.user_data.empty()) dds_qset_userdata(qos.get(), wanted.user_data.data(), wanted.user_data.size());
  return qos;
}

Gid gid_of(dds_entity_t entity) {
  dds_guid_t guid;
  need(dds_get_guid(entity, &guid), "dds_get_guid");
  Gid gid;
  std::copy(std::begin(guid.v), std::end(guid.v), gid.begin());
  return gid;
}

// Little-endian CDR of what ros_discovery_info carries.
class Writer {
 public:
  void number(std::uint32_t value) {
    while (bytes_.size() % 4 != 0) bytes_.push_back(0);
    for (int i = 0; i < 4; ++i) bytes_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }
  void text(const std::string& value) {
    number(static_cast<std::uint32_t>(value.size() + 1));
    bytes_.insert(bytes_.end(), value.begin(), value.end());
    bytes_.push_back(0);
  }
  void gid(const Gid& value, std::size_t size) {
    bytes_.insert(bytes_.end(), value.begin(), value.end());
    bytes_.resize(bytes_.size() + size - value.size());
  }
  void gids(const std::vector<Gid>& values, std::size_t size) {
    number(static_cast<std::uint32_t>(values.size()));
    for (const Gid& one : values) gid(one, size);
  }
  const Bytes& bytes() const { return bytes_; }

 private:
  Bytes bytes_ = {0, 1, 0, 0};
};

constexpr char kDiscoveryTopic[] = "ros_discovery_info";
constexpr char kDiscoveryType[] = "rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_";

}  // namespace

std::string hex_of(const std::uint8_t* bytes, std::size_t count) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * count);
  for (std::size_t i = 0; i < count; ++i) text += digits[bytes[i] >> 4], text += digits[bytes[i] & 15];
  return text;
}

std::optional<Bytes> bytes_of(std::string_view hex) {
  const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
  if (hex.size() % 2 != 0) return std::nullopt;
  Bytes bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const int high = digit(hex[i]), low = digit(hex[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<std::uint8_t>(16 * high + low));
  }
  return bytes;
}

std::string dds_type(const std::string& ros_type, const std::string& suffix) {
  const std::size_t first = ros_type.find('/'), last = ros_type.rfind('/');
  if (first == std::string::npos || first == last) return ros_type;  // as DDS has it already
  return ros_type.substr(0, first) + "::" + ros_type.substr(first + 1, last - first - 1) +
         "::dds_::" + ros_type.substr(last + 1) + suffix + "_";
}

std::string user_data_of(const dds_qos_t* qos) {
  void* value = nullptr;
  std::size_t size = 0;
  std::string text;
  if (dds_qget_userdata(qos, &value, &size) && value != nullptr) text.assign(static_cast<const char*>(value), size);
  dds_free(value);
  return text;
}

std::string value_in(const std::string& user_data, const std::string& key) {
  for (std::size_t at = 0; at < user_data.size();) {
    const std::size_t end = std::min(user_data.find(';', at), user_data.size());
    if (user_data.compare(at, key.size() + 1, key + "=") == 0) {
      return user_data.substr(at + key.size() + 1, end - at - key.size() - 1);
    }
    at = end + 1;
  }
  return {};
}

dds_entity_t need(dds_entity_t result, const std::string& what) {
  if (result >= 0) return result;
  std::fprintf(stderr, "cyclone_peer: %s: %s\n", what.c_str(), dds_strretcode(result));
  std::exit(3);
}

std::string configuration(std::string_view discovery_range) {
  if (discovery_range != "LOCALHOST") return {};
  return "<CycloneDDS><Domain><General><AllowMulticast>false</AllowMulticast></General><Discovery>"
         "<ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>119</MaxAutoParticipantIndex>"
         "<Peers><Peer Address=\"localhost\"/></Peers></Discovery></Domain></CycloneDDS>";
}

Node::Node(dds_domainid_t domain, std::string space, std::string name, std::size_t gid_size)
    : space_(std::move(space)), name_(std::move(name)), gid_size_(gid_size) {
  const Qos qos(dds_create_qos(), &dds_delete_qos);
  constexpr std::string_view enclave = "enclave=/;";
  dds_qset_userdata(qos.get(), enclave.data(), enclave.size());
  participant_ = need(dds_create_participant(domain, qos.get(), nullptr), "no participant");
  gid_ = gid_of(participant_);
  const dds_entity_t topic =
      need(create_raw_topic(participant_, kDiscoveryTopic, kDiscoveryType), "no topic ros_discovery_info");
  EndpointQos discovery{.transient_local = true, .depth = 1};
  discovery_writer_ = need(dds_create_writer(participant_, topic, qos_of(discovery).get(), nullptr), kDiscoveryTopic);
  discovery.keep_all = true;
  discovery_reader_ = need(dds_create_reader(participant_, topic, qos_of(discovery).get(), nullptr), kDiscoveryTopic);
}

Node::~Node() { dds_delete(participant_); }

dds_entity_t Node::add_writer(const std::string& topic, const std::string& type, const EndpointQos& qos) {
  const dds_entity_t raw = need(create_raw_topic(participant_, topic, type), "no topic " + topic);
  const dds_entity_t writer = need(dds_create_writer(participant_, raw, qos_of(qos).get(), nullptr), topic);
  writers_.push_back(gid_of(writer));
  return writer;
}

dds_entity_t Node::add_reader(const std::string& topic, const std::string& type, const EndpointQos& qos) {
  const dds_entity_t raw = need(create_raw_topic(participant_, topic, type), "no topic " + topic);
  const dds_entity_t reader = need(dds_create_reader(participant_, raw, qos_of(qos).get(), nullptr), topic);
  readers_.push_back(gid_of(reader));
  return reader;
}

void Node::announce() {
  Writer info;
  info.gid(gid_, gid_size_);
  info.number(1);
  info.text(space_);
  info.text(name_);
  info.gids(readers_, gid_size_);
  info.gids(writers_, gid_size_);
  need(write_raw(discovery_writer_, info.bytes()), kDiscoveryTopic);
}

}  // namespace peers
