// Where the benchmark's nodes report how they ended, for the program that runs them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace determinism {

struct Ended {
  std::uint64_t state = 0;
  std::uint64_t callbacks = 0;
};
// By node name; written when a node goes.
using Outcome = std::map<std::string, Ended>;

// On this thread, for nodes that are made from now on. Null: no report is wanted.
void report_to(Outcome* outcome);

}  // namespace determinism

// The same, for a program that has loaded the library and finds it by name.
extern "C" void convoy_determinism_report_to(determinism::Outcome* outcome);
