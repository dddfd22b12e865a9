#include "os/float_mode.h"

#include <doctest/doctest.h>

#include <cfenv>
#include <thread>

#include "os/thread_pool.h"

namespace float_mode_test {

using namespace convoy;

namespace {

double third() {
  volatile double one = 1, three = 3;
  return one / three;
}

double denormal() {
  volatile double tiny = 1e-308, half = 1e-10;
  return tiny * half;
}

// As a library does that was linked with -ffast-math.
void flush_denormals() {
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#elif defined(__aarch64__)
  asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{1} << 24));
#endif
}

}  // namespace

TEST_CASE("a changed rounding mode and flushed denormals are put back, and reported once") {
  CHECK_FALSE(os::restore_float_mode());
  const double nearest = third(), small = denormal();
  CHECK(small > 0);
  for (int mode : {FE_UPWARD, FE_TOWARDZERO, FE_DOWNWARD}) {
    std::fesetround(mode);
    CHECK(os::restore_float_mode());
    CHECK_FALSE(os::restore_float_mode());
    CHECK(std::fegetround() == FE_TONEAREST);
    CHECK(third() == nearest);
  }
  flush_denormals();
  CHECK(denormal() == 0);
  CHECK(os::restore_float_mode());
  CHECK(denormal() == small);
}

TEST_CASE("threads of a pool round to nearest, whoever made them") {
  std::fesetround(FE_UPWARD);
  std::vector<double> thirds(64);
  {
    os::ThreadPool pool(4);
    os::restore_float_mode();
    pool.parallel(thirds.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        thirds[i] = third();
        std::this_thread::yield();
      }
    });
  }
  for (double one : thirds) CHECK(one == third());
}

}  // namespace float_mode_test
