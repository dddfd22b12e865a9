// The entities of one boundary as a recording keeps them: every word, bit for bit, as differences to the boundary before.
//
//   u32 run | i64 tick | i64 stamp | u8 flags | u32 count | [count x (u32 number, u16 tail words), if flag kList]
//   | count records
//   record   mask: 2 + 15 + tail bits, padded to bytes | [u64 inner, bit 0] | [u64 sent, bit 1]
//            | for each word that is not as expected (bit 2 + its index): zigzag varint of (bits - expected bits)
//
// Words are those of State (world/state.h), then the tail. What is expected: for the stamp the boundary's own; for
// numbers the straight line through the last two values (a robot at constant speed costs a byte or two); for counters
// and where the mask of the stamp is set, the last value. Without a base (flag kKey) the last values are zero.
#pragma once

#include <vector>

#include "convoy/result.h"
#include "world/digest.h"
#include "world/snapshot.h"

namespace convoy {

struct Boundary {
  std::uint32_t run = 0;
  Tick tick = 0;
  std::int64_t stamp = 0;               // ns of simulated time in this run
  std::vector<WorldNumber> numbers;     // ascending
  std::vector<std::uint32_t> begin{0};  // count + 1: where an entity's words begin
  std::vector<std::uint64_t> words;     // of the State, then of the tail
  std::vector<AgentHash> hashes;

  std::size_t size() const { return numbers.size(); }
  std::span<const std::uint64_t> of(std::size_t i) const { return {words.data() + begin[i], begin[i + 1] - begin[i]}; }
  std::size_t find(WorldNumber number) const;  // size() if there is none
  State state(std::size_t i) const;
  std::vector<double> tail(std::size_t i) const;
  friend bool operator==(const Boundary&, const Boundary&) = default;
};

// A copy of a snapshot, into `out`, whose memory is used again.
void take(std::uint32_t run, Tick tick, Instant stamp, const Snapshot& snapshot, std::span<const AgentHash> hashes,
          Boundary& out);

// Leaves of each entity its pose, to about 0.1 mm and 0.03 mrad: no stamp of its own, no twist, joints and hashes.
void keep_poses(Boundary& boundary);

// Both sides of the format: each boundary that went through is the next one's base.
class BoundaryCoder {
 public:
  // `key`: readable without any before it.
  void encode(const Boundary& boundary, bool key, Bytes& out);
  // Fails when the bytes are malformed, or need a base that is not there; the coder then needs a key.
  Status decode(ByteView bytes, Boundary& out);

 private:
  void rebase(const Boundary& to);
  bool same_list(const Boundary& b) const { return b.numbers == last_.numbers && b.begin == last_.begin; }
  std::uint64_t expected(std::size_t word_of_entity, std::size_t at, std::int64_t stamp, bool stamped) const;
  void rewind_to(const Boundary& list);

  Boundary last_;
  std::vector<std::uint64_t> before_;  // last_'s words one boundary earlier
  bool based_ = false;
};

// Reads run, tick and whether it is a key, without decoding.
struct BoundaryHead {
  std::uint32_t run = 0;
  Tick tick = 0;
  bool key = false;
};
bool peek(ByteView bytes, BoundaryHead& head);

}  // namespace convoy
