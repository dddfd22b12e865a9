#include "adapters/web/frame.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace convoy::web {

namespace {

constexpr std::uint8_t kWhole = 1, kPart = 2;                // first byte
constexpr std::size_t kNumber = 4, kCounts = 32;             // where a head has its number, and its two counts
constexpr double kUnit = 32767, kSpeed = 256, kTurn = 1024;  // of quaternions, m/s and rad/s in 16 bits

std::int16_t small(double value, double scale) {
  return static_cast<std::int16_t>(std::lround(std::clamp(value * scale, -32767.0, 32767.0)));
}

void put(Writer& w, std::int16_t value) { w.u16(static_cast<std::uint16_t>(value)); }
void put(Writer& w, float value) { w.raw(&value, sizeof value); }

void put(Writer& w, const State& state) {
  const Vec3 &p = state.pose.p, &v = state.twist.v, &turn = state.twist.w;
  const Quat& q = state.pose.q;
  for (double x : {p.x, p.y, p.z}) put(w, static_cast<float>(x));
  for (double x : {q.w, q.x, q.y, q.z}) put(w, small(x, kUnit));
  for (double x : {v.x, v.y, v.z}) put(w, small(x, kSpeed));
  for (double x : {turn.x, turn.y, turn.z}) put(w, small(x, kTurn));
}

}  // namespace

Bytes frame_of(std::span<const World* const> worlds, const FrameFacts& facts) {
  std::size_t count = 0, joints = 0;
  for (const World* world : worlds) {
    count += world->entities().size();
    for (const Slot slot : SlotRange(world->entities().size())) joints += world->model_of(slot).joints.size();
  }
  Bytes out;
  out.reserve(kFrameHead + count * kFrameEntity + joints * kFrameJoint);
  Writer w(out);
  w.u8(kWhole), w.u8(facts.paused ? 1 : 0), w.u16(0);
  w.u32(facts.number), w.u32(facts.run), w.u32(facts.structure);
  const double time = static_cast<double>(nanos(facts.time)) * 1e-9, tick = static_cast<double>(facts.tick);
  w.raw(&time, sizeof time), w.raw(&tick, sizeof tick);
  w.u32(static_cast<std::uint32_t>(count)), w.u32(static_cast<std::uint32_t>(joints));
  for (const World* world : worlds)
    for (const Slot slot : SlotRange(world->entities().size())) put(w, world->snapshot().state(slot));
  for (const World* world : worlds)
    for (const Slot slot : SlotRange(world->entities().size())) {
      const std::span<const double> all = world->joints(slot);
      for (double x : all.first(world->model_of(slot).joints.size())) put(w, static_cast<float>(x));
    }
  return out;
}

Roster roster_of(std::span<const World* const> worlds) {
  Roster out;
  std::uint32_t first = 0, joints = 0;
  for (const World* world : worlds) {
    for (const Slot slot : SlotRange(world->entities().size())) {
      out.numbers.push_back(first + world->entity(slot).number.value());
      out.joint_at.push_back(joints += static_cast<std::uint32_t>(world->model_of(slot).joints.size()));
    }
    first += kBeside;
  }
  return out;
}

Bytes part_of(ByteView whole, const Roster& roster, std::span<const std::uint32_t> slots) {
  const std::size_t states = kFrameHead, all_joints = states + roster.size() * kFrameEntity;
  EXPECTS(whole.size() == all_joints + roster.joint_at.back() * kFrameJoint);
  std::uint32_t joints = 0;
  for (const std::uint32_t slot : slots) joints += roster.joints(slot);
  Bytes out;
  out.reserve(kFrameHead + slots.size() * (kFrameSlot + kFrameEntity) + joints * kFrameJoint);
  Writer w(out);
  w.u8(kPart), w.bytes(whole.subspan(1, kCounts - 1));
  w.u32(static_cast<std::uint32_t>(slots.size())), w.u32(joints);
  for (const std::uint32_t slot : slots) w.u32(slot);
  for (const std::uint32_t slot : slots) w.bytes(whole.subspan(states + slot * kFrameEntity, kFrameEntity));
  for (const std::uint32_t slot : slots)
    w.bytes(whole.subspan(all_joints + roster.joint_at[slot] * kFrameJoint, roster.joints(slot) * kFrameJoint));
  return out;
}

void put_number(Bytes& frame, std::uint32_t number) {
  EXPECTS(frame.size() >= kFrameHead);
  std::memcpy(frame.data() + kNumber, &number, sizeof number);
}

std::uint32_t number_of(ByteView frame) {
  EXPECTS(frame.size() >= kFrameHead);
  std::uint32_t number = 0;
  std::memcpy(&number, frame.data() + kNumber, sizeof number);
  return number;
}

}  // namespace convoy::web
