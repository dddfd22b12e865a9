// A world as rays meet it: its scene once, its bodies anew at each boundary at which somebody casts.
//
//   RayWorld rays(caster, book, world, setup);
//   const RayField& field = rays.at(world);   // all entities, in world-number order, where the snapshot has them
//   rays.seen(slot)                           // and how they look
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "sensing/rays.h"
#include "shapes/shape_book.h"
#include "world/setup.h"
#include "world/world.h"

namespace convoy {

class RayWorld {
 public:
  // `setup`: its boxes and cylinders; the rest is the world's. Caster and book outlive it.
  RayWorld(RayCaster& caster, ShapeBook& book, const World& world, const Setup& setup);

  // Valid until the next call. What has damaged shapes is not met.
  const RayField& at(const World& world);
  // Of the last at().
  const RayField& field() const { return *field_; }
  struct Seen {
    const Shapes* shapes = nullptr;  // null: nothing of it is met
    std::span<const Pose> X_WL;      // of its links
  };
  Seen seen(Slot slot) const;
  Seen scene() const { return {scene_shapes_.get(), scene_links_}; }

 private:
  struct Look {
    std::shared_ptr<const Shapes> shapes;
    std::shared_ptr<const RayModel> rays;  // null: nothing of it is met
  };
  const Look& look_of(const std::shared_ptr<const Model>& model, const ModelFiles& files);

  RayCaster& caster_;
  ShapeBook& book_;  // keeps the models, so that no other gets the address of one
  std::map<const Model*, Look> looks_;
  std::shared_ptr<const Shapes> scene_shapes_;
  std::shared_ptr<const RayModel> scene_model_;
  std::vector<Pose> scene_links_;
  std::shared_ptr<const RayField> scene_, field_;
  struct Placed {
    const Look* look = nullptr;
    std::vector<Pose> X_WL;
  };
  std::vector<Placed> placed_;  // by slot
};

}  // namespace convoy
