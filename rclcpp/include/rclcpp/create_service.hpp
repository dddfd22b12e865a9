// rclcpp::create_service<Trigger>(node, "stop", callback): over anything that has the interface for services.
#pragma once

#include "rclcpp/create_subscription.hpp"
#include "rclcpp/service.hpp"

namespace rclcpp {
namespace detail {

template <class ServiceT, class CallbackT>
std::shared_ptr<Service<ServiceT>> make_service(const node_interfaces::NodeBaseInterface& node, const std::string& name,
                                                CallbackT&& callback, const CallbackGroup::SharedPtr& group,
                                                convoy::nodes::Ranks ranks = convoy::nodes::Ranks::kUser) {
  auto service = std::make_shared<Service<ServiceT>>();
  auto made = node.kernel().create_service(
      {.service = name,
       .type = &convoy::ros::service_type_of<ServiceT>(),
       .group = kernel_of(group),
       .callback =
           [simulation = &node.simulation(), who = &node.about("service", name),
            weak = std::weak_ptr<Service<ServiceT>>(service),
            call = std::decay_t<CallbackT>(std::forward<CallbackT>(callback))](convoy::nodes::Delivery& d) mutable {
             if (const auto self = weak.lock()) simulation->guarded(*who, [&] { self->handle(call, d); });
           },
       .ranks = ranks});
  if (!made) throw_create(made.error(), "service", name);
  service->set_kernel(std::move(*made));
  return service;
}

}  // namespace detail

template <class ServiceT, class CallbackT, class NodeT>
requires node_interfaces::has_services_interface<std::remove_cvref_t<NodeT>>
typename Service<ServiceT>::SharedPtr create_service(NodeT&& node, const std::string& name, CallbackT&& callback,
                                                     const QoS& = ServicesQoS(),
                                                     CallbackGroup::SharedPtr group = nullptr) {
  return detail::make_service<ServiceT>(*node_interfaces::get_node_services_interface(node)->get_node_base_interface(),
                                        name, std::forward<CallbackT>(callback), group);
}
template <class ServiceT, class CallbackT>
typename Service<ServiceT>::SharedPtr create_service(const node_interfaces::NodeBaseInterface::SharedPtr& base,
                                                     const node_interfaces::NodeServicesInterface::SharedPtr&,
                                                     const std::string& name, CallbackT&& callback, const QoS&,
                                                     CallbackGroup::SharedPtr group) {
  return detail::make_service<ServiceT>(*base, name, std::forward<CallbackT>(callback), group);
}
template <class ServiceT, class CallbackT>
typename Service<ServiceT>::SharedPtr create_service(const node_interfaces::NodeBaseInterface::SharedPtr& base,
                                                     const node_interfaces::NodeServicesInterface::SharedPtr&,
                                                     const std::string& name, CallbackT&& callback,
                                                     const rmw_qos_profile_t&, CallbackGroup::SharedPtr group) {
  return detail::make_service<ServiceT>(*base, name, std::forward<CallbackT>(callback), group);
}

}  // namespace rclcpp
