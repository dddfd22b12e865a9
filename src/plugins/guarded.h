// Runs users' code: what it throws is an error, and floating point works as before.
#pragma once

#include <exception>
#include <string>

#include "os/float_mode.h"

namespace convoy {

// What it threw; empty: nothing.
template <class Run>
std::string guarded(const Run& run) {
  std::string thrown;
  try {
    run();
  } catch (const std::exception& e) {
    thrown = e.what();
    if (thrown.empty()) thrown = "it threw an exception";
  } catch (...) { thrown = "it threw something that is no std::exception"; }
  os::restore_float_mode();
  return thrown;
}

}  // namespace convoy
