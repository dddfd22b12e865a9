// rclcpp::create_client<Trigger>(node, "stop"): over anything that has the interface for services.
#pragma once

#include "rclcpp/client.hpp"
#include "rclcpp/create_subscription.hpp"

namespace rclcpp {
namespace detail {

template <class ServiceT>
std::shared_ptr<Client<ServiceT>> make_client(const node_interfaces::NodeBaseInterface& node, const std::string& name,
                                              const CallbackGroup::SharedPtr& group) {
  auto client = std::make_shared<Client<ServiceT>>(node.simulation());
  auto made = node.kernel().create_client(
      {.service = name,
       .type = &convoy::ros::service_type_of<ServiceT>(),
       .group = kernel_of(group),
       .callback = [simulation = &node.simulation(), who = &node.about("client of", name),
                    weak = std::weak_ptr<Client<ServiceT>>(client)](convoy::nodes::Delivery& d) {
         if (const auto self = weak.lock()) simulation->guarded(*who, [&] { self->handle(d); });
       }});
  if (!made) throw_create(made.error(), "service", name);
  client->set_kernel(std::move(*made));
  return client;
}

}  // namespace detail

template <class ServiceT, class NodeT>
requires node_interfaces::has_services_interface<std::remove_cvref_t<NodeT>>
typename Client<ServiceT>::SharedPtr create_client(NodeT&& node, const std::string& name, const QoS& = ServicesQoS(),
                                                   CallbackGroup::SharedPtr group = nullptr) {
  return detail::make_client<ServiceT>(*node_interfaces::get_node_services_interface(node)->get_node_base_interface(),
                                       name, group);
}
template <class ServiceT>
typename Client<ServiceT>::SharedPtr create_client(const node_interfaces::NodeBaseInterface::SharedPtr& base,
                                                   const node_interfaces::NodeGraphInterface::SharedPtr&,
                                                   const node_interfaces::NodeServicesInterface::SharedPtr&,
                                                   const std::string& name, const QoS& = ServicesQoS(),
                                                   CallbackGroup::SharedPtr group = nullptr) {
  return detail::make_client<ServiceT>(*base, name, group);
}
template <class ServiceT>
typename Client<ServiceT>::SharedPtr create_client(const node_interfaces::NodeBaseInterface::SharedPtr& base,
                                                   const node_interfaces::NodeGraphInterface::SharedPtr&,
                                                   const node_interfaces::NodeServicesInterface::SharedPtr&,
                                                   const std::string& name, const rmw_qos_profile_t&,
                                                   CallbackGroup::SharedPtr group = nullptr) {
  return detail::make_client<ServiceT>(*base, name, group);
}

}  // namespace rclcpp
