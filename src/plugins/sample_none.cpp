// A library that has no sensors: none of its code may run.
#include <cstdlib>

namespace {
struct Runs {
  Runs() { std::abort(); }
} runs;
}  // namespace

extern "C" int nothing() { return 0; }
