// How an edit enters World::structure_hash(), and texts that several kinds of edit refuse with.
#pragma once

#include "core/hash.h"
#include "world/world.h"

namespace convoy::edits {

// The place of a kind in the variant, which precedes its bytes in the hash.
template <class Kind, std::size_t I = 0>
constexpr std::uint8_t index_of() {
  static_assert(I < std::variant_size_v<Edit>, "not a kind of edit");
  if constexpr (std::is_same_v<Kind, std::variant_alternative_t<I, Edit>>) return static_cast<std::uint8_t>(I);
  else return index_of<Kind, I + 1>();
}

template <class Kind>
std::uint64_t hash_of(const Kind& edit) {
  Bytes bytes;
  Writer(bytes).u8(index_of<Kind>());
  save_for_hash(bytes, edit);
  return hash64(bytes);
}

// Counts in the order of all edits.
template <class Kind>
std::uint64_t in_order(std::uint64_t before, const Kind& edit) {
  return chain(before, hash_of(edit));
}

// Of edits that place named robots and do nothing else. Several programs may ask for those of different robots at one
// boundary, in an order that is chance, so they count alike in any order. What the order of two of one robot leads to is
// in its state.
template <class Kind>
std::uint64_t in_any_order(std::uint64_t before, const Kind& edit) {
  return before + hash_of(edit);
}

inline Status check_known(const World& world, WorldNumber number) {
  if (world.slot_of(number) != kNoSlot) return {};
  return fail(ErrorCode::kNotFound, "unknown entity number " + std::to_string(number.value()));
}

inline const Entity& entity(const World& world, WorldNumber number) { return world.entity(world.slot_of(number)); }

}  // namespace convoy::edits
