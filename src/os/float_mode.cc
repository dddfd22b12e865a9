#include "os/float_mode.h"

#include <cfenv>
#include <cstdint>

namespace convoy::os {

#if defined(__x86_64__)

namespace {
constexpr std::uint32_t kMxcsr = 0x1f80, kMxcsrModes = 0xffc0;  // without the flags that operations leave
constexpr std::uint16_t kX87 = 0x037f, kX87Modes = 0x0f3f;      // for long double
}  // namespace

bool restore_float_mode() {
  const std::uint32_t mxcsr = __builtin_ia32_stmxcsr();
  std::uint16_t x87 = 0;
  asm volatile("fnstcw %0" : "=m"(x87));
  if ((mxcsr & kMxcsrModes) == kMxcsr && (x87 & kX87Modes) == (kX87 & kX87Modes)) return false;
  __builtin_ia32_ldmxcsr(kMxcsr);
  asm volatile("fldcw %0" : : "m"(kX87));
  return true;
}

#elif defined(__aarch64__)

bool restore_float_mode() {
  std::uint64_t fpcr = 0;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  if (fpcr == 0) return false;
  asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{0}));
  return true;
}

#else

bool restore_float_mode() { return std::fegetround() != FE_TONEAREST && std::fesetround(FE_TONEAREST) == 0; }

#endif

}  // namespace convoy::os
