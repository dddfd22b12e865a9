#include "shapes/shape_book.h"

namespace convoy {

Result<std::shared_ptr<const Shapes>> ShapeBook::of(const std::shared_ptr<const Model>& model,
                                                    const ModelFiles& files) {
  const auto known = pages_.find(model.get());
  if (known != pages_.end()) return known->second.shapes;
  auto shapes = shapes_of(*model, files);
  if (!shapes) return tl::unexpected(shapes.error());
  return pages_.emplace(model.get(), Page{model, std::make_shared<const Shapes>(std::move(*shapes))})
      .first->second.shapes;
}

}  // namespace convoy
