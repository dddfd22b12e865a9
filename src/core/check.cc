#include "core/check.h"

#include <cstdio>
#include <cstdlib>

namespace convoy {

void contract_broken(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "convoy: bug: expected %s (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace convoy
