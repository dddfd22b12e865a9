#include "run/run.h"

#include "core/hash.h"

namespace convoy {

std::string Run::digest_text() const {
  const std::optional<std::uint64_t> digest = position().digest;
  return digest ? hex16(*digest) : "none";
}

}  // namespace convoy
