// Comparing what peers show with what they were given.
#pragma once

#include "core/bytes.h"

namespace convoy {

// Secrets are compared without an early exit, so that timing reveals nothing about them.
inline bool same_secret(ByteView a, ByteView b) {
  if (b.size() != a.size()) return false;
  std::uint8_t difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<std::uint8_t>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace convoy
