// The order of what happened in a graph, as a hash that costs a few nanoseconds an event.
#pragma once

#include <array>
#include <cstdint>

#include "core/hash.h"

namespace convoy::nodes {

// Words are gathered and hashed a block at a time. digest() changes nothing, so it may be asked at any moment.
class Trail {
 public:
  void note(std::uint64_t a, std::uint64_t b) {
    if (used_ + 2 > words_.size()) [[unlikely]]
      fold();
    words_[used_] = a, words_[used_ + 1] = b;
    used_ += 2;
  }
  void note(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
    if (used_ + 4 > words_.size()) [[unlikely]]
      fold();
    words_[used_] = a, words_[used_ + 1] = b, words_[used_ + 2] = c, words_[used_ + 3] = d;
    used_ += 4;
  }
  std::uint64_t digest() const { return chain(hash_, hash64(gathered())); }

 private:
  ByteView gathered() const { return {reinterpret_cast<const std::uint8_t*>(words_.data()), used_ * sizeof words_[0]}; }
  void fold() {
    hash_ = chain(hash_, hash64(gathered()));
    used_ = 0;
  }

  std::array<std::uint64_t, 128> words_{};
  std::size_t used_ = 0;
  std::uint64_t hash_ = 0;
};

}  // namespace convoy::nodes
