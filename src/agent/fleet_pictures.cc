#include "agent/fleet_pictures.h"

#include "agent/sensed_at.h"

namespace convoy {

void FleetPictures::begin(const std::vector<std::unique_ptr<Agent>>& agents, const World& world, const Setup& setup,
                          ShapeBook& shapes, Instant now, const SampleTaker* taker) {
  exposures_.reset();
  if (!maker_) return;
  CameraShots begun;
  for (const auto& agent : agents) {
    const Equipment& equipment = agent->equipment();
    if (!equipment.sensors) continue;
    const Slot slot = world.slot_of(agent->number());
    SensedWorld at = sensed_at(world, slot, now, setup.tick);
    at.taker = taker;
    for (auto& [sensor, shot] : equipment.sensors->shots(at, world.model_of(slot), equipment.nodes.get())) {
      begun.cameras.push_back({agent->number(), sensor});
      begun.shots.push_back(std::move(shot));
    }
  }
  if (!begun.shots.empty()) exposures_ = this->now(world, setup, shapes, now, std::move(begun));
}

std::shared_ptr<Exposures> FleetPictures::now(const World& world, const Setup& setup, ShapeBook& shapes, Instant at,
                                              CameraShots cameras) {
  if (!maker_) return nullptr;
  return std::make_shared<Exposures>(*maker_, scene(world, setup, shapes, at), std::move(cameras.cameras),
                                     std::move(cameras.shots));
}

std::shared_ptr<const PictureScene> FleetPictures::scene(const World& world, const Setup& setup, ShapeBook& shapes,
                                                         Instant now) {
  if (!world_) world_ = std::make_unique<PictureWorld>(shapes, world, setup);
  return world_->at(world, now);
}

}  // namespace convoy
