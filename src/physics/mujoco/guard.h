// Calls MuJoCo safely: errors are returned as text instead of ending the process, warnings are kept, nothing is
// printed.
#pragma once

#include <string>
#include <type_traits>

namespace convoy::mujoco {

// Routes all messages of MuJoCo through here, in every thread. Call it before anything else of MuJoCo; a second call
// does nothing.
void take_over_log();

// Runs `call(context)`. False if MuJoCo raised an error in it, with its text: MuJoCo's own frames were left by a jump
// then, and so was `call`, which must not have destructors to run.
bool guarded(std::string& trouble, void (*call)(void*), void* context);

template <class F>
bool guarded(std::string& trouble, F&& f) {
  return guarded(
      trouble, [](void* c) { (*static_cast<std::remove_reference_t<F>*>(c))(); }, &f);
}

// The first warning of this thread since it was last asked for one.
std::string take_warning();

}  // namespace convoy::mujoco
