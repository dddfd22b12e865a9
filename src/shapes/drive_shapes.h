// The look of a model without files: a prism over its footprint, and the wheels of its drive.
#pragma once

#include "shapes/shapes.h"

namespace convoy {

Shapes shapes_of_drive(const Model& model);

}  // namespace convoy
