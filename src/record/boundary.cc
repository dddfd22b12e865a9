#include "record/boundary.h"

#include <algorithm>
#include <cmath>

#include "world/world.h"

namespace convoy {
namespace {

constexpr std::uint8_t kKey = 1, kList = 2;
constexpr std::size_t kCounter = kStateWords - 1;  // discontinuity
constexpr std::size_t kMaxWords = 64'000'000;

double number(std::uint64_t bits) { return std::bit_cast<double>(bits); }

void put_varint(Bytes& out, std::uint64_t v) {
  for (; v >= 0x80; v >>= 7) out.push_back(static_cast<std::uint8_t>(v | 0x80));
  out.push_back(static_cast<std::uint8_t>(v));
}

std::uint64_t get_varint(Reader& in) {
  std::uint64_t v = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    const std::uint8_t byte = in.u8();
    if (shift == 63 && byte > 1) break;  // beyond 64 bits
    v |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return v;
  }
  in.spoil();
  return 0;
}

std::uint64_t zigzag(std::uint64_t v) { return v << 1 ^ (v >> 63 ? ~std::uint64_t{0} : 0); }
std::uint64_t unzigzag(std::uint64_t v) { return v >> 1 ^ (v & 1 ? ~std::uint64_t{0} : 0); }

}  // namespace

std::size_t Boundary::find(WorldNumber wanted) const {
  const auto it = std::lower_bound(numbers.begin(), numbers.end(), wanted);
  return it != numbers.end() && *it == wanted ? static_cast<std::size_t>(it - numbers.begin()) : size();
}

State Boundary::state(std::size_t i) const {
  StateWords w;
  std::copy_n(of(i).begin(), kStateWords, w.begin());
  return state_of(w);
}

std::vector<double> Boundary::tail(std::size_t i) const {
  std::vector<double> out;
  for (std::uint64_t word : of(i).subspan(kStateWords)) out.push_back(number(word));
  return out;
}

void take(std::uint32_t run, Tick tick, Instant stamp, const Snapshot& snapshot, std::span<const AgentHash> hashes,
          Boundary& out) {
  EXPECTS(hashes.size() == snapshot.size());
  out.run = run;
  out.tick = tick;
  out.stamp = nanos(stamp);
  out.numbers.assign(snapshot.numbers().begin(), snapshot.numbers().end());
  out.hashes.assign(hashes.begin(), hashes.end());
  out.begin.assign(1, 0);
  out.words.clear();
  for (Slot slot : SlotRange(snapshot.size())) {
    const StateWords w = words(snapshot.state(slot));
    out.words.insert(out.words.end(), w.begin(), w.end());
    for (double value : snapshot.tail(slot)) out.words.push_back(std::bit_cast<std::uint64_t>(value));
    out.begin.push_back(static_cast<std::uint32_t>(out.words.size()));
  }
}

void keep_poses(Boundary& b) {
  constexpr double kLength = 8192, kTurn = 32768;  // powers of two: sums of rounded numbers are rounded numbers
  const auto rounded = [](double v, double steps) { return std::round(v * steps) / steps; };
  std::vector<std::uint64_t> words_of_poses;
  std::vector<std::uint32_t> begin{0};
  words_of_poses.reserve(b.size() * kStateWords);
  for (std::size_t i = 0; i < b.size(); ++i) {
    const Pose pose = b.state(i).pose;
    State state;
    state.stamp = instant(b.stamp);
    state.pose.p = {rounded(pose.p.x, kLength), rounded(pose.p.y, kLength), rounded(pose.p.z, kLength)};
    state.pose.q = {rounded(pose.q.w, kTurn), rounded(pose.q.x, kTurn), rounded(pose.q.y, kTurn),
                    rounded(pose.q.z, kTurn)};
    make_canonical(state);
    const StateWords w = words(state);
    words_of_poses.insert(words_of_poses.end(), w.begin(), w.end());
    begin.push_back(static_cast<std::uint32_t>(words_of_poses.size()));
  }
  b.words = std::move(words_of_poses);
  b.begin = std::move(begin);
  b.hashes.assign(b.size(), {});
}

std::uint64_t BoundaryCoder::expected(std::size_t word, std::size_t at, std::int64_t stamp, bool stamped) const {
  if (word == 0) return stamped ? static_cast<std::uint64_t>(stamp) : last_.words[at];
  if (word == kCounter) return last_.words[at];
  const std::uint64_t last = last_.words[at], before = before_[at];
  if (last == before) return last;
  const double line = 2 * number(last) - number(before);
  return std::isfinite(line) ? std::bit_cast<std::uint64_t>(canonical(line)) : last;
}

void BoundaryCoder::rebase(const Boundary& to) {
  before_.swap(last_.words);
  last_ = to;
  based_ = true;
}

// The base takes the list's order: a known entity keeps its words, a new one starts from zero.
void BoundaryCoder::rewind_to(const Boundary& list) {
  Boundary next;
  next.numbers = list.numbers;
  next.begin = list.begin;
  next.words.assign(list.begin.back(), 0);
  next.hashes.assign(list.numbers.size(), {});
  std::vector<std::uint64_t> before(list.begin.back(), 0);
  for (std::size_t i = 0; i < list.numbers.size(); ++i) {
    const std::size_t old = last_.find(list.numbers[i]);
    const std::size_t n = list.begin[i + 1] - list.begin[i];
    if (old == last_.size() || last_.of(old).size() != n) continue;
    std::copy_n(last_.words.begin() + last_.begin[old], n, next.words.begin() + next.begin[i]);
    std::copy_n(before_.begin() + last_.begin[old], n, before.begin() + next.begin[i]);
    next.hashes[i] = last_.hashes[old];
  }
  last_ = std::move(next);
  before_ = std::move(before);
}

void BoundaryCoder::encode(const Boundary& b, bool key, Bytes& out) {
  out.clear();
  if (!based_) key = true;
  if (key) last_ = {}, before_.clear();
  const bool list = key || !same_list(b);
  Writer w(out);
  w.u32(b.run), w.i64(b.tick), w.i64(b.stamp);
  w.u8(static_cast<std::uint8_t>((key ? kKey : 0) | (list ? kList : 0)));
  w.u32(static_cast<std::uint32_t>(b.size()));
  if (list) {
    for (std::size_t i = 0; i < b.size(); ++i) {
      w.u32(b.numbers[i].value());
      w.u16(static_cast<std::uint16_t>(b.of(i).size() - kStateWords));
    }
    rewind_to(b);
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    const std::size_t from = b.begin[i], n = b.begin[i + 1] - from;
    const std::size_t mask = out.size();
    out.resize(mask + (n + 2 + 7) / 8, 0);
    const auto mark = [&](std::size_t bit) { out[mask + bit / 8] |= static_cast<std::uint8_t>(1u << (bit % 8)); };
    if (b.hashes[i].inner != last_.hashes[i].inner) mark(0), w.u64(b.hashes[i].inner);
    if (b.hashes[i].sent != last_.hashes[i].sent) mark(1), w.u64(b.hashes[i].sent);
    for (std::size_t k = 0; k < n; ++k) {
      const std::uint64_t value = b.words[from + k];
      if (value == expected(k, from + k, b.stamp, true)) continue;
      mark(2 + k);
      put_varint(out, zigzag(value - expected(k, from + k, b.stamp, false)));
    }
  }
  rebase(b);
}

bool peek(ByteView bytes, BoundaryHead& head) {
  Reader in(bytes);
  head.run = in.u32();
  head.tick = in.i64();
  in.i64();
  head.key = in.u8() & kKey;
  return in.ok();
}

Status BoundaryCoder::decode(ByteView bytes, Boundary& out) {
  const auto bad = [&](const char* why) {
    based_ = false;
    return fail(ErrorCode::kInvalid, std::string("a recorded boundary ") + why);
  };
  Reader in(bytes);
  Boundary b;
  b.run = in.u32();
  b.tick = in.i64();
  b.stamp = in.i64();
  const std::uint8_t flags = in.u8();
  const std::uint32_t count = in.u32();
  if (!in.ok() || flags > (kKey | kList) || count > kMaxEntities) return bad("is malformed");
  if (flags & kKey) last_ = {}, before_.clear(), based_ = true;
  if (!based_) return bad("needs one before it that is missing");
  if (flags & kList) {
    if (count > in.left() / 7) return bad("is malformed");  // 6 bytes in the list, a mask in the record
    for (std::uint32_t i = 0; i < count; ++i) {
      b.numbers.push_back(WorldNumber(in.u32()));
      const std::size_t end = b.begin.back() + kStateWords + in.u16();
      if (end > kMaxWords) return bad("is too large");
      b.begin.push_back(static_cast<std::uint32_t>(end));
      if (i > 0 && b.numbers[i] <= b.numbers[i - 1]) return bad("is out of order");
    }
    // A record without a changed word still has its mask.
    if (b.begin.back() / 8 > in.left()) return bad("is cut short");
    rewind_to(b);
  } else {
    if (count != last_.size()) return bad("has another number of entities");
    b.numbers = last_.numbers;
    b.begin = last_.begin;
  }
  b.words.resize(b.begin.back());
  b.hashes = last_.hashes;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t from = b.begin[i], n = b.begin[i + 1] - from;
    const ByteView mask = in.bytes((n + 2 + 7) / 8);
    if (!in.ok()) return bad("is cut short");
    if (const std::size_t used = (n + 2) % 8; used > 0 && mask.back() >> used != 0) return bad("is malformed");
    const auto marked = [&](std::size_t bit) { return mask[bit / 8] >> (bit % 8) & 1; };
    if (marked(0)) b.hashes[i].inner = in.u64();
    if (marked(1)) b.hashes[i].sent = in.u64();
    for (std::size_t k = 0; k < n; ++k)
      b.words[from + k] = marked(2 + k) ? expected(k, from + k, b.stamp, false) + unzigzag(get_varint(in))
                                        : expected(k, from + k, b.stamp, true);
    State state = b.state(i);
    if (!make_canonical(state) || state != b.state(i)) return bad("holds NaN or infinity");
    for (std::size_t k = kStateWords; k < n; ++k)
      if (!std::isfinite(number(b.words[from + k]))) return bad("holds NaN or infinity");
  }
  if (!in.done()) return bad("does not end where it should");
  rebase(b);
  out = std::move(b);
  return {};
}

}  // namespace convoy
