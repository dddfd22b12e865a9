// What makes MuJoCo robots, beside the kinematic ones: each model is compiled once and shared by its robots.
#pragma once

#include <memory>

#include "physics/factory.h"

namespace convoy::mujoco {

struct Compiled;
class Library;

// engine.h's start() first. Belongs to one thread, but for add_bodies(); the robots that it makes may each be stepped by
// another, also when it is gone.
class Factory final : public PhysicsFactory {
 public:
  Factory();
  std::unique_ptr<Physics> make(const Model& model, const World& world, Duration tick) const override;
  Preparation prepare(const Model& model, const World& world) const override;
  Status check(const Model& model, const ModelFiles& files, Duration tick) const override;
  Status check_map(const StaticMap& map) const override;
  Status check(const ControllerSpec& controller, const Model& model, const ModelFiles& files,
               Duration tick) const override;
  Duration step_of(const Model& model, const ModelFiles& files, Duration tick) const override;
  void add_bodies(const Neighbour& neighbour, const ModelFiles* files, std::vector<MetBody>& out) const override;

 private:
  Result<std::shared_ptr<const Compiled>> compiled(const Model& model, const ModelFiles& files, Duration tick,
                                                   bool without_ground = false) const;
  KinematicFactory kinematic_;
  std::shared_ptr<Library> library_;  // shared with the robots: they query it when they meet a neighbour
};

}  // namespace convoy::mujoco
