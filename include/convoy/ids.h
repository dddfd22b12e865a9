// Ids: numbers that name things, one type for each kind of thing, so that none is taken for another.
//
//   const WorldNumber robot(7);     // never from an integer by itself, nor from another id
//   writer.u32(robot.value());      // raw only where bytes, JSON or protobuf begin
//
// Ids compare with their own kind and count nothing: there is no arithmetic.
#pragma once

#include <compare>
#include <cstdint>
#include <iosfwd>

namespace convoy {

template <class Tag>
class Id {
 public:
  using Raw = std::uint32_t;

  constexpr Id() = default;  // 0
  constexpr explicit Id(Raw value) : value_(value) {}
  constexpr Raw value() const { return value_; }
  friend constexpr auto operator<=>(Id, Id) = default;

  // For people: the texts of failed tests.
  template <class C, class Traits>
  friend std::basic_ostream<C, Traits>& operator<<(std::basic_ostream<C, Traits>& out, Id id) {
    return out << id.value_;
  }

 private:
  Raw value_ = 0;
};

// An entity, by the order of creation: in the scenario first. Never used again in a run.
using WorldNumber = Id<struct WorldNumberTag>;
inline constexpr WorldNumber kNoEntity{0};  // numbers start at 1

// Who runs an entity's agent: a connection number. Never enters a state, an order or a digest.
using Owner = Id<struct OwnerTag>;
inline constexpr Owner kNobody{0};

}  // namespace convoy
