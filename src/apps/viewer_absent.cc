// A build without video.
#include "apps/stream.h"

namespace convoy::apps {

namespace {

constexpr const char* kAbsent = "this build streams no video (CONVOY_STREAM=OFF, or GStreamer or libvpx is missing)";

}  // namespace

int viewer(const Arguments&) { return complain(kAbsent, kFailed); }

std::optional<Error> video_lacks() { return Error{ErrorCode::kUnsupported, kAbsent, {}}; }

}  // namespace convoy::apps
