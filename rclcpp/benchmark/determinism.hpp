// Where the benchmark's nodes say how they ended, for whoever runs them.
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

// On this thread, for nodes that are made from now on. Null: nobody wants to know.
void report_to(Outcome* outcome);

}  // namespace determinism

// The same, for who has loaded the library and looks it up by name.
extern "C" void convoy_determinism_report_to(determinism::Outcome* outcome);
