// A build without ZeroMQ has no streams.
#include "apps/zmq.h"

namespace convoy::apps {

Result<std::unique_ptr<Gateway>> open_streams(const scenario::ZmqOptions&, Log&) {
  return fail(ErrorCode::kUnsupported, "zmq: this build has no ZeroMQ (CONVOY_ZMQ=OFF)");
}

Status try_streams(const scenario::ZmqOptions&, std::size_t) {
  return fail(ErrorCode::kUnsupported, "zmq: this build has no ZeroMQ (CONVOY_ZMQ=OFF)");
}

int zmq_echo(const Arguments&) { return complain("this build has no ZeroMQ (CONVOY_ZMQ=OFF)", kFailed); }

}  // namespace convoy::apps
