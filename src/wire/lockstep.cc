#include "wire/lockstep.h"

namespace convoy {

namespace {

constexpr std::uint16_t kSentBit = 1u << 15;

constexpr std::size_t largest_record(std::size_t tail_size) {
  return 2 + (tail_size + 7) / 8 + 8 * (kStateWords + tail_size + 2);
}

// Writes one record at p, where largest_record() bytes are free; returns its end.
std::uint8_t* put_record(std::uint8_t* p, const State& before, const State& after, std::span<const double> tail_before,
                         std::span<const double> tail_after, const AgentHash& hash, Instant stamp) {
  const StateWords a = words(before), b = words(after);
  std::uint32_t mask = (hash.sent != 0 ? kSentBit : 0u) | (after.stamp != stamp ? 1u : 0u);
  for (std::size_t i = 1; i < kStateWords; ++i) mask |= static_cast<std::uint32_t>(a[i] != b[i]) << i;
  const auto short_mask = static_cast<std::uint16_t>(mask);
  std::memcpy(p, &short_mask, 2);
  p += 2;
  std::uint8_t* tail_mask = p;
  const std::size_t tail_bytes = (tail_after.size() + 7) / 8;
  std::memset(tail_mask, 0, tail_bytes);
  p += tail_bytes;
  for (std::size_t i = 0; i < kStateWords; ++i) {
    std::memcpy(p, &b[i], 8);  // written always, kept if it changed
    p += 8 * (mask >> i & 1);
  }
  for (std::size_t i = 0; i < tail_after.size(); ++i) {
    const bool changed = std::bit_cast<std::uint64_t>(tail_before[i]) != std::bit_cast<std::uint64_t>(tail_after[i]);
    tail_mask[i / 8] |= static_cast<std::uint8_t>(changed << (i % 8));
    std::memcpy(p, &tail_after[i], 8);
    p += 8 * changed;
  }
  std::memcpy(p, &hash.inner, 8);
  p += 8;
  if (hash.sent != 0) std::memcpy(p, &hash.sent, 8), p += 8;
  return p;
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
    // Room for the worst case at once, cut at the end: no growth by record.
    std::size_t room = kStatesHeader, end = first;
    while (end < slots.size() && room < kMaxChunk) room += largest_record(next.tail(slots[end++]).size());
    Writer w(out);
    w.u32(header.run), w.i64(header.tick), w.u32(header.owner), w.u32(static_cast<std::uint32_t>(first));
    w.u32(static_cast<std::uint32_t>(end - first));
    out.resize(room);
    std::uint8_t* p = out.data() + kStatesHeader;
    for (std::size_t i = first; i < end; ++i)
      p = put_record(p, before.state(slots[i]), next.state(slots[i]), before.tail(slots[i]), next.tail(slots[i]),
                     hashes[i], stamp);
    out.resize(static_cast<std::size_t>(p - out.data()));
    first = end;
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
  // First pass checks, second writes: a bad frame leaves nothing behind.
  const ByteView records = payload.subspan(kStatesHeader);
  const std::uint8_t* p = records.data();
  const std::uint8_t* const end = p + records.size();
  const auto cut = [] { return fail(ErrorCode::kInvalid, "a States frame is cut short"); };
  const std::uint64_t boundary = static_cast<std::uint64_t>(nanos(stamp));
  const auto sound = [](std::uint64_t word) {  // finite, and not -0
    return (word & 0x7ff0000000000000u) != 0x7ff0000000000000u && word != 0x8000000000000000u;
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t tail_size = before.tail(slots[first + i]).size(), tail_bytes = (tail_size + 7) / 8;
    if (static_cast<std::size_t>(end - p) < 2 + tail_bytes) return cut();
    std::uint16_t mask;
    std::memcpy(&mask, p, 2);
    std::size_t set = 0;
    for (std::size_t j = 0; j < tail_bytes; ++j) set += static_cast<std::size_t>(std::popcount(p[2 + j]));
    const std::size_t numbers = static_cast<std::size_t>(std::popcount(static_cast<unsigned>(mask & 0x7fff)));
    if (tail_size % 8 != 0 && p[1 + tail_bytes] >> (tail_size % 8) != 0)
      return fail(ErrorCode::kInvalid, "a States frame names a joint that is not there");
    const std::size_t size = 2 + tail_bytes + 8 * (numbers + set + 1 + (mask & kSentBit ? 1 : 0));
    if (static_cast<std::size_t>(end - p) < size) return cut();
    const std::uint8_t* word = p + 2 + tail_bytes;
    for (std::size_t w = 0; w < kStateWords; ++w) {
      if (!(mask >> w & 1)) continue;
      std::uint64_t value;
      std::memcpy(&value, word, 8);
      word += 8;
      if (w != 0 && w != kStateWords - 1 && !sound(value))
        return fail(ErrorCode::kInvalid, "a state holds NaN, infinity or -0");
    }
    for (std::size_t j = 0; j < set; ++j, word += 8) {
      std::uint64_t value;
      std::memcpy(&value, word, 8);
      if (!sound(value)) return fail(ErrorCode::kInvalid, "a joint holds NaN, infinity or -0");
    }
    p += size;
  }
  if (p != end) return fail(ErrorCode::kInvalid, "a States frame has bytes left over");
  p = records.data();
  Snapshot& next = world.next();
  for (std::uint32_t i = 0; i < count; ++i) {
    const Slot slot = slots[first + i];
    const auto tail_before = before.tail(slot);
    const auto tail = next.tail(slot);
    std::uint16_t mask;
    std::memcpy(&mask, p, 2);
    const std::uint8_t* tail_mask = p + 2;
    p = tail_mask + (tail.size() + 7) / 8;
    StateWords w = words(before.state(slot));
    w[0] = boundary;
    for (std::size_t word = 0; word < kStateWords; ++word)
      if (mask >> word & 1) std::memcpy(&w[word], p, 8), p += 8;
    next.state(slot) = state_of(w);
    for (std::size_t j = 0; j < tail.size(); ++j) {
      if (tail_mask[j / 8] >> (j % 8) & 1) std::memcpy(&tail[j], p, 8), p += 8;
      else tail[j] = tail_before[j];
    }
    AgentHash hash;
    std::memcpy(&hash.inner, p, 8);
    p += 8;
    if (mask & kSentBit) std::memcpy(&hash.sent, p, 8), p += 8;
    if (!hashes.empty()) hashes[slot] = hash;
  }
  done += count;
  return {};
}

}  // namespace convoy
