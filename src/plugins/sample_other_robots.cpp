// A library of engines of another version: none of its code may run.
#include <cstdlib>

namespace {
struct Runs {
  Runs() { std::abort(); }
} runs;
}  // namespace

extern "C" {
__attribute__((section("convoy_robot"), used, visibility("default"))) extern const char convoy_robot_abi[] =
    "convoy robot 0";
}
