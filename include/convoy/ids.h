// Ids: numbers that name things, one type for each kind of thing, so that none is taken for another.
//
//   const WorldNumber robot(7);     // never from an integer by itself, nor from another id
//   writer.u32(robot.value());      // raw only where bytes, JSON or protobuf begin
//
// Ids compare with their own kind and count nothing: there is no arithmetic.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <vector>

namespace convoy {

struct SlotTag;

template <class Tag>
class Id {
 public:
  using Raw = std::uint32_t;

  constexpr Id() = default;  // 0
  constexpr explicit Id(Raw value) : value_(value) {}
  constexpr Raw value() const { return value_; }
  constexpr std::size_t index() const requires std::same_as<Tag, SlotTag> { return value_; }
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

// An element of an outside program: its owner's own number for it.
using ElementId = Id<struct ElementIdTag>;

// An entity's place among those of one boundary: dense, and only valid until the next edit. The one id that is an index.
//
//   BySlot<double> radii(world.size());
//   for (Slot slot : SlotRange(world.size())) radii[slot] = radius_of(slot);
//   std::span<const double> all = radii;
//   all[slot.index()];
using Slot = Id<SlotTag>;
inline constexpr Slot kNoSlot{~0u};

// The slots below `count`, ascending.
class SlotRange {
 public:
  class Iterator {
   public:
    constexpr explicit Iterator(Slot::Raw at) : at_(at) {}
    constexpr Slot operator*() const { return Slot(at_); }
    constexpr Iterator& operator++() { return ++at_, *this; }
    friend constexpr bool operator==(Iterator, Iterator) = default;

   private:
    Slot::Raw at_;
  };
  constexpr explicit SlotRange(std::size_t count) : count_(static_cast<Slot::Raw>(count)) {}
  constexpr Iterator begin() const { return Iterator(0); }
  constexpr Iterator end() const { return Iterator(count_); }

 private:
  Slot::Raw count_;
};

// A vector of one thing for each slot, which nothing else is an index of.
template <class T>
class BySlot : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  using std::vector<T>::erase;
  T& operator[](Slot slot) { return this->data()[slot.index()]; }
  const T& operator[](Slot slot) const { return this->data()[slot.index()]; }
  void erase(Slot slot) { this->erase(this->begin() + static_cast<std::ptrdiff_t>(slot.index())); }
};

}  // namespace convoy
