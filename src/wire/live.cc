#include "wire/live.h"

namespace convoy {

void begin_batch(Bytes& out, Instant stamp, const BatchOrigin& origin) {
  Writer w(out);
  w.i64(nanos(stamp)), w.u32(static_cast<std::uint32_t>(origin.x)), w.u32(static_cast<std::uint32_t>(origin.y));
}

bool read_batch(ByteView payload, Batch& batch) {
  Reader r(payload);
  batch.stamp = instant(r.i64());
  batch.origin.x = static_cast<std::int32_t>(r.u32());
  batch.origin.y = static_cast<std::int32_t>(r.u32());
  if (!r.ok() || r.left() % kQuantizedSize != 0) return false;
  batch.records = payload.subspan(kBatchHeader);
  return true;
}

Bytes write_probe(const ClockProbe& probe) {
  Bytes out;
  Writer w(out);
  w.u32(probe.number), w.i64(probe.time);
  return out;
}

bool read_probe(ByteView payload, ClockProbe& probe) {
  Reader r(payload);
  probe.number = r.u32(), probe.time = r.i64();
  return r.done();
}

}  // namespace convoy
