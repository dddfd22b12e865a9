#include <algorithm>

#include "core/random.h"
#include "fuzz/targets.h"

namespace convoy::fuzz {

namespace {

void change(Bytes& b, const Bytes& other, Random& random) {
  const auto at = [&](std::size_t size) {
    return static_cast<std::size_t>(random.below(std::max<std::size_t>(size, 1)));
  };
  const auto place = [&](std::size_t i) { return b.begin() + static_cast<std::ptrdiff_t>(i); };
  if (b.empty()) return b.push_back(static_cast<std::uint8_t>(random.below(256)));
  const std::size_t i = at(b.size());
  switch (random.below(8)) {
    case 0: b[i] ^= static_cast<std::uint8_t>(1u << random.below(8)); break;
    case 1: b[i] = static_cast<std::uint8_t>(random.below(256)); break;
    case 2: b[i] = random.below(2) ? 0xff : 0; break;
    case 3: b.resize(i); break;
    case 4: b.erase(place(i), place(std::min(b.size(), i + 1 + at(16)))); break;
    case 5: {  // a number at its end, or nearly
      const std::uint8_t fill = random.below(2) ? 0xff : 0x7f;
      for (std::size_t k = i; k < std::min(b.size(), i + 4); ++k) b[k] = fill;
      break;
    }
    case 6: {
      const Bytes piece(place(i), place(std::min(b.size(), i + 1 + at(64))));
      b.insert(place(at(b.size())), piece.begin(), piece.end());
      break;
    }
    default:
      if (other.empty()) break;
      b.resize(i);
      b.insert(b.end(), other.begin() + static_cast<std::ptrdiff_t>(at(other.size())), other.end());
  }
}

}  // namespace

Bytes mutated(std::span<const Bytes> seeds, std::uint64_t number) {
  Random random{stream_key(number, seeds.size(), "fuzz")};
  const auto one = [&]() -> const Bytes& { return seeds[random.below(seeds.size())]; };
  Bytes out = one();
  for (std::uint64_t n = 1 + random.below(4); n > 0; --n) change(out, one(), random);
  return out;
}

}  // namespace convoy::fuzz
