// Writes protobuf's wire format, field by field (https://protobuf.dev/programming-guides/encoding).
//
// A field is its tag, number << 3 | wire type, then a varint (0), 8 bytes (1), a length and bytes (2), or 4 bytes (5).
// Fields that have proto3's default value are left out.
#pragma once

#include <cmath>
#include <span>
#include <string_view>

#include "convoy/time.h"
#include "core/bytes.h"

namespace convoy {

class Proto {
 public:
  explicit Proto(Bytes& out) : out_(out) {}

  void integer(std::uint32_t field, std::int64_t v) {
    if (v == 0) return;
    varint(field << 3);
    varint(static_cast<std::uint64_t>(v));
  }
  void fixed32(std::uint32_t field, std::uint32_t v) {
    if (v == 0) return;
    varint(field << 3 | 5);
    Writer(out_).u32(v);
  }
  void real(std::uint32_t field, double v) {
    if (v == 0 && !std::signbit(v)) return;
    varint(field << 3 | 1);
    Writer(out_).f64(v);
  }
  void text(std::uint32_t field, std::string_view v) { data(field, as_bytes(v)); }
  void data(std::uint32_t field, ByteView v) {
    if (v.empty()) return;
    varint(field << 3 | 2);
    varint(v.size());
    Writer(out_).bytes(v);
  }
  // Packed: one length for all.
  template <class T>
  void list(std::uint32_t field, std::span<const T> v) {
    data(field, {reinterpret_cast<const std::uint8_t*>(v.data()), v.size_bytes()});
  }
  // A message field, written even when it is empty: it is then there.
  template <class Fill>
  void message(std::uint32_t field, Fill fill) {
    varint(field << 3 | 2);
    const std::size_t at = out_.size();
    out_.push_back(0);  // its length, of which most take one byte
    fill(*this);
    std::uint64_t length = out_.size() - at - 1;
    Bytes more;
    for (out_[at] = low(length); length >= 0x80;) more.push_back(low(length >>= 7));
    out_.insert(out_.begin() + static_cast<std::ptrdiff_t>(at) + 1, more.begin(), more.end());
  }

 private:
  static std::uint8_t low(std::uint64_t v) { return static_cast<std::uint8_t>(v >= 0x80 ? v | 0x80 : v); }
  void varint(std::uint64_t v) {
    for (; v >= 0x80; v >>= 7) out_.push_back(low(v));
    out_.push_back(low(v));
  }

  Bytes& out_;
};

// google.protobuf.Timestamp: nanos count forward from seconds, also before the epoch.
inline void put_time(Proto& p, std::uint32_t field, Instant stamp) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  std::int64_t s = nanos(stamp) / kSecond, ns = nanos(stamp) % kSecond;
  if (ns < 0) --s, ns += kSecond;
  p.message(field, [&](Proto& m) { m.integer(1, s), m.integer(2, ns); });
}

}  // namespace convoy
