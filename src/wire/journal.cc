#include "wire/journal.h"

#include "core/hash.h"

namespace convoy {

std::uint64_t element_hash(ElementChanged change) {
  change.connection = {};
  Bytes bytes;
  save_for_hash(bytes, change);
  return hash64(bytes);
}

std::uint64_t elements_hash(std::span<const ElementChanged> changes) {
  std::uint64_t hash = 0;
  for (const ElementChanged& change : changes) hash = chain(hash, element_hash(change));
  return hash;
}

}  // namespace convoy
