#include "shapes/brightness.h"

#include <algorithm>

namespace convoy {

double brightness_of(const Shape& shape, const Shapes& shapes) {
  const Color& c = shape.color;
  const double luma = (0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]) / 255;
  const double reflected = shape.material < shapes.materials.size() ? shapes.materials[shape.material].reflectance : 0;
  return std::clamp(std::max(luma, reflected), 0.0, 1.0);
}

}  // namespace convoy
