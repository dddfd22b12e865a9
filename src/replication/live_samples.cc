#include "replication/live_samples.h"

namespace convoy {

bool LiveSamples::on_frame(Owner from, FrameType type, const Payload& payload) {
  const bool by_sensor_host = type == FrameType::kAnswer && places_.has(from);
  const bool by_host = (type == FrameType::kOrders || type == FrameType::kLate || type == FrameType::kSamples) &&
                       books_.roll.present(from);
  if (!by_sensor_host && !by_host) return false;
  if (auto ok = take(from, type, payload); !ok && !books_.trouble) books_.trouble = {from, ok.error()};
  return true;
}

Status LiveSamples::take(Owner from, FrameType type, const Payload& payload) {
  if (type == FrameType::kLate) {
    Late late;
    if (!load(payload, late)) return fail(ErrorCode::kInvalid, "a Late frame is malformed");
    places_.count({late.came, late.late, late.skipped});
    places_.give_up(late.hosts, books_.roll.at(from).name);
    return {};
  }
  if (type == FrameType::kAnswer) return books_.questions.answered(from, payload);
  Passed passed;
  if (!peek_passed(payload, passed) || passed.from != from)
    return fail(ErrorCode::kInvalid, "a frame of samples in another's name");
  if (type == FrameType::kSamples) {
    if (passed.to != kNobody) return fail(ErrorCode::kInvalid, "samples for a host on the control link");
    const Status ok = books_.seen.take(payload, books_.run);
    books_.seen.deliver(books_.world, books_.setup.tick);
    return ok;
  }
  if (places_.has(passed.to)) books_.send(passed.to, type, payload);
  return {};
}

}  // namespace convoy
