// A build without the page server.
#include "apps/web.h"

namespace convoy::apps {

namespace {

constexpr const char* kAbsent = "this build has no page server (CONVOY_WEB=OFF)";

}  // namespace

int web(const Arguments&) { return complain(kAbsent, kFailed); }

int show_recording(const Arguments&, const Recording&, Log&) { return complain(kAbsent, kFailed); }

Result<std::unique_ptr<PageOfRun>> page_of_run(const Arguments&, Network&, Log&) {
  return fail(ErrorCode::kUnavailable, kAbsent);
}

}  // namespace convoy::apps
