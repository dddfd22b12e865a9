// A library of sensors of another version: none of its code may run.
#include <cstdlib>

namespace {
struct Runs {
  Runs() { std::abort(); }
} runs;
}  // namespace

extern "C" {
__attribute__((section("convoy_sensor"), used, visibility("default"))) extern const char convoy_sensor_abi[] =
    "convoy sensor 0";
}
