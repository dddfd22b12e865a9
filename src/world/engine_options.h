// Attributes of MuJoCo's <option> that a scenario sets, in place of what robots' files say.
#pragma once

#include <string>
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

using EngineOptions = std::vector<EngineOption>;  // of two with one name the last counts

}  // namespace convoy
