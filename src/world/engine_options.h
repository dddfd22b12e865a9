// Attributes of MuJoCo's <option> that a scenario sets, in place of what robots' files say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/fields.h"

namespace convoy {

struct EngineOption {
  std::string name, value;  // as in MJCF
  friend bool operator==(const EngineOption&, const EngineOption&) = default;
};
template <class V, MaybeConst<EngineOption> T>
void fields(V& v, T& o) {
  v("name", o.name), v("value", o.value);
}

// Options that may change while a robot lives, each one number, as `SetPart` sets them. `solver` is 0 PGS, 1 CG, 2 Newton.
struct RunningOption {
  const char* name;
  double low, high;  // of its values
  bool whole;        // they are whole numbers
};
inline constexpr RunningOption kRunningOptions[] = {{"solver", 0, 2, true},
                                                    {"iterations", 1, 10'000, true},
                                                    {"ls_iterations", 1, 10'000, true},
                                                    {"noslip_iterations", 0, 10'000, true},
                                                    {"tolerance", 0, 1, false},
                                                    {"ls_tolerance", 0, 1, false},
                                                    {"noslip_tolerance", 0, 1, false},
                                                    {"impratio", 1e-6, 1e6, false},
                                                    {"density", 0, 1e6, false},
                                                    {"viscosity", 0, 1e6, false}};
// Null: there is none of that name.
inline const RunningOption* running_option(std::string_view name) {
  for (const RunningOption& option : kRunningOptions)
    if (name == option.name) return &option;
  return nullptr;
}

using EngineOptions = std::vector<EngineOption>;  // of two with one name the last counts

}  // namespace convoy
