#include "roles/sample_intake.h"

#include <algorithm>

#include "run/sample_frames.h"

namespace convoy {

void SampleIntake::introduced(ByteView payload) {
  Introduction from;
  Token secret{};
  if (!load(payload, from) || !host_ || (from.where.port != 0 && from.secret.size() != secret.size()))
    return session_.drops().count(Drop::kMalformed);
  if (from.passed.from == kNobody) return ways_.by_server(session_.number(), session_.token());
  if (from.where.port == 0) return host_->lose_samples(from.passed.from);
  std::copy(from.secret.begin(), from.secret.end(), secret.begin());
  ways_.direct().open(session_.number(), from.passed.from, from.where, secret);
}

bool SampleIntake::direct_frame(Owner peer, FrameType type, ByteView payload, Moment) {
  Passed passed;
  return type == FrameType::kSamples && host_ && peek_passed(payload, passed) &&
         (peer == kNobody || passed.from == peer) && host_->on_frame(type, payload);
}

// Samples are waited for as long as a peer may be silent.
void SampleIntake::on_time(Moment now) {
  ways_.on_time(now);
  const Duration limit = session_.liveness();
  listening_.pass(now, limit);
  const std::optional<Tick> late = host_ ? host_->waits_for_samples() : std::nullopt;
  if (!late || limit <= Duration(0)) return waits_since_.reset();
  if (!waits_since_ || waits_since_->first != *late) waits_since_ = {*late, listening_.time()};
  if (listening_.time() - waits_since_->second < limit) return;
  waits_since_.reset();
  host_->lose_samples({});
}

Moment SampleIntake::deadline() const {
  const Moment next = ways_.deadline();
  return waits_since_ ? std::min(next, listening_.when(waits_since_->second + session_.liveness())) : next;
}

}  // namespace convoy
