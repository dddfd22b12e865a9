// What makes MuJoCo robots, beside the kinematic ones: each model is compiled once and shared by its robots.
#pragma once

#include <map>
#include <memory>

#include "physics/factory.h"

namespace convoy::mujoco {

struct Compiled;

// engine.h's start() first. Belongs to one thread; the robots that it makes may each be stepped by another.
class Factory final : public PhysicsFactory {
 public:
  std::unique_ptr<Physics> make(const Model& model, const World& world, Duration tick) const override;
  Status check(const Model& model, const ModelFiles& files, Duration tick) const override;
  Duration step_of(const Model& model, const ModelFiles& files, Duration tick) const override;

 private:
  Result<std::shared_ptr<const Compiled>> compiled(const Model& model, const ModelFiles& files, const StaticMap* map,
                                                   const Model* fixed, Duration tick) const;
  KinematicFactory kinematic_;
  // By what goes into it. Gone with its last robot: a world of the next run may be another.
  mutable std::map<std::uint64_t, std::weak_ptr<const Compiled>> compiled_;
};

}  // namespace convoy::mujoco
