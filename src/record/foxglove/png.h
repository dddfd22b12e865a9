// Pictures as PNG.
#pragma once

#include <cstdint>
#include <span>

#include "core/bytes.h"

namespace convoy {

// Three bytes a pixel, row by row from the top. Empty if libpng has no memory left. `fast`: larger, in a third of the time.
Bytes rgb_png(std::uint32_t width, std::uint32_t height, std::span<const std::uint8_t> rgb, bool fast = false);
// One number of 16 bits a pixel, linear.
Bytes gray16_png(std::uint32_t width, std::uint32_t height, std::span<const std::uint16_t> gray);

}  // namespace convoy
