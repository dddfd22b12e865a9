// Names and types of ROS 2 as DDS has them, and the pairs in an endpoint's USER_DATA.
//
//   topic    /ns/chatter, std_msgs/msg/String     -> rt/ns/chatter, std_msgs::msg::dds_::String_
//   service  /ns/add, example_interfaces/srv/X    -> rq/ns/addRequest and rr/ns/addReply, ...::srv::dds_::X_Request_, ..._Response_
//
// Sources: the ROS 2 design articles "Topic and service name mapping to DDS" and "Topic and service names", REP-2011, REP-2016.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "convoy/result.h"

namespace convoy::ros2 {

inline constexpr std::size_t kMaxNameLength =
    240;  // of a fully qualified name: what fits into DDS's 255 with prefix and suffix

// "scan" in namespace "/scout" -> "/scout/scan"; "/clock" stays; "~/x" is below the node. kInvalid: not a name of ROS.
Result<std::string> resolve_name(std::string_view name, std::string_view ns, std::string_view node);
// A namespace as ROS has it: "/" or "/a/b". kInvalid.
Result<std::string> valid_namespace(std::string_view ns);
// Each letter that a name may not have as '_': of a robot that is called "a-b".
std::string as_name_part(std::string_view text);

std::string dds_topic(std::string_view topic);
std::string dds_request(std::string_view service);
std::string dds_reply(std::string_view service);
// "std_msgs/msg/String" -> "std_msgs::msg::dds_::String_".
std::string dds_type(std::string_view type);

// Back again, where it is one of ROS: "rt/chatter" -> "/chatter"; of a service's topics the service.
enum class TopicKind : std::uint8_t { kTopic, kRequest, kReply };
struct RosTopic {
  TopicKind kind{};
  std::string name;
};
std::optional<RosTopic> ros_topic(std::string_view dds_topic);
std::optional<std::string> ros_type(std::string_view dds_type);

// "key=value;" in USER_DATA; empty: not there.
std::string_view user_datum(std::string_view user_data, std::string_view key);
std::string type_hash_datum(std::string_view hash);

}  // namespace convoy::ros2
