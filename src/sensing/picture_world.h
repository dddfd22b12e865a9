// A world as cameras see it: what stands in it at a boundary, copied for who draws it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sensing/pictures.h"
#include "shapes/shape_book.h"
#include "world/setup.h"
#include "world/world.h"

namespace convoy {

// Kinds of what is seen, in the order of their numbers from 0 on: "nothing", "ground", "wall", "robot", "object", then
// those of the world's models that are none of these, in the order of the models.
std::vector<std::string> picture_classes(const World& world, ShapeBook& book);

class PictureWorld {
 public:
  // The book outlives it. `setup`: its boxes, cylinders and the cameras' quality; the rest is the world's.
  PictureWorld(ShapeBook& book, const World& world, const Setup& setup);

  // All entities where the snapshot has them. What has damaged shapes is not seen.
  std::shared_ptr<const PictureScene> at(const World& world, Instant now);

 private:
  void number_classes(const World& world);

  ShapeBook& book_;
  PictureQuality quality_;
  std::vector<std::shared_ptr<const Model>> models_;  // those that were numbered
  std::vector<std::uint32_t> classes_;                // of each of them
  std::vector<PictureBody> scene_;                    // what never moves
};

}  // namespace convoy
