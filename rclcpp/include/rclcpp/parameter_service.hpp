// The six services of a node's parameters. Every node has them, made when a client first asks for one.
#pragma once

#include "rclcpp/node_interfaces/node_services_interface.hpp"
#include "rclcpp/service.hpp"

namespace rclcpp {

namespace node_interfaces {
class NodeParametersInterface;
}

class ParameterService {
 public:
  RCLCPP_SMART_PTR_DEFINITIONS(ParameterService)
  // The parameters outlive it.
  ParameterService(const node_interfaces::NodeBaseInterface::SharedPtr& node,
                   const node_interfaces::NodeServicesInterface::SharedPtr& services,
                   node_interfaces::NodeParametersInterface* parameters, const QoS& qos = ParametersQoS());
  ParameterService(node_interfaces::NodeBaseInterface& node, node_interfaces::NodeParametersInterface& parameters);

 private:
  std::vector<ServiceBase::SharedPtr> services_;
};

}  // namespace rclcpp
