// How well pictures are drawn: as well as was asked for, or more plainly where this machine does not come along.
//
// Plainer once pictures have taken most of the time between two of them for three seconds in a row, and not better again:
// a stream that changes its looks back and forth is worse than a plain one.
#pragma once

#include <cstdint>

#include "convoy/time.h"
#include "sensing/pictures.h"

namespace convoy::stream {

class QualityChoice {
 public:
  QualityChoice(PictureQuality first, bool adapts) : quality_(first), adapts_(adapts) {}

  PictureQuality quality() const { return quality_; }
  // So many pictures have been drawn; `took`: all of them.
  void drew(Duration took, std::int64_t pictures) { sum_ += took, count_ += pictures; }
  // Once a second; `every`: between two pictures. True: it is plainer from now on.
  bool on_second(Duration every);
  Duration took() const { return took_; }  // a picture of the last second in which there was one, on average

 private:
  static constexpr std::int64_t kFewest = 3;  // pictures of a second that says something
  static constexpr int kSlowSeconds = 3;
  PictureQuality quality_;
  bool adapts_;
  Duration sum_{}, took_{};
  std::int64_t count_ = 0;
  int slow_ = 0;
};

}  // namespace convoy::stream
