// Where a client serves simulation_interfaces: each service in its namespace and, where it speaks for the run, at the root.
#pragma once

#include <string>
#include <vector>

#include "adapters/ros2/served.h"
#include "adapters/ros2/simulation_results.h"

namespace convoy::ros2 {

class SimulationServices {
 public:
  SimulationServices(DoorHere& here, Node& node) : here_(here), node_(node), where_(places_of(here.settings)) {}

  template <class ServiceT>
  void add(const char* name, const typename Served<ServiceT>::Act& act) {
    for (const std::string& ns : where_) Served<ServiceT>::add(here_, node_, ns + name, act, services_);
  }
  template <class ServiceT>
  void add_raw(const char* name, const ActRaw& act) {
    for (const std::string& ns : where_)
      serve_raw(here_, node_, ns + name, ros::ServiceSupport::of<ServiceT>(), act, services_);
  }
  DoorHere& here() const { return here_; }
  Node& node() const { return node_; }
  const std::vector<std::string>& where() const { return where_; }  // "/", "/NetworkPC1/"

 private:
  DoorHere& here_;
  Node& node_;
  std::vector<std::string> where_;
  std::vector<std::unique_ptr<Service>> services_;
};

}  // namespace convoy::ros2
