#include "session/server_time.h"

#include "core/speed.h"

namespace convoy {

void ServerTime::probe(Moment now, const std::function<void(ByteView)>& send) {
  if (now < clock.next_probe()) return;
  const std::uint32_t number = clock.probe(now);
  send(write_probe({number, now.time_since_epoch().count()}));
}

void ServerTime::answer(ByteView payload, Moment now, Drops& drops) {
  ClockProbe answer;
  if (!read_probe(payload, answer)) drops.count(Drop::kMalformed);
  else if (!clock.answer(answer.number, Moment(Duration(answer.time)), now)) drops.count(Drop::kUnexpected);
}

Status ServerTime::pace(ByteView payload, std::uint32_t run, Duration tick) {
  Pace pace;
  if (!load(payload, pace) || !is_speed(pace.speed) || pace.tick < 0)
    return fail(ErrorCode::kInvalid, "a Pace frame is malformed");
  if (pace.run != run) return {};
  if (timeline) timeline->set(pace);
  else timeline.emplace(tick, pace);
  return {};
}

}  // namespace convoy
