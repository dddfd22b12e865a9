#include "engines/engines.h"
#include "pictures/picture_thread.h"

namespace convoy::engines {

std::unique_ptr<PictureMaker> picture_maker() { return std::make_unique<PictureThread>(); }

}  // namespace convoy::engines
