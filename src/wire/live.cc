#include "wire/live.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"

namespace convoy {

bool read_batches(ByteView payload, std::vector<Batch>& out) {
  out.clear();
  Reader r(payload);
  while (r.left() > 0) {
    Batch& batch = out.emplace_back();
    batch.stamp = instant(r.i64());
    batch.origin.x = static_cast<std::int32_t>(r.u32());
    batch.origin.y = static_cast<std::int32_t>(r.u32());
    const std::size_t states = r.u16();
    batch.joints = r.u8();
    batch.records = r.bytes(states * record_size(batch.joints));
    if (!r.ok()) return out.clear(), false;
  }
  return !out.empty();
}

// `again`: the last batch, which has no states yet, becomes one of so many joints.
void BatchWriter::begin(Instant stamp, const BatchOrigin& origin, std::uint8_t joints, bool again) {
  if (again) size_ -= kBatchHeader;
  EXPECTS(size_ + kBatchHeader <= bytes_.size());
  stamp_ = stamp, origin_ = origin, joints_ = joints, states_ = 0;
  const std::int64_t ns = nanos(stamp);
  std::uint8_t* const at = bytes_.data() + size_;
  std::memcpy(at, &ns, 8), std::memcpy(at + 8, &origin.x, 4), std::memcpy(at + 12, &origin.y, 4);
  std::memcpy(at + 16, &states_, 2), at[18] = joints;
  count_at_ = size_ + 16;
  size_ += kBatchHeader;
}

bool pack_joints(std::span<const double> tail, std::uint8_t* out) {
  const std::size_t n = tail.size() / 2;
  for (std::size_t i = 0; i < n; ++i) {
    const auto position = static_cast<float>(tail[i]);
    const double hundredths = tail[n + i] * 100;
    if (!std::isfinite(position) || !std::isfinite(hundredths)) return false;
    const double clamped = std::clamp(hundredths, -32767.0, 32767.0);
    const auto velocity = static_cast<std::int16_t>(clamped + (clamped < 0 ? -0.5 : 0.5));
    std::memcpy(out + i * kJointSize, &position, sizeof position);
    std::memcpy(out + i * kJointSize + sizeof position, &velocity, sizeof velocity);
  }
  return true;
}

void unpack_joints(ByteView joints, Duration age, std::span<double> tail) {
  const std::size_t n = std::min(joints.size() / kJointSize, tail.size() / 2);
  const double seconds = static_cast<double>(age.count()) * 1e-9;
  for (std::size_t i = 0; i < n; ++i) {
    float position = 0;
    std::int16_t hundredths = 0;
    std::memcpy(&position, joints.data() + i * kJointSize, sizeof position);
    std::memcpy(&hundredths, joints.data() + i * kJointSize + sizeof position, sizeof hundredths);
    const double velocity = hundredths * 0.01;
    tail[tail.size() / 2 + i] = velocity;
    tail[i] = std::isfinite(position) ? static_cast<double>(position) + velocity * seconds : 0;
  }
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
