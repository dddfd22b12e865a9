// Where a message came from and when.
#pragma once

#include <cstring>

#include "nodes/receiver.h"

#define RMW_GID_STORAGE_SIZE 16u
struct rmw_gid_t {
  const char* implementation_identifier = "convoy";
  std::uint8_t data[RMW_GID_STORAGE_SIZE] = {};
};
struct rmw_message_info_t {
  std::int64_t source_timestamp = 0;    // ns, when it was published
  std::int64_t received_timestamp = 0;  // ns, when it came into the subscription's queue
  std::uint64_t publication_sequence_number = 0;
  std::uint64_t reception_sequence_number = 0;
  rmw_gid_t publisher_gid;
  bool from_intra_process = true;
};

struct rmw_request_id_t {
  std::int8_t writer_guid[16] = {};
  std::int64_t sequence_number = 0;
};

namespace rclcpp {

inline rmw_gid_t gid_of(std::uint32_t rank) {
  rmw_gid_t gid;
  std::memcpy(gid.data, &rank, sizeof rank);
  return gid;
}

class MessageInfo {
 public:
  MessageInfo() = default;
  explicit MessageInfo(const rmw_message_info_t& info) : info_(info) {}
  explicit MessageInfo(const convoy::nodes::Delivery& d) {
    info_.source_timestamp = convoy::nanos(d.published), info_.received_timestamp = convoy::nanos(d.received);
    info_.publication_sequence_number = d.index + 1, info_.publisher_gid = gid_of(d.from);
  }
  const rmw_message_info_t& get_rmw_message_info() const { return info_; }
  rmw_message_info_t& get_rmw_message_info() { return info_; }

 private:
  rmw_message_info_t info_;
};

}  // namespace rclcpp
