// The shapes of a world's models, read once each.
#pragma once

#include <map>
#include <memory>

#include "shapes/shapes.h"

namespace convoy {

class ShapeBook {
 public:
  // Errors: its file is damaged, or missing.
  Result<std::shared_ptr<const Shapes>> of(const std::shared_ptr<const Model>& model, const ModelFiles& files);

 private:
  struct Page {
    std::shared_ptr<const Model> model;  // so that no other gets its address
    std::shared_ptr<const Shapes> shapes;
  };
  std::map<const Model*, Page> pages_;
};

}  // namespace convoy
