// A user's function at the server, as a scenario names it. It talks with programs that join, and is no part of the world.
#pragma once

#include <string>

#include "core/bytes.h"

namespace convoy {

struct WelcomeSpec {
  std::string type;     // empty: there is none
  std::string library;  // a path
  Bytes parameters;     // canonical bytes of UsersParameters
  bool any() const { return !type.empty(); }
  friend bool operator==(const WelcomeSpec&, const WelcomeSpec&) = default;
};

}  // namespace convoy
