#include "cyclone_graph.h"

#include <algorithm>
#include <cstdio>
#include <functional>

namespace peers {
namespace {

Gid gid_of(const dds_guid_t& guid) {
  Gid gid;
  std::copy(std::begin(guid.v), std::end(guid.v), gid.begin());
  return gid;
}

// CDR of either byte order; what lies beyond its end is empty, and it is no longer good.
class Reader {
 public:
  explicit Reader(const Bytes& bytes) : bytes_(bytes), little_(bytes.size() > 1 && bytes[1] == 1) {
    good_ = bytes.size() >= 4 && bytes[0] == 0 && bytes[1] <= 1;
  }
  std::uint32_t number() {
    at_ = (at_ + 3) / 4 * 4;  // of the whole: the header has four bytes
    if (!has(4)) return 0;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value |= std::uint32_t{bytes_[at_ + i]} << (8 * (little_ ? i : 3 - i));
    at_ += 4;
    return value;
  }
  std::string text() {
    const std::uint32_t length = number();
    if (length == 0 || !has(length)) return {};
    std::string value(bytes_.begin() + at(), bytes_.begin() + at() + length - 1);
    at_ += length;
    return value;
  }
  Gid gid(std::size_t size) {
    Gid value{};
    if (!has(size)) return value;
    std::copy_n(bytes_.begin() + at(), value.size(), value.begin());
    at_ += size;
    return value;
  }
  std::vector<Gid> gids(std::size_t size) {
    std::vector<Gid> values;
    for (std::uint32_t left = number(); good_ && left > 0; --left) values.push_back(gid(size));
    return values;
  }
  bool good() const { return good_; }

 private:
  bool has(std::size_t count) { return good_ = good_ && count <= bytes_.size() - at_; }
  std::ptrdiff_t at() const { return static_cast<std::ptrdiff_t>(at_); }

  const Bytes& bytes_;
  bool little_, good_;
  std::size_t at_ = 4;
};

std::string duration_text(dds_duration_t duration) {
  return duration == DDS_INFINITY ? "null" : std::to_string(duration);
}

std::string qos_text(const dds_qos_t* qos) {
  std::string text;
  const auto add = [&text](const std::string& name, const std::string& value) {
    text += ", \"" + name + "\": " + value;
  };
  dds_reliability_kind_t reliability;
  dds_duration_t duration;
  if (dds_qget_reliability(qos, &reliability, &duration)) {
    add("reliability", reliability == DDS_RELIABILITY_RELIABLE ? "\"reliable\"" : "\"best_effort\"");
  }
  dds_durability_kind_t durability;
  if (dds_qget_durability(qos, &durability)) {
    constexpr const char* names[] = {"\"volatile\"", "\"transient_local\"", "\"transient\"", "\"persistent\""};
    add("durability", names[durability]);
  }
  dds_liveliness_kind_t liveliness;
  if (dds_qget_liveliness(qos, &liveliness, &duration)) {
    constexpr const char* names[] = {"\"automatic\"", "\"manual_by_participant\"", "\"manual_by_topic\""};
    add("liveliness", names[liveliness]);
    add("lease_ns", duration_text(duration));
  }
  if (dds_qget_deadline(qos, &duration)) add("deadline_ns", duration_text(duration));
  if (dds_qget_lifespan(qos, &duration)) add("lifespan_ns", duration_text(duration));
  std::uint32_t count = 0;
  dds_data_representation_id_t* representations = nullptr;
  if (dds_qget_data_representation(qos, &count, &representations)) {
    std::string list;
    for (std::uint32_t i = 0; i < count; ++i) list += (i ? ", " : "") + std::to_string(representations[i]);
    add("representations", "[" + list + "]");
    dds_free(representations);
  }
  return text;
}

// Takes all samples of a built-in topic, 64 at a time.
template <class T>
void take_all(dds_entity_t reader, const std::function<void(const T&, bool lives)>& each) {
  void* samples[64] = {};
  dds_sample_info_t infos[64];
  while (true) {
    const dds_return_t count = dds_take(reader, samples, infos, 64, 64);
    if (count <= 0) return;
    for (dds_return_t i = 0; i < count; ++i) {
      each(*static_cast<const T*>(samples[i]),
           infos[i].valid_data && infos[i].instance_state == DDS_ALIVE_INSTANCE_STATE);
    }
    dds_return_loan(reader, samples, count);
  }
}

std::string full_name(const std::string& space, const std::string& name) {
  return space + (space.ends_with('/') ? "" : "/") + name;
}

}  // namespace

Graph::Graph(const Node& node, std::size_t gid_size)
    : own_(node.gid()), gid_size_(gid_size), discovery_reader_(node.discovery_reader()) {
  const auto reader_of = [&node](dds_entity_t topic) {
    return need(dds_create_reader(node.participant(), topic, nullptr, nullptr), "no reader of a built-in topic");
  };
  participant_reader_ = reader_of(DDS_BUILTIN_TOPIC_DCPSPARTICIPANT);
  writer_reader_ = reader_of(DDS_BUILTIN_TOPIC_DCPSPUBLICATION);
  reader_reader_ = reader_of(DDS_BUILTIN_TOPIC_DCPSSUBSCRIPTION);
}

void Graph::update() {
  update_participants();
  update_endpoints(writer_reader_, true);
  update_endpoints(reader_reader_, false);
  update_nodes();
}

void Graph::update_participants() {
  take_all<dds_builtintopic_participant_t>(participant_reader_, [this](const auto& one, bool lives) {
    const Gid gid = gid_of(one.key);
    if (gid == own_) return;
    if (lives) {
      participants_[gid] = user_data_of(one.qos);
    } else {
      participants_.erase(gid), nodes_.erase(gid);
    }
  });
}

void Graph::update_endpoints(dds_entity_t reader, bool writes) {
  take_all<dds_builtintopic_endpoint_t>(reader, [this, writes](const auto& one, bool lives) {
    const Gid gid = gid_of(one.key);
    if (!lives) {
      endpoints_.erase(gid);
      return;
    }
    const Gid participant = gid_of(one.participant_key);
    if (participant == own_) return;
    endpoints_[gid] = {.gid = gid,
                       .participant = participant,
                       .writes = writes,
                       .topic = one.topic_name,
                       .type = one.type_name,
                       .user_data = user_data_of(one.qos),
                       .qos = qos_text(one.qos)};
  });
}

void Graph::update_nodes() {
  while (true) {
    const std::vector<Sample> samples = take_raw(discovery_reader_);
    if (samples.empty()) return;
    for (const Sample& sample : samples) {
      Reader info(sample.cdr);
      const Gid participant = info.gid(gid_size_);
      std::vector<NodeInfo> nodes;
      for (std::uint32_t left = info.number(); info.good() && left > 0; --left) {
        const std::string space = info.text();
        NodeInfo& node = nodes.emplace_back();
        node.full_name = full_name(space, info.text());
        node.readers = info.gids(gid_size_);
        node.writers = info.gids(gid_size_);
      }
      if (!info.good()) {
        ++bad_infos_;
      } else if (participant != own_) {
        nodes_[participant] = std::move(nodes);
      }
    }
  }
}

std::vector<NodeInfo> Graph::nodes() const {
  std::vector<NodeInfo> all;
  for (const auto& [participant, nodes] : nodes_) {
    const auto found = participants_.find(participant);
    if (found == participants_.end() || value_in(found->second, "enclave").empty()) continue;
    all.insert(all.end(), nodes.begin(), nodes.end());
  }
  std::ranges::sort(all, {}, &NodeInfo::full_name);
  return all;
}

bool Graph::complete() const {
  const auto known = [this](const Gid& gid) { return endpoints_.contains(gid); };
  return std::ranges::all_of(nodes(), [&](const NodeInfo& node) {
    return std::ranges::all_of(node.readers, known) && std::ranges::all_of(node.writers, known);
  });
}

std::string json_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\', out += c;
    } else if (byte < 0x20 || byte > 0x7e) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", byte);
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace peers
