#include "wire/lockstep.h"

#include <utility>

namespace convoy {

namespace {

constexpr std::uint16_t kSentBit = 1u << 15;
constexpr std::uint32_t kWordBits = (1u << kStateWords) - 1;

constexpr std::size_t largest_record(std::size_t tail_size) {
  return 2 + (tail_size + 7) / 8 + 8 * (kStateWords + tail_size + 2);
}

// The slots of one host lie apart, so the processor does not guess the next one: it is asked for this many ahead.
constexpr std::size_t kAhead = 6;

// Where the set bits of a mask are, lowest first: body(bit).
template <class Body>
inline void for_each_bit(std::uint32_t mask, const Body& body) {
  for (; mask != 0; mask &= mask - 1) body(static_cast<std::size_t>(std::countr_zero(mask)));
}

// Writes one record at p, where largest_record() bytes are free; returns its end.
inline std::uint8_t* put_record(std::uint8_t* p, const State& before, const State& after,
                                std::span<const double> tail_before, std::span<const double> tail_after,
                                const AgentHash& hash, Instant stamp) {
  const auto* a = reinterpret_cast<const unsigned char*>(&before);
  const auto* b = reinterpret_cast<const unsigned char*>(&after);
  std::uint32_t mask = (hash.sent != 0 ? kSentBit : 0u) | (after.stamp != stamp ? 1u : 0u);
  const auto compare = [&](std::size_t i) {
    std::uint64_t was, is;
    std::memcpy(&was, a + 8 * i, 8), std::memcpy(&is, b + 8 * i, 8);
    mask |= static_cast<std::uint32_t>(was != is) << i;
  };
  // Written out 14 times: as a loop it takes twice as long.
  [&]<std::size_t... i>(std::index_sequence<i...>) { (compare(i + 1), ...); }
  (std::make_index_sequence<kStateWords - 1>());
  const auto short_mask = static_cast<std::uint16_t>(mask);
  std::memcpy(p, &short_mask, 2);
  p += 2;
  std::uint8_t* tail_mask = p;
  const std::size_t tail_bytes = (tail_after.size() + 7) / 8;
  for (std::size_t i = 0; i < tail_bytes; ++i) tail_mask[i] = 0;
  p += tail_bytes;
  for_each_bit(mask & kWordBits, [&](std::size_t i) { std::memcpy(p, b + 8 * i, 8), p += 8; });
  for (std::size_t i = 0; i < tail_after.size(); ++i) {
    const bool changed = std::bit_cast<std::uint64_t>(tail_before[i]) != std::bit_cast<std::uint64_t>(tail_after[i]);
    tail_mask[i / 8] |= static_cast<std::uint8_t>(changed << (i % 8));
    std::memcpy(p, &tail_after[i], 8);  // written always, kept if it changed
    p += 8 * changed;
  }
  std::memcpy(p, &hash.inner, 8);
  p += 8;
  if (hash.sent != 0) std::memcpy(p, &hash.sent, 8), p += 8;
  return p;
}

constexpr std::size_t kStatesHeader = 4 + 8 + 4 + 4 + 4;

void ask_for(const Snapshot& before, const Snapshot& next, Slot slot, bool to_write) {
  const auto* from = reinterpret_cast<const char*>(&before.state(slot));
  const auto* to = reinterpret_cast<const char*>(&next.state(slot));
  __builtin_prefetch(from), __builtin_prefetch(from + 64), __builtin_prefetch(from + sizeof(State) - 1);
  __builtin_prefetch(before.tail(slot).data());
  if (to_write) {
    __builtin_prefetch(to, 1), __builtin_prefetch(to + 64, 1), __builtin_prefetch(to + sizeof(State) - 1, 1);
    __builtin_prefetch(next.tail(slot).data(), 1);
  } else {
    __builtin_prefetch(to), __builtin_prefetch(to + 64), __builtin_prefetch(to + sizeof(State) - 1);
    __builtin_prefetch(next.tail(slot).data());
  }
}

}  // namespace

std::vector<Bytes> encode_messages(std::uint32_t run, Tick tick, std::span<const Message> messages) {
  std::vector<Bytes> frames;
  Messages batch{run, tick, {}};
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    batch.messages.push_back(messages[i]);
    bytes += messages[i].payload.size() + messages[i].topic.size() + 32;
    if (bytes < kMaxChunk && i + 1 < messages.size()) continue;
    frames.push_back(save(batch));
    batch.messages.clear();
    bytes = 0;
  }
  return frames;
}

std::vector<Bytes> encode_push(std::uint32_t run, std::vector<ElementId> gone, std::vector<Push::Set> set) {
  std::vector<Bytes> frames;
  if (gone.empty() && set.empty()) return frames;
  Push batch{run, std::move(gone), {}};
  std::size_t bytes = 4 * batch.gone.size();
  for (Push::Set& one : set) {
    if (bytes >= kMaxChunk) {
      frames.push_back(save(batch));
      batch = Push{run, {}, {}};
      bytes = 0;
    }
    bytes += one.bytes.size() + 8;
    batch.set.push_back(std::move(one));
  }
  frames.push_back(save(batch));
  return frames;
}

std::vector<Bytes> encode_taken(std::uint32_t run, Tick tick, std::span<const ElementChanged> changes) {
  std::vector<Bytes> frames;
  Taken batch{run, tick, {}};
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    batch.changes.push_back(changes[i]);
    bytes += changes[i].bytes.size() + changes[i].owner.size() + changes[i].type.size() + 40;
    if (bytes < kMaxChunk && i + 1 < changes.size()) continue;
    frames.push_back(save(batch));
    batch.changes.clear();
    bytes = 0;
  }
  return frames;
}

std::vector<Bytes> encode_states(const StatesHeader& header, const World& world, const Snapshot& next,
                                 std::span<const Slot> slots, std::span<const AgentHash> hashes, Instant stamp) {
  EXPECTS(slots.size() == hashes.size());
  std::vector<Bytes> frames;
  const Snapshot& before = world.snapshot();
  static thread_local Bytes room;  // for the worst case of a frame; kept, so that it is not zeroed for each
  std::size_t first = 0;
  while (first < slots.size()) {
    std::size_t worst = kStatesHeader, end = first;
    while (end < slots.size() && worst < kMaxChunk) worst += largest_record(next.tail(slots[end++]).size());
    if (room.size() < worst) room.resize(worst);
    std::uint8_t* p = room.data() + kStatesHeader;
    for (std::size_t i = first; i < end; ++i) {
      if (i + kAhead < end) ask_for(before, next, slots[i + kAhead], false);
      p = put_record(p, before.state(slots[i]), next.state(slots[i]), before.tail(slots[i]), next.tail(slots[i]),
                     hashes[i], stamp);
    }
    Bytes& out = frames.emplace_back();
    out.reserve(static_cast<std::size_t>(p - room.data()));
    Writer w(out);
    w.u32(header.run), w.i64(header.tick), w.u32(header.owner.value()), w.u32(static_cast<std::uint32_t>(first));
    w.u32(static_cast<std::uint32_t>(end - first));
    out.insert(out.end(), room.data() + kStatesHeader, p);
    first = end;
  }
  return frames;
}

std::vector<Bytes> encode_exact(const World& world) {
  std::vector<Bytes> out;
  const Snapshot& snapshot = world.snapshot();
  std::uint32_t first = 0, count = 0;
  Bytes words;
  const auto flush = [&] {
    if (count == 0) return;
    Writer w(out.emplace_back());
    w.u32(first), w.u32(count), w.bytes(words);
    first += count, count = 0;
    words.clear();
  };
  for (const Slot slot : SlotRange(snapshot.size())) {
    const std::span<const double> tail = snapshot.tail(slot);
    if (words.size() + sizeof(State) + tail.size_bytes() > kMaxChunk) flush();
    Writer w(words);
    w.raw(&snapshot.state(slot), sizeof(State));
    w.raw(tail.data(), tail.size_bytes());
    ++count;
  }
  flush();
  return out;
}

Status decode_exact(ByteView piece, World& world) {
  Reader in(piece);
  Snapshot& snapshot = world.snapshot();
  const std::uint32_t first = in.u32(), count = in.u32();
  if (!in.ok() || first > snapshot.size() || count > snapshot.size() - first)
    return fail(ErrorCode::kInvalid, "exact states of what is not there");
  std::size_t bytes = 0;
  for (std::uint32_t i = first; i < first + count; ++i) bytes += sizeof(State) + snapshot.tail(Slot(i)).size_bytes();
  if (in.left() != bytes) return fail(ErrorCode::kInvalid, "exact states are cut short, or too long");
  for (std::uint32_t i = first; i < first + count; ++i) {
    const std::span<double> tail = snapshot.tail(Slot(i));
    std::memcpy(&snapshot.state(Slot(i)), in.bytes(sizeof(State)).data(), sizeof(State));
    const ByteView words = in.bytes(tail.size_bytes());
    if (!words.empty()) std::memcpy(tail.data(), words.data(), words.size());
  }
  return {};
}

bool peek_states(ByteView payload, StatesHeader& header) {
  Reader r(payload);
  header.run = r.u32();
  header.tick = r.i64();
  header.owner = Owner(r.u32());
  return r.ok();
}

namespace {

bool sound(const std::uint8_t* number) {  // finite, and not -0
  std::uint64_t word;
  std::memcpy(&word, number, 8);
  return (word & 0x7ff0000000000000u) != 0x7ff0000000000000u && word != 0x8000000000000000u;
}

Status check_records(ByteView records, const Snapshot& before, std::span<const Slot> slots) {
  const std::uint8_t* p = records.data();
  const std::uint8_t* const end = p + records.size();
  const auto cut = [] { return fail(ErrorCode::kInvalid, "a States frame is cut short"); };
  for (const Slot slot : slots) {
    const std::size_t tail_size = before.tail(slot).size(), tail_bytes = (tail_size + 7) / 8;
    if (static_cast<std::size_t>(end - p) < 2 + tail_bytes) return cut();
    std::uint16_t mask;
    std::memcpy(&mask, p, 2);
    std::size_t set = 0;
    for (std::size_t j = 0; j < tail_bytes; ++j) set += static_cast<std::size_t>(std::popcount(p[2 + j]));
    const std::size_t numbers = static_cast<std::size_t>(std::popcount(mask & kWordBits));
    if (tail_size % 8 != 0 && p[1 + tail_bytes] >> (tail_size % 8) != 0)
      return fail(ErrorCode::kInvalid, "a States frame names a joint that is not there");
    const std::size_t size = 2 + tail_bytes + 8 * (numbers + set + 1 + (mask & kSentBit ? 1 : 0));
    if (static_cast<std::size_t>(end - p) < size) return cut();
    // The stamp and the discontinuity count, first and last of the words, are no doubles.
    const std::uint8_t* const begin = p + 2 + tail_bytes;
    const std::size_t last_number = numbers - (mask >> (kStateWords - 1) & 1);
    bool all_sound = true;
    for (std::size_t j = mask & 1; j < last_number; ++j) all_sound &= sound(begin + 8 * j);
    if (!all_sound) return fail(ErrorCode::kInvalid, "a state holds NaN, infinity or -0");
    for (std::size_t j = numbers; j < numbers + set; ++j) all_sound &= sound(begin + 8 * j);
    if (!all_sound) return fail(ErrorCode::kInvalid, "a joint holds NaN, infinity or -0");
    p += size;
  }
  if (p != end) return fail(ErrorCode::kInvalid, "a States frame has bytes left over");
  return {};
}

}  // namespace

Status decode_states(ByteView payload, World& world, std::span<const Slot> slots, Instant stamp,
                     std::span<AgentHash> hashes, std::uint32_t& done) {
  Reader r(payload);
  r.u32(), r.i64(), r.u32();
  const std::uint32_t first = r.u32(), count = r.u32();
  if (!r.ok()) return fail(ErrorCode::kInvalid, "a States frame is cut short");
  if (first != done || count > slots.size() - done) return fail(ErrorCode::kInvalid, "a States frame is out of place");
  slots = slots.subspan(first, count);
  const ByteView records = payload.subspan(kStatesHeader);
  const Snapshot& before = world.snapshot();
  Snapshot& next = world.next();
  // First pass checks, second writes: a bad frame leaves nothing behind.
  if (const Status ok = check_records(records, before, slots); !ok) return ok;
  const std::uint8_t* p = records.data();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Slot slot = slots[i];
    if (i + kAhead < slots.size()) ask_for(before, next, slots[i + kAhead], true);
    const auto tail_before = before.tail(slot);
    const auto tail = next.tail(slot);
    std::uint16_t mask;
    std::memcpy(&mask, p, 2);
    const std::uint8_t* tail_mask = p + 2;
    p = tail_mask + (tail.size() + 7) / 8;
    State& state = next.state(slot);
    state = before.state(slot);
    state.stamp = stamp;
    auto* const to = reinterpret_cast<unsigned char*>(&state);
    for_each_bit(mask & kWordBits, [&](std::size_t word) { std::memcpy(to + 8 * word, p, 8), p += 8; });
    for (std::size_t j = 0; j < tail.size(); ++j) {
      if (tail_mask[j / 8] >> (j % 8) & 1) std::memcpy(&tail[j], p, 8), p += 8;
      else tail[j] = tail_before[j];
    }
    AgentHash hash;
    std::memcpy(&hash.inner, p, 8);
    p += 8;
    if (mask & kSentBit) std::memcpy(&hash.sent, p, 8), p += 8;
    if (!hashes.empty()) hashes[slot.index()] = hash;
  }
  done += count;
  return {};
}

}  // namespace convoy
