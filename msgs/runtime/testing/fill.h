// Messages of any type filled with values from a seed: the same ones on every machine. For tests.
#pragma once

#include <cstdint>

#include "convoy_ros_types/type_support.h"

namespace convoy::ros {

// Every field gets a value: strings of up to 7 characters, sequences of up to 3 elements, floats that are finite.
void fill(const TypeSupport& type, void* message, std::uint64_t seed);

}  // namespace convoy::ros
