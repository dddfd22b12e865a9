// Decodes the pictures of maps, PGM (P2, P5) and PNG, row by row, from untrusted bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "convoy/result.h"
#include "core/bytes.h"

namespace convoy::scenario {

struct Pixel {
  std::uint32_t brightness = 0;  // sum over the colour channels, 0 to PictureSize::white
  bool opaque = true;            // full alpha, or none in the file
};

struct PictureSize {
  std::uint32_t width = 0, height = 0;  // pixels
  std::uint32_t white = 255;            // brightness of a white pixel: largest value times colour channels
};

// The receiver of the picture. `begin` comes first and once; an error from it ends the reading. Then each row, from the
// top.
struct PictureSink {
  std::function<Status(const PictureSize&)> begin;
  std::function<void(std::uint32_t row, std::span<const Pixel>)> row;
};

// Errors name `file`. Rows may have been handed over before one is found.
Status read_picture(ByteView bytes, const std::string& file, const PictureSink& sink);

}  // namespace convoy::scenario
