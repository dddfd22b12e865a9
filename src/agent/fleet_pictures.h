// The pictures of a fleet's cameras: those that are due at a boundary are drawn together, while the tick goes on.
#pragma once

#include <memory>
#include <vector>

#include "agent/agent.h"
#include "sensing/picture_world.h"

namespace convoy {

// A shot for each camera, ascending.
struct CameraShots {
  std::vector<Exposures::Camera> cameras;
  std::vector<Shot> shots;
};

class FleetPictures {
 public:
  // Null: this host draws none.
  explicit FleetPictures(PictureMaker* maker) : maker_(maker) {}

  // The tick that begins now: begins the pictures that its agents' cameras take.
  void begin(const std::vector<std::unique_ptr<Agent>>& agents, const World& world, const Setup& setup,
             ShapeBook& shapes, Instant now, const SampleTaker* taker);
  // Of the tick in progress; null: no camera takes one.
  const std::shared_ptr<Exposures>& exposures() const { return exposures_; }
  // For who asks between ticks: everything as it is then, and begun what those cameras take; null: this host draws none.
  std::shared_ptr<Exposures> now(const World& world, const Setup& setup, ShapeBook& shapes, Instant at,
                                 CameraShots cameras = {});

 private:
  std::shared_ptr<const PictureScene> scene(const World& world, const Setup& setup, ShapeBook& shapes, Instant now);

  PictureMaker* maker_;
  std::unique_ptr<PictureWorld> world_;  // from the first picture on
  std::shared_ptr<Exposures> exposures_;
};

}  // namespace convoy
