#include "roles/sample_post.h"

#include "roles/calls.h"
#include "run/sample_frames.h"
#include "run/sensor_places.h"

namespace convoy {

bool SamplePost::relay_frame(Owner from, FrameType type, ByteView payload) {
  Passed passed;
  const Member* member = membership_.find(from);
  if (type != FrameType::kSamples || member->role != PeerRole::kSensorHost || !peek_passed(payload, passed) ||
      passed.from != from)
    return false;
  const Member* to = membership_.find(passed.to);
  if (!to || !runs_robots(*to) || !run_->places().has(from)) return true;  // one of them has gone
  const auto tell = [&](Owner about) {
    membership_.send(passed.to, FrameType::kIntroduce, save(Introduction{{about, passed.to}, {}, {}}));
  };
  switch (membership_.side().relay().pass(passed.to, type, payload)) {
    case RelayLinks::Passing::kSent:
    case RelayLinks::Passing::kWaits: break;
    case RelayLinks::Passing::kFirstWaits: tell(kNobody); break;
    case RelayLinks::Passing::kLost: tell(from); break;
  }
  return true;
}

// Who waits for what was under way computes it.
void SamplePost::relay_lost(Owner peer) {
  const bool by_sensor_host = membership_.find(peer)->role == PeerRole::kSensorHost;
  for (const auto& [number, other] : membership_.members()) {
    if (!(by_sensor_host ? runs_robots(*other) : other->role == PeerRole::kSensorHost)) continue;
    const Passed passed = by_sensor_host ? Passed{peer, number} : Passed{number, peer};
    membership_.send(passed.to, FrameType::kIntroduce, save(Introduction{passed, {}, {}}));
  }
}

}  // namespace convoy
