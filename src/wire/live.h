// What goes over the wire in free mode, besides what lockstep has as well (image, edits, messages, report, finish).
//
// A batch of states is the payload of a kStates datagram:
//   | i64 stamp, ns | i32 origin x, m | i32 origin y, m | 25 bytes per state (wire/quantized) |
// All states of a batch are of the same instant. A batch without states says only how far its sender is. A clock probe
// (kClock) and its answer are | u32 number | i64 time, ns |: the asker's clock there, the server's clock back.
#pragma once

#include <cmath>
#include <limits>

#include "wire/datagram.h"
#include "wire/quantized.h"
#include "world/traffic.h"

namespace convoy {

inline constexpr std::size_t kBatchHeader = 16;
inline constexpr std::size_t kStatesInBatch = (kMaxDatagramPayload - kBatchHeader) / kQuantizedSize;

// A stretch of time of constant speed; see session/timeline.
struct Pace {
  static constexpr Tick kEndless = std::numeric_limits<Tick>::max();
  std::uint32_t run = 0;
  Tick tick = 0;          // from this boundary on
  std::int64_t at = 0;    // server's clock when it begins, ns
  double speed = 1;       // simulated seconds per second, > 0
  Tick limit = kEndless;  // the first tick that does not begin
  friend bool operator==(const Pace&, const Pace&) = default;
};
template <class V>
void fields(V& v, Pace& p) { v("run", p.run), v("tick", p.tick), v("at", p.at), v("speed", p.speed), v("limit", p.limit); }

struct Batch {
  Instant stamp{};
  BatchOrigin origin;
  ByteView records;  // kQuantizedSize bytes each
  std::size_t size() const { return records.size() / kQuantizedSize; }
};
// `out` gets the header; the records are appended by the caller.
void begin_batch(Bytes& out, Instant stamp, const BatchOrigin& origin);
// False if it is cut short or has a piece of a record.
bool read_batch(ByteView payload, Batch& batch);
// The world number of a record. It stands where wire/quantized has the slot.
inline WorldNumber number_of(const std::uint8_t* record) {
  return record[0] | static_cast<WorldNumber>(record[1]) << 8 | static_cast<WorldNumber>(record[2] & 0x0f) << 16;
}
// Its discontinuity count, modulo 16.
inline std::uint8_t discontinuity_of(const std::uint8_t* record) { return static_cast<std::uint8_t>(record[2] >> 4); }

// Commands of people and programs on their way to the agents' host.
struct Inputs {
  std::uint32_t run = 0;
  std::vector<Input> inputs;
};
template <class V> void fields(V& v, Inputs& i) { v("run", i.run), v("inputs", i.inputs); }

// What a guest wants to be told of: the states of what is near a place, or near an entity wherever it goes.
struct InterestRegion {
  double radius = 0;                // m, of a circle in the plane; 0: everything
  WorldNumber around = kNoEntity;   // in the middle; kNoEntity: the place is
  double x = 0, y = 0;              // world, m
  bool sensible() const { return radius >= 0 && std::isfinite(radius + x + y); }
};
template <class V>
void fields(V& v, InterestRegion& r) { v("radius", r.radius), v("around", r.around), v("x", r.x), v("y", r.y); }

struct ClockProbe {
  std::uint32_t number = 0;
  std::int64_t time = 0;  // ns
};
inline constexpr std::size_t kClockProbe = 12;
Bytes write_probe(const ClockProbe& probe);
bool read_probe(ByteView payload, ClockProbe& probe);

}  // namespace convoy
