// The payloads of free mode that lockstep does not have.
//
// The payload of a kStates datagram is a row of batches, each of one instant and one origin:
//   | i64 stamp, ns | i32 origin x, m | i32 origin y, m | u16 states | u8 joints | states x record |
//   record: | 25 bytes (wire/quantized) | joints x (f32 position, rad or m | i16 velocity, 0.01 rad/s or cm/s) |
// A batch without states states only how far its sender is; one without joints leaves them as they are. A clock probe
// (kClock) and its answer are | u32 number | i64 time, ns |: the asker's clock there, the server's clock back.
#pragma once

#include <cmath>
#include <limits>

#include "core/fields.h"
#include "wire/datagram.h"
#include "wire/quantized.h"
#include "world/traffic.h"

namespace convoy {

inline constexpr std::size_t kBatchHeader = 19;
inline constexpr std::size_t kJointSize = 6;
constexpr std::size_t record_size(std::size_t joints) { return kQuantizedSize + joints * kJointSize; }
// Beside the batch that reports how far a sender is.
inline constexpr std::size_t kStatesInDatagram = (kMaxDatagramPayload - 2 * kBatchHeader) / kQuantizedSize;
// Of one entity; a model with more is sent without its joints.
inline constexpr std::size_t kMostJoints = (kMaxDatagramPayload - 2 * kBatchHeader - kQuantizedSize) / kJointSize;
static_assert(kMostJoints < 256);

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
template <class V, MaybeConst<Pace> T>
void fields(V& v, T& p) {
  v("run", p.run), v("tick", p.tick), v("at", p.at), v("speed", p.speed), v("limit", p.limit);
}

struct Batch {
  Instant stamp{};
  BatchOrigin origin;
  std::uint8_t joints = 0;  // of each state
  ByteView records;
  std::size_t size() const { return records.size() / record_size(joints); }
  const std::uint8_t* record(std::size_t i) const { return records.data() + i * record_size(joints); }
  ByteView joints_of(std::size_t i) const { return {record(i) + kQuantizedSize, joints * kJointSize}; }
};
// The batches of a payload. False, and none, if it is cut short or its counts do not add up.
bool read_batches(ByteView payload, std::vector<Batch>& out);

// A payload that is being filled.
class BatchWriter {
 public:
  // How far the sender is: a batch without states.
  void write_reached(Instant reached) { begin(reached, {}, 0, false); }
  // Goes on with the last batch if the state belongs there. False, and nothing has changed, if the datagram is full.
  bool add(Instant stamp, const BatchOrigin& origin, const QuantizedState& state, ByteView joints) {
    const std::size_t count = joints.size() / kJointSize;
    const bool goes_on = size_ > 0 && stamp == stamp_ && origin == origin_ && (count == joints_ || states_ == 0);
    if (size_ + kQuantizedSize + joints.size() + (goes_on ? 0 : kBatchHeader) > bytes_.size()) return false;
    if (!goes_on || count != joints_) begin(stamp, origin, static_cast<std::uint8_t>(count), goes_on);
    std::uint8_t* const at = bytes_.data() + size_;
    std::memcpy(at, state.data(), kQuantizedSize);
    if (!joints.empty()) std::memcpy(at + kQuantizedSize, joints.data(), joints.size());
    size_ += kQuantizedSize + joints.size();
    ++states_;
    std::memcpy(bytes_.data() + count_at_, &states_, sizeof states_);
    return true;
  }
  bool empty() const { return size_ == 0; }
  ByteView payload() const { return {bytes_.data(), size_}; }
  void clear() { size_ = 0, states_ = 0; }

 private:
  void begin(Instant stamp, const BatchOrigin& origin, std::uint8_t joints, bool again);

  std::array<std::uint8_t, kMaxDatagramPayload> bytes_;  // the first size_ mean something
  std::size_t size_ = 0;
  Instant stamp_{};  // of the last batch
  BatchOrigin origin_;
  std::uint8_t joints_ = 0;
  std::uint16_t states_ = 0;
  std::size_t count_at_ = 0;  // where the number of its states is written
};

// A tail (world/snapshot) as the joints of a record; a velocity beyond the range is clamped. False if one is not
// finite.
bool pack_joints(std::span<const double> tail, std::uint8_t* out);
// The joints `age` later, each with its velocity.
void unpack_joints(ByteView joints, Duration age, std::span<double> tail);

// The world number of a record. It is written first (wire/quantized).
inline WorldNumber number_of(const std::uint8_t* record) {
  return WorldNumber(record[0] | static_cast<std::uint32_t>(record[1]) << 8 |
                     static_cast<std::uint32_t>(record[2] & 0x0f) << 16);
}
// Its discontinuity count, modulo 16.
inline std::uint8_t discontinuity_of(const std::uint8_t* record) { return static_cast<std::uint8_t>(record[2] >> 4); }

// Commands of people and programs on their way to the agents' host.
struct Inputs {
  std::uint32_t run = 0;
  std::vector<Input> inputs;
};
template <class V, MaybeConst<Inputs> T>
void fields(V& v, T& i) {
  v("run", i.run), v("inputs", i.inputs);
}

// The region whose states a guest wants: around a place, or around an entity wherever it goes.
struct InterestRegion {
  double radius = 0;               // m, of a circle in the plane; 0: everything
  WorldNumber around = kNoEntity;  // in the middle; kNoEntity: the place is
  double x = 0, y = 0;             // world, m
  bool sensible() const { return radius >= 0 && std::isfinite(radius + x + y); }
};
template <class V, MaybeConst<InterestRegion> T>
void fields(V& v, T& r) {
  v("radius", r.radius), v("around", r.around), v("x", r.x), v("y", r.y);
}

// As it is written in datagrams' headers.
inline std::uint16_t short_run(std::uint32_t run) { return static_cast<std::uint16_t>(run); }

struct ClockProbe {
  std::uint32_t number = 0;
  std::int64_t time = 0;  // ns
};
inline constexpr std::size_t kClockProbe = 12;
Bytes write_probe(const ClockProbe& probe);
bool read_probe(ByteView payload, ClockProbe& probe);

}  // namespace convoy
