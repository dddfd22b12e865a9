#include "wire/quantized.h"

#include <cmath>
#include <cstring>

namespace convoy {

namespace {

constexpr double kRoot2 = 1.4142135623730951;
constexpr double kStep = 1000;  // origins lie on a grid of 1 km
constexpr double kRotationMax = 1023;

// Bits are put and taken through a 256-bit window of four words: every field has a fixed place.
class BitWriter {
 public:
  void put(std::uint64_t value, unsigned bits) {
    value &= (std::uint64_t{1} << bits) - 1;
    words_[at_ / 64] |= value << (at_ % 64);
    if (at_ % 64 + bits > 64) words_[at_ / 64 + 1] |= value >> (64 - at_ % 64);
    at_ += bits;
  }
  void copy(std::uint8_t* out) const { std::memcpy(out, words_, kQuantizedSize); }

 private:
  std::uint64_t words_[4] = {};
  unsigned at_ = 0;
};

class BitReader {
 public:
  explicit BitReader(const std::uint8_t* in) { std::memcpy(words_, in, kQuantizedSize); }
  std::uint64_t take(unsigned bits) {
    std::uint64_t value = words_[at_ / 64] >> (at_ % 64);
    if (at_ % 64 + bits > 64) value |= words_[at_ / 64 + 1] << (64 - at_ % 64);
    at_ += bits;
    return value & ((std::uint64_t{1} << bits) - 1);
  }
  std::int64_t take_signed(unsigned bits) {
    const std::uint64_t value = take(bits), sign = std::uint64_t{1} << (bits - 1);
    return static_cast<std::int64_t>((value ^ sign)) - static_cast<std::int64_t>(sign);
  }

 private:
  std::uint64_t words_[4] = {};
  unsigned at_ = 0;
};

std::int64_t nearest(double x) { return static_cast<std::int64_t>(x + (x < 0 ? -0.5 : 0.5)); }

bool put_length(BitWriter& w, double metres, unsigned bits) {
  const double limit = static_cast<double>((std::int64_t{1} << (bits - 1)) - 1);
  const double mm = metres * 1000;
  if (!(mm >= -limit && mm <= limit)) return false;  // NaN too
  w.put(static_cast<std::uint64_t>(nearest(mm)), bits);
  return true;
}

void put_clamped(BitWriter& w, double value, unsigned bits) {  // in hundredths
  const double limit = static_cast<double>((std::int64_t{1} << (bits - 1)) - 1);
  const double scaled = value * 100;
  w.put(static_cast<std::uint64_t>(nearest(scaled < -limit ? -limit : scaled > limit ? limit : scaled)), bits);
}

}  // namespace

BatchOrigin origin_for(const State& state) {
  const auto on_grid = [](double v) {
    return std::fabs(v) < 1e9 ? static_cast<std::int32_t>(nearest(v / kStep) * static_cast<std::int64_t>(kStep)) : 0;
  };
  return {on_grid(state.pose.p.x), on_grid(state.pose.p.y)};
}

bool quantize(const State& state, WorldNumber number, const BatchOrigin& origin, std::uint8_t* out) {
  const Quat& q = state.pose.q;
  const double component[4] = {q.w, q.x, q.y, q.z};
  unsigned big = 0;
  double norm = 0;
  for (unsigned i = 0; i < 4; ++i) {
    norm += component[i] * component[i];
    if (std::fabs(component[i]) > std::fabs(component[big])) big = i;
  }
  const Vec3 &v = state.twist.v, &w = state.twist.w;
  if (number > kMaxQuantizedNumber || !(norm > 0.5 && norm < 2) || !std::isfinite(v.x + v.y + v.z + w.x + w.y + w.z))
    return false;
  BitWriter bits;
  bits.put(number.value(), 20);
  bits.put(state.discontinuity, 4);
  if (!put_length(bits, state.pose.p.x - origin.x, 22) || !put_length(bits, state.pose.p.y - origin.y, 22) ||
      !put_length(bits, state.pose.p.z, 20))
    return false;
  bits.put(big, 2);
  const double sign = component[big] < 0 ? -1 : 1, scale = sign * kRoot2 * kRotationMax / std::sqrt(norm);
  for (unsigned i = 0; i < 4; ++i)
    if (i != big) bits.put(static_cast<std::uint64_t>(nearest(component[i] * scale)), 11);
  for (double value : {v.x, v.y, v.z}) put_clamped(bits, value, 13);
  for (double value : {w.x, w.y, w.z}) put_clamped(bits, value, 12);
  bits.copy(out);
  return true;
}

Dequantized dequantize(const std::uint8_t* in, const BatchOrigin& origin) {
  BitReader bits(in);
  Dequantized d;
  d.number = WorldNumber(static_cast<std::uint32_t>(bits.take(20)));
  d.discontinuity = static_cast<std::uint8_t>(bits.take(4));
  d.pose.p.x = origin.x + static_cast<double>(bits.take_signed(22)) * 0.001;
  d.pose.p.y = origin.y + static_cast<double>(bits.take_signed(22)) * 0.001;
  d.pose.p.z = static_cast<double>(bits.take_signed(20)) * 0.001;
  const auto big = static_cast<unsigned>(bits.take(2));
  double component[4] = {}, squares = 0;
  for (unsigned i = 0; i < 4; ++i) {
    if (i == big) continue;
    component[i] = static_cast<double>(bits.take_signed(11)) / (kRoot2 * kRotationMax);
    squares += component[i] * component[i];
  }
  component[big] = squares < 1 ? std::sqrt(1 - squares) : 0;
  const double norm = std::sqrt(squares + component[big] * component[big]);
  d.pose.q = {component[0] / norm, component[1] / norm, component[2] / norm, component[3] / norm};
  for (double* value : {&d.twist.v.x, &d.twist.v.y, &d.twist.v.z})
    *value = static_cast<double>(bits.take_signed(13)) * 0.01;
  for (double* value : {&d.twist.w.x, &d.twist.w.y, &d.twist.w.z})
    *value = static_cast<double>(bits.take_signed(12)) * 0.01;
  return d;
}

}  // namespace convoy
