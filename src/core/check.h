// EXPECTS: what must be true or the program has a bug; it stops in every build.
#pragma once

namespace convoy {
[[noreturn]] void contract_broken(const char* condition, const char* file, int line);
}

#define EXPECTS(condition) \
  (__builtin_expect(!!(condition), 1) ? void(0) : ::convoy::contract_broken(#condition, __FILE__, __LINE__))
