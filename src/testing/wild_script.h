// Scripts of all sizes and kinds: each draws which of everything that can be done to a world it does, and how often.
//
// All that it does can be done: each step was tried on a world of its own.
#pragma once

#include "testing/script.h"

namespace convoy::testing {

// Whom a script may put into its world.
struct Cast {
  std::vector<Model> models;                // beside the built-in ones
  std::vector<Bytes> files;                 // that they need
  std::vector<std::string> names;           // of models that robots have, as often as it names them
  std::vector<ComponentSpec> components{};  // of about half of the robots; empty: of none
  int most = 34;                            // robots at the beginning
  Tick longest = 220;
};
// Kinematic robots of the built-in models, without nodes.
Cast plain_cast();

Script make_wild_script(std::uint64_t number, const Cast& cast);

}  // namespace convoy::testing
