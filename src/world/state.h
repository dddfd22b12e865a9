// The exact state of one entity at one instant: what others may know of it, and what is hashed.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "convoy/geometry.h"
#include "convoy/time.h"
#include "core/fields.h"

namespace convoy {

struct State {
  Instant stamp{};
  Pose pose;                        // X_WB
  Twist twist;                      // v_WB_W, w_WB_W
  std::uint64_t discontinuity = 0;  // counts teleports, attachments, resets: "do not blend across this"

  friend bool operator==(const State&, const State&) = default;
};
template <class V, MaybeConst<State> T>
void fields(V& v, T& s) {
  v("stamp", s.stamp), v("pose", s.pose), v("twist", s.twist), v("discontinuity", s.discontinuity);
}

// The same as words, for hashing and bit-exact deltas. Joint values follow as further words, see Snapshot.
inline constexpr std::size_t kStateWords = 15;
using StateWords = std::array<std::uint64_t, kStateWords>;
static_assert(sizeof(State) == sizeof(StateWords) && std::is_trivially_copyable_v<State>);
inline StateWords words(const State& s) { return std::bit_cast<StateWords>(s); }
inline State state_of(const StateWords& w) { return std::bit_cast<State>(w); }

inline bool is_finite(const Vec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
// -0 as 0 in every number; false if one is not finite.
bool make_canonical(State& state);

}  // namespace convoy
