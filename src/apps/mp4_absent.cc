#include "apps/movie_file.h"

namespace convoy::apps {

Result<std::unique_ptr<film::Film>> open_mp4(const film::Format&, const std::string&) {
  return fail(
      ErrorCode::kUnsupported,
      "an .mp4 needs an encoder of GStreamer's, and this build was made without it (CONVOY_STREAM=OFF); a .webm "
      "does not");
}

}  // namespace convoy::apps
