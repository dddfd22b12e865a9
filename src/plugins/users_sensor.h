// A sensor of a user's library as one of Convoy's: its parameters, its view of the world, its samples.
#pragma once

#include <memory>
#include <string>

#include "convoy/sensor.h"
#include "sensing/sensor.h"

namespace convoy {

// A type that a library exports. Lives as long as the library stays loaded: for good.
struct UsersType : SensorType {
  sensor::Type exported{};
  std::string name_text;
  std::uint32_t memory = 0;  // bytes
};

// Errors: what it says of itself cannot be.
Result<std::unique_ptr<const UsersType>> users_type(const sensor::Type& exported);

}  // namespace convoy
