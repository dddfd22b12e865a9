#include "lockstep/sample_relay.h"

namespace convoy {

Status SampleRelay::on_frame(Owner from, FrameType type, const Payload& payload, const LockstepPlace& place,
                             std::size_t image_chunk) {
  Passed passed;
  if (!peek_passed(payload, passed) || passed.from != from)
    return fail(ErrorCode::kInvalid, "a frame of samples in another's name");
  if (type == FrameType::kSamples) {
    if (passed.to != kNobody || !books_.roll.present(from))
      return fail(ErrorCode::kInvalid, "samples for a host on the control link");
    return books_.seen.take(payload, place.run);
  }
  Orders orders;
  if (!load(payload, orders)) return fail(ErrorCode::kInvalid, "a frame of orders is malformed");
  // Within a tick the world is still that of its beginning.
  if (!books_.roll.present(from) || !place.running || orders.run != place.run || orders.tick != place.tick)
    return fail(ErrorCode::kInvalid, "orders for another boundary than the one at hand");
  if (!places_.has(passed.to)) return {};
  viewers_.show_to(passed.to, orders.tick, image_chunk);
  books_.send(passed.to, FrameType::kOrders, payload);
  return {};
}

Status SampleRelay::late(Owner from, ByteView payload) {
  Late late;
  if (!load(payload, late)) return fail(ErrorCode::kInvalid, "a Late frame is malformed");
  places_.give_up(late.hosts, books_.roll.at(from).name);
  return {};
}

}  // namespace convoy
