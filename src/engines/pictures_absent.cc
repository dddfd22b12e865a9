#include "engines/engines.h"

namespace convoy::engines {

std::unique_ptr<PictureMaker> picture_maker() { return nullptr; }

}  // namespace convoy::engines
