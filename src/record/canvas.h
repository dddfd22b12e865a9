// A picture of dots: filled rectangles, thick lines, discs and text, smoothed, and encoded as PNG.
//
//   Canvas canvas(800, 600);
//   canvas.line({10, 10}, {200, 80}, 2, {200, 0, 0});
//   canvas.text({10, 30}, "start", kBlack);
//   Bytes png = canvas.png();
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/bytes.h"

namespace convoy {

struct Colour {
  std::uint8_t r = 0, g = 0, b = 0;
  friend bool operator==(const Colour&, const Colour&) = default;
};
Colour mixed(Colour a, Colour b, double share_of_b);

// A place in the picture, px; x to the right, y down.
struct Point {
  double x = 0, y = 0;
};

class Canvas {
 public:
  static constexpr int kMostSide = 4000;  // px
  // White. Sides of 1 to kMostSide.
  Canvas(int width, int height);

  // What is drawn next is drawn inside of this rectangle only.
  void clip(Point low, Point high);
  void unclip() { clip({0, 0}, {static_cast<double>(width_), static_cast<double>(height_)}); }

  void rect(Point low, Point high, Colour colour);
  void disc(Point centre, double radius, Colour colour);
  void line(Point from, Point to, double width, Colour colour);
  // Sets each dot inside the clip by `at(place)`; several dots make a pixel.
  template <class At>
  void fill(const At& at) {
    for (int y = clip_[1]; y < clip_[3]; ++y)
      for (int x = clip_[0]; x < clip_[2]; ++x) dot(x, y) = at(Point{(x + 0.5) / kDots, (y + 0.5) / kDots});
  }

  // Each character is kAdvance wide. `at`: the left end of the baseline. What is not ASCII is shown as a box.
  static constexpr double kAdvance = 10, kTextHeight = 35.0 / 3;  // px
  void text(Point at, std::string_view text, Colour colour);
  void text_upwards(Point at, std::string_view text, Colour colour);
  static double text_width(std::string_view text);

  Colour pixel(int x, int y) const;  // smoothed
  // Empty if libpng has no memory left.
  Bytes png() const;

 private:
  static constexpr int kDots = 3;  // per pixel, each way
  Colour& dot(int x, int y) {
    return dots_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_ * kDots) + static_cast<std::size_t>(x)];
  }
  void glyphs(Point at, std::string_view text, Colour colour, bool upwards);

  int width_, height_;
  std::vector<Colour> dots_;
  std::array<int, 4> clip_{};  // low x, low y, high x, high y; dots
};

}  // namespace convoy
