// Makes the physics of a robot from its model.
#pragma once

#include <functional>
#include <memory>

#include "physics/met_body.h"
#include "physics/physics.h"
#include "world/code_file.h"
#include "world/world.h"

namespace convoy {

// Work that may be done beforehand, on any thread, while the world that it is for goes on and ends. What it returns is
// kept for as long as it may be of use.
using Preparation = std::function<std::shared_ptr<const void>()>;

// Handed in by src/apps, so that builds without MuJoCo, and the probe, link only what they use.
class PhysicsFactory {
 public:
  virtual ~PhysicsFactory() = default;
  // For a robot that lives in the world, whose ticks have that length. The model has passed check().
  virtual std::unique_ptr<Physics> make(const Model& model, const World& world, Duration tick) const = 0;
  // What make() will need for the model's first robot of this world; empty: nothing that takes long.
  virtual Preparation prepare(const Model&, const World&) const { return {}; }
  // Checks a model before it enters a world: make() succeeds for it afterwards.
  virtual Status check(const Model& model, const ModelFiles& files, Duration tick) const = 0;
  // Checks that models with files can be simulated on the map.
  virtual Status check_map(const StaticMap&) const { return {}; }
  // Checks that the model has the actuators and keyframes of the controller. The model has passed check().
  virtual Status check(const ControllerSpec& controller, const Model& model, const ModelFiles&, Duration) const;
  // How long one step of its physics is; it has passed check().
  virtual Duration step_of(const Model&, const ModelFiles&, Duration tick) const { return tick; }
  // Does a checkpoint hold all that moves its robots?
  virtual bool saves(const Model&) const { return true; }
  // Adds the bodies of a neighbour, or of a robot itself, as they are at the boundary.
  virtual void add_bodies(const Neighbour& neighbour, const ModelFiles*, std::vector<MetBody>& out) const {
    add_footprint(neighbour, out);
  }
  // What users' engines of these models are made of on this machine, each file once; an error as in SoftwareFactory.
  virtual std::vector<CodeFile> code_of(std::span<const Model>, std::optional<Error>& /*missing*/) const { return {}; }
};

class KinematicFactory final : public PhysicsFactory {
 public:
  std::unique_ptr<Physics> make(const Model& model, const World& world, Duration tick) const override;
  Status check(const Model& model, const ModelFiles& files, Duration tick) const override;
};

}  // namespace convoy
