#include "wire/lockstep.h"

#include <cmath>

namespace convoy {

namespace {

constexpr std::uint16_t kSentBit = 1u << 15;

void put_record(Bytes& out, const State& before, const State& after, std::span<const double> tail_before,
                std::span<const double> tail_after, const AgentHash& hash, Instant stamp) {
  const StateWords a = words(before), b = words(after);
  std::uint16_t mask = hash.sent != 0 ? kSentBit : 0;
  if (after.stamp != stamp) mask |= 1;
  for (std::size_t i = 1; i < kStateWords; ++i)
    if (a[i] != b[i]) mask |= static_cast<std::uint16_t>(1u << i);
  const std::size_t tail_bytes = (tail_after.size() + 7) / 8;
  // Worst case first, then cut: no growth check per word.
  const std::size_t at = out.size();
  out.resize(at + 2 + tail_bytes + 8 * (kStateWords + tail_after.size() + 2));
  std::uint8_t* p = out.data() + at;
  const auto put = [&](const void* data, std::size_t n) { std::memcpy(p, data, n), p += n; };
  put(&mask, 2);
  std::uint8_t* tail_mask = p;
  std::memset(tail_mask, 0, tail_bytes);
  p += tail_bytes;
  for (std::size_t i = 0; i < kStateWords; ++i)
    if (mask >> i & 1) put(&b[i], 8);
  for (std::size_t i = 0; i < tail_after.size(); ++i) {
    if (std::bit_cast<std::uint64_t>(tail_before[i]) == std::bit_cast<std::uint64_t>(tail_after[i])) continue;
    tail_mask[i / 8] |= static_cast<std::uint8_t>(1u << (i % 8));
    put(&tail_after[i], 8);
  }
  put(&hash.inner, 8);
  if (hash.sent != 0) put(&hash.sent, 8);
  out.resize(static_cast<std::size_t>(p - out.data()));
}

constexpr std::size_t kStatesHeader = 4 + 8 + 4 + 4 + 4;

}  // namespace

std::vector<Bytes> encode_states(const StatesHeader& header, const World& world, const Snapshot& next,
                                 std::span<const Slot> slots, std::span<const AgentHash> hashes, Instant stamp) {
  EXPECTS(slots.size() == hashes.size());
  std::vector<Bytes> frames;
  const Snapshot& before = world.snapshot();
  std::size_t first = 0;
  while (first < slots.size()) {
    Bytes& out = frames.emplace_back();
    out.reserve(kMaxChunk + 1024);
    Writer w(out);
    w.u32(header.run), w.i64(header.tick), w.u32(header.owner), w.u32(static_cast<std::uint32_t>(first)), w.u32(0);
    std::size_t i = first;
    for (; i < slots.size() && out.size() < kMaxChunk; ++i)
      put_record(out, before.state(slots[i]), next.state(slots[i]), before.tail(slots[i]), next.tail(slots[i]),
                 hashes[i], stamp);
    const auto count = static_cast<std::uint32_t>(i - first);
    std::memcpy(out.data() + kStatesHeader - 4, &count, 4);
    first = i;
  }
  return frames;
}

bool peek_states(ByteView payload, StatesHeader& header) {
  Reader r(payload);
  header.run = r.u32();
  header.tick = r.i64();
  header.owner = r.u32();
  return r.ok();
}

Status decode_states(ByteView payload, World& world, std::span<const Slot> slots, Instant stamp,
                     std::span<AgentHash> hashes, std::uint32_t& done) {
  Reader r(payload);
  r.u32(), r.i64(), r.u32();
  const std::uint32_t first = r.u32(), count = r.u32();
  if (!r.ok()) return fail(ErrorCode::kInvalid, "a States frame is cut short");
  if (first != done || count > slots.size() - done) return fail(ErrorCode::kInvalid, "a States frame is out of place");
  const Snapshot& before = world.snapshot();
  // First pass checks, second writes: a bad frame leaves nothing behind. Both walk the same records.
  for (const bool write : {false, true}) {
    Reader in(payload.subspan(kStatesHeader));
    for (std::uint32_t i = 0; i < count; ++i) {
      const Slot slot = slots[first + i];
      const std::size_t tail_size = before.tail(slot).size();
      const std::uint16_t mask = in.u16();
      const ByteView tail_mask = in.bytes((tail_size + 7) / 8);
      StateWords w = words(before.state(slot));
      w[0] = static_cast<std::uint64_t>(nanos(stamp));
      for (std::size_t word = 0; word < kStateWords; ++word)
        if (mask >> word & 1) w[word] = in.u64();
      if (!in.ok()) return fail(ErrorCode::kInvalid, "a States frame is cut short");
      if (!write) {
        State state = state_of(w);
        if (!make_canonical(state) || words(state) != w)
          return fail(ErrorCode::kInvalid, "a state holds NaN, infinity or -0");
      } else {
        world.next().state(slot) = state_of(w);
      }
      for (std::size_t j = 0; j < tail_size; ++j) {
        double value = before.tail(slot)[j];
        if (tail_mask[j / 8] >> (j % 8) & 1) value = in.f64();
        if (!write && !std::isfinite(value)) return fail(ErrorCode::kInvalid, "a joint holds NaN or infinity");
        if (write) world.next().tail(slot)[j] = value;
      }
      AgentHash hash;
      hash.inner = in.u64();
      if (mask & kSentBit) hash.sent = in.u64();
      if (!in.ok()) return fail(ErrorCode::kInvalid, "a States frame is cut short");
      if (write && !hashes.empty()) hashes[slot] = hash;
    }
    if (!in.done()) return fail(ErrorCode::kInvalid, "a States frame has bytes left over");
  }
  done += count;
  return {};
}

}  // namespace convoy
