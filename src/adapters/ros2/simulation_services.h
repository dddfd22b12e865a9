// Where a client serves simulation_interfaces: each service in each place that is open, its namespace and, while it is the
// run's voice, the root.
//
// A place that is closed answers nobody any more; what was asked there is carried out all the same.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "adapters/ros2/served.h"
#include "adapters/ros2/simulation_results.h"

namespace convoy::ros2 {

class SimulationServices {
 public:
  SimulationServices(DoorHere& here, Node& node) : here_(here), node_(node) {}

  // Offered in places that are opened from now on: "/", "/NetworkPC1/".
  template <class ServiceT>
  void add(const char* name, const typename Served<ServiceT>::Act& act) {
    add_offer([this, name = std::string(name), act](const std::string& place) {
      auto out = std::make_shared<std::vector<std::unique_ptr<Service>>>();
      Served<ServiceT>::add(here_, node_, place + name, act, *out);
      return out;
    });
  }
  template <class ServiceT>
  void add_raw(const char* name, const ActRaw& act) {
    add_offer([this, name = std::string(name), act](const std::string& place) {
      auto out = std::make_shared<std::vector<std::unique_ptr<Service>>>();
      serve_raw(here_, node_, place + name, ros::ServiceSupport::of<ServiceT>(), act, *out);
      return out;
    });
  }
  // Anything else: it is there as long as what `offer` returns.
  using Offer = std::function<std::shared_ptr<void>(const std::string& place)>;
  void add_offer(Offer offer) { offers_.push_back(std::move(offer)); }

  void open(const std::string& place) {
    for (const Offer& offer : offers_) open_[place].push_back(offer(place));
  }
  void close(const std::string& place) { open_.erase(place); }
  void close_all() { open_.clear(); }

  DoorHere& here() const { return here_; }
  Node& node() const { return node_; }

 private:
  DoorHere& here_;
  Node& node_;
  std::vector<Offer> offers_;
  std::map<std::string, std::vector<std::shared_ptr<void>>> open_;
};

}  // namespace convoy::ros2
