#include "adapters/ros2/client_door.h"

#include "adapters/ros2/client_services.h"

namespace convoy::ros2 {

ClientDoor::ClientDoor(DoorHere& here)
    : here_(here), voice_(here.domain, here.party, {here.settings.number, here.settings.liveness}) {}

void ClientDoor::follow() {
  if (!node_) {
    node_ = std::make_unique<Node>(here_.domain, here_.settings.ns, kClientNode, here_.party);
    topics_ = std::make_unique<RunTopics>(here_, *node_);
    simulation_ = std::make_unique<Simulation>(here_, *node_);
    parameters_ = std::make_unique<SimulationParameters>(here_, *node_);
    if (const std::string place = own_place(here_.settings); !place.empty()) open(place);
  }
  const bool speaks = voice_.follow(here_.now);
  if (std::exchange(at_root_, speaks) == speaks) return;
  if (speaks) open(kRoot);
  else close(kRoot);
}

// Services of Rapyuta's are in the node's own namespace, wherever that is.
void ClientDoor::open(const std::string& place) {
  topics_->open(place), simulation_->open(place);
  if (place != kRoot || here_.settings.ns == kRoot) ue_ = ue_services(here_, *node_);
}

void ClientDoor::close(const std::string& place) {
  topics_->close(place), simulation_->close(place);
  if (place != kRoot || here_.settings.ns == kRoot) ue_.clear();
}

void ClientDoor::leave() {
  voice_.leave();
  ue_.clear();
  if (simulation_) simulation_->close_all();
  parameters_.reset(), topics_.reset(), node_.reset();
}

void ClientDoor::stood_still(Duration how_long) {
  if (!topics_ || how_long < here_.settings.liveness) return;
  topics_->set_doubt(true);
  here_.control.run_status(*here_.fleet, {}, [this](const auto&) {
    if (topics_) topics_->set_doubt(false);
  });
}

}  // namespace convoy::ros2
