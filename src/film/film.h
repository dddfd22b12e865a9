// A film that is being made: pictures are added one after the other, and come out as VP9 in WebM.
//
//   auto film = Film::make({.width = 1280, .height = 720, .rate = 30}, file);
//   for (...) if (auto ok = (*film)->add(rgb, time); !ok) ...
//   Status ok = (*film)->close();          // also when it ends early: what was added is a whole film
//
// The bytes depend on the pictures and their times alone: one thread encodes, nothing is drawn by chance and no date is
// written. Another version of libvpx may give others.
#pragma once

#include <memory>

#include "film/film_file.h"

namespace convoy::film {

inline constexpr std::uint32_t kLeastSide = 16, kMostSide = 8192;  // px
inline constexpr std::uint32_t kMostPixels = 1u << 24;             // 16.8 million
inline constexpr std::uint32_t kMostRate = 240;                    // pictures a second

struct Format {
  std::uint32_t width = 1280, height = 720;  // px
  std::uint32_t rate = 30;                   // pictures a second: how long the last one is seen
};

class Film {
 public:
  virtual ~Film() = default;

  // The file outlives it. kInvalid: a number out of bounds. kUnavailable: no memory for so large a picture.
  static Result<std::unique_ptr<Film>> make(const Format& format, FilmFile& file);

  // Three bytes a pixel, row by row from the top, sRGB. Times ascend by a millisecond at least: they are rounded to that.
  virtual Status add(ByteView rgb, Duration time) = 0;
  // Nothing is added after it. A film that was not closed has no index, and lacks its last seconds.
  virtual Status close() = 0;
};

}  // namespace convoy::film
