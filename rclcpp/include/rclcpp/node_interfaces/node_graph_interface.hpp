// The graph around a node: nodes, topics, services, and the publishers and subscriptions of a topic.
//
// Parameter services are listed for each node that offers them, also before a client has asked for one of them.
#pragma once

#include <array>
#include <map>
#include <utility>

#include "rclcpp/event.hpp"
#include "rclcpp/exceptions/exceptions.hpp"
#include "rclcpp/message_info.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/qos.hpp"

namespace rclcpp {

enum class EndpointType { Invalid = 0, Publisher, Subscription };

// One publisher or subscription of a topic.
class TopicEndpointInfo {
 public:
  TopicEndpointInfo(const convoy::nodes::Node& node, const convoy::nodes::Topic& topic, EndpointType type,
                    std::uint32_t rank, const convoy::nodes::QoS& qos);
  const std::string& node_name() const { return name_; }
  const std::string& node_namespace() const { return space_; }
  const std::string& topic_type() const { return type_name_; }
  EndpointType endpoint_type() const { return type_; }
  const std::array<std::uint8_t, RMW_GID_STORAGE_SIZE>& endpoint_gid() const { return gid_; }
  const QoS& qos_profile() const { return qos_; }

 private:
  std::string name_, space_, type_name_;
  EndpointType type_;
  std::array<std::uint8_t, RMW_GID_STORAGE_SIZE> gid_{};
  QoS qos_;
};

namespace node_interfaces {

class NodeGraphInterface {
 public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(NodeGraphInterface)
  using NamesAndTypes = std::map<std::string, std::vector<std::string>>;
  explicit NodeGraphInterface(NodeBaseInterface::SharedPtr base) : base_(std::move(base)) {}

  NamesAndTypes get_topic_names_and_types(bool no_demangle = false) const;
  NamesAndTypes get_service_names_and_types() const;
  // Of one node; std::runtime_error if it is not there.
  NamesAndTypes get_service_names_and_types_by_node(const std::string& node, const std::string& space) const;
  NamesAndTypes get_client_names_and_types_by_node(const std::string& node, const std::string& space) const;
  NamesAndTypes get_publisher_names_and_types_by_node(const std::string& node, const std::string& space,
                                                      bool no_demangle = false) const;
  NamesAndTypes get_subscriber_names_and_types_by_node(const std::string& node, const std::string& space,
                                                       bool no_demangle = false) const;
  std::vector<std::string> get_node_names() const;  // full, in order of creation
  std::vector<std::pair<std::string, std::string>> get_node_names_and_namespaces() const;
  std::size_t count_publishers(const std::string& topic) const;
  std::size_t count_subscribers(const std::string& topic) const;
  std::size_t count_services(const std::string& service) const;
  std::size_t count_clients(const std::string& service) const;
  // In order of creation.
  std::vector<TopicEndpointInfo> get_publishers_info_by_topic(const std::string& topic, bool no_mangle = false) const;
  std::vector<TopicEndpointInfo> get_subscriptions_info_by_topic(const std::string& topic,
                                                                 bool no_mangle = false) const;
  // Set by each change of the graph from now on.
  Event::SharedPtr get_graph_event();
  // Waits, in simulated time, until the event is set; it stays set. std::runtime_error: it is no event of this node.
  void wait_for_graph_change(Event::SharedPtr event, std::chrono::nanoseconds timeout);
  std::size_t count_graph_users() const;  // events that are held by users

 private:
  const convoy::nodes::Node& named(const std::string& node, const std::string& space) const;
  const convoy::nodes::Topic* topic(const std::string& name, bool no_mangle) const;
  const convoy::nodes::ServiceName* service(const std::string& name) const;

  NodeBaseInterface::SharedPtr base_;
  std::vector<Event::WeakPtr> events_;
};

}  // namespace node_interfaces
}  // namespace rclcpp
