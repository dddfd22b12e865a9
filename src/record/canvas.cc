#include "record/canvas.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "record/foxglove/png.h"

namespace convoy {
namespace {

constexpr int kColumns = 5, kRows = 8;  // of a character, the last row below the baseline
constexpr int kDotsOfGlyphDot = 5;      // dots of the canvas, each way

// The characters from space on as displays of 5 x 7 dots show them: columns from the left, the lowest bit at the top.
constexpr std::uint8_t kGlyphs[][kColumns] = {
    {0x00, 0x00, 0x00, 0x00, 0x00},  // space
    {0x00, 0x00, 0x5f, 0x00, 0x00},  // !
    {0x00, 0x07, 0x00, 0x07, 0x00},  // "
    {0x14, 0x7f, 0x14, 0x7f, 0x14},  // #
    {0x24, 0x2a, 0x7f, 0x2a, 0x12},  // $
    {0x23, 0x13, 0x08, 0x64, 0x62},  // %
    {0x36, 0x49, 0x56, 0x20, 0x50},  // &
    {0x00, 0x04, 0x03, 0x00, 0x00},  // '
    {0x00, 0x1c, 0x22, 0x41, 0x00},  // (
    {0x00, 0x41, 0x22, 0x1c, 0x00},  // )
    {0x2a, 0x1c, 0x7f, 0x1c, 0x2a},  // *
    {0x08, 0x08, 0x3e, 0x08, 0x08},  // +
    {0x00, 0x80, 0x60, 0x00, 0x00},  // ,
    {0x08, 0x08, 0x08, 0x08, 0x08},  // -
    {0x00, 0x60, 0x60, 0x00, 0x00},  // .
    {0x20, 0x10, 0x08, 0x04, 0x02},  // /
    {0x3e, 0x51, 0x49, 0x45, 0x3e},  // 0
    {0x00, 0x42, 0x7f, 0x40, 0x00},  // 1
    {0x62, 0x51, 0x49, 0x49, 0x46},  // 2
    {0x22, 0x41, 0x49, 0x49, 0x36},  // 3
    {0x18, 0x14, 0x12, 0x7f, 0x10},  // 4
    {0x27, 0x45, 0x45, 0x45, 0x39},  // 5
    {0x3c, 0x4a, 0x49, 0x49, 0x30},  // 6
    {0x01, 0x71, 0x09, 0x05, 0x03},  // 7
    {0x36, 0x49, 0x49, 0x49, 0x36},  // 8
    {0x06, 0x49, 0x49, 0x29, 0x1e},  // 9
    {0x00, 0x36, 0x36, 0x00, 0x00},  // :
    {0x00, 0x80, 0x6c, 0x00, 0x00},  // ;
    {0x08, 0x14, 0x22, 0x41, 0x00},  // <
    {0x14, 0x14, 0x14, 0x14, 0x14},  // =
    {0x00, 0x41, 0x22, 0x14, 0x08},  // >
    {0x02, 0x01, 0x51, 0x09, 0x06},  // ?
    {0x3e, 0x41, 0x5d, 0x55, 0x1e},  // @
    {0x7c, 0x12, 0x11, 0x12, 0x7c},  // A
    {0x7f, 0x49, 0x49, 0x49, 0x36},  // B
    {0x3e, 0x41, 0x41, 0x41, 0x22},  // C
    {0x7f, 0x41, 0x41, 0x41, 0x3e},  // D
    {0x7f, 0x49, 0x49, 0x49, 0x41},  // E
    {0x7f, 0x09, 0x09, 0x09, 0x01},  // F
    {0x3e, 0x41, 0x49, 0x49, 0x3a},  // G
    {0x7f, 0x08, 0x08, 0x08, 0x7f},  // H
    {0x00, 0x41, 0x7f, 0x41, 0x00},  // I
    {0x20, 0x40, 0x41, 0x3f, 0x01},  // J
    {0x7f, 0x08, 0x14, 0x22, 0x41},  // K
    {0x7f, 0x40, 0x40, 0x40, 0x40},  // L
    {0x7f, 0x02, 0x0c, 0x02, 0x7f},  // M
    {0x7f, 0x04, 0x08, 0x10, 0x7f},  // N
    {0x3e, 0x41, 0x41, 0x41, 0x3e},  // O
    {0x7f, 0x09, 0x09, 0x09, 0x06},  // P
    {0x3e, 0x41, 0x51, 0x21, 0x5e},  // Q
    {0x7f, 0x09, 0x19, 0x29, 0x46},  // R
    {0x26, 0x49, 0x49, 0x49, 0x32},  // S
    {0x01, 0x01, 0x7f, 0x01, 0x01},  // T
    {0x3f, 0x40, 0x40, 0x40, 0x3f},  // U
    {0x1f, 0x20, 0x40, 0x20, 0x1f},  // V
    {0x3f, 0x40, 0x38, 0x40, 0x3f},  // W
    {0x63, 0x14, 0x08, 0x14, 0x63},  // X
    {0x07, 0x08, 0x70, 0x08, 0x07},  // Y
    {0x61, 0x51, 0x49, 0x45, 0x43},  // Z
    {0x00, 0x7f, 0x41, 0x41, 0x00},  // [
    {0x02, 0x04, 0x08, 0x10, 0x20},  // backslash
    {0x00, 0x41, 0x41, 0x7f, 0x00},  // ]
    {0x04, 0x02, 0x01, 0x02, 0x04},  // ^
    {0x40, 0x40, 0x40, 0x40, 0x40},  // _
    {0x00, 0x01, 0x02, 0x04, 0x00},  // `
    {0x20, 0x54, 0x54, 0x54, 0x78},  // a
    {0x7f, 0x48, 0x44, 0x44, 0x38},  // b
    {0x38, 0x44, 0x44, 0x44, 0x20},  // c
    {0x38, 0x44, 0x44, 0x48, 0x7f},  // d
    {0x38, 0x54, 0x54, 0x54, 0x18},  // e
    {0x08, 0x7e, 0x09, 0x01, 0x02},  // f
    {0x18, 0xa4, 0xa4, 0xa4, 0x7c},  // g
    {0x7f, 0x08, 0x04, 0x04, 0x78},  // h
    {0x00, 0x44, 0x7d, 0x40, 0x00},  // i
    {0x40, 0x80, 0x84, 0x7d, 0x00},  // j
    {0x7f, 0x10, 0x28, 0x44, 0x00},  // k
    {0x00, 0x41, 0x7f, 0x40, 0x00},  // l
    {0x7c, 0x04, 0x18, 0x04, 0x78},  // m
    {0x7c, 0x08, 0x04, 0x04, 0x78},  // n
    {0x38, 0x44, 0x44, 0x44, 0x38},  // o
    {0xfc, 0x24, 0x24, 0x24, 0x18},  // p
    {0x18, 0x24, 0x24, 0x28, 0xfc},  // q
    {0x7c, 0x08, 0x04, 0x04, 0x08},  // r
    {0x48, 0x54, 0x54, 0x54, 0x20},  // s
    {0x04, 0x3f, 0x44, 0x40, 0x20},  // t
    {0x3c, 0x40, 0x40, 0x20, 0x7c},  // u
    {0x1c, 0x20, 0x40, 0x20, 0x1c},  // v
    {0x3c, 0x40, 0x30, 0x40, 0x3c},  // w
    {0x44, 0x28, 0x10, 0x28, 0x44},  // x
    {0x1c, 0xa0, 0xa0, 0xa0, 0x7c},  // y
    {0x44, 0x64, 0x54, 0x4c, 0x44},  // z
    {0x00, 0x08, 0x36, 0x41, 0x00},  // {
    {0x00, 0x00, 0x7f, 0x00, 0x00},  // |
    {0x00, 0x41, 0x36, 0x08, 0x00},  // }
    {0x08, 0x04, 0x08, 0x10, 0x08},  // ~
};
constexpr std::uint8_t kBox[kColumns] = {0x7f, 0x41, 0x41, 0x41, 0x7f};

const std::uint8_t* glyph_of(char c) {
  const auto index = static_cast<std::size_t>(static_cast<unsigned char>(c)) - ' ';
  return index < std::size(kGlyphs) ? kGlyphs[index] : kBox;
}

// Bytes that continue a character of UTF-8 take no place.
bool continues(char c) { return (c & 0xc0) == 0x80; }

}  // namespace

Colour mixed(Colour a, Colour b, double share) {
  const auto mix = [&](std::uint8_t x, std::uint8_t y) {
    return static_cast<std::uint8_t>(std::lround(x + (y - x) * share));
  };
  return {mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b)};
}

Canvas::Canvas(int width, int height) : width_(width), height_(height) {
  EXPECTS(width > 0 && height > 0 && width <= kMostSide && height <= kMostSide);
  dots_.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * kDots * kDots, {255, 255, 255});
  unclip();
}

void Canvas::clip(Point low, Point high) {
  const auto dots = [](double px, int most) {
    return static_cast<int>(std::lround(std::clamp(px, 0.0, static_cast<double>(most)) * kDots));
  };
  clip_ = {dots(low.x, width_), dots(low.y, height_), dots(high.x, width_), dots(high.y, height_)};
}

void Canvas::rect(Point low, Point high, Colour colour) {
  const auto within = [](double px, int least, int most) {
    return static_cast<int>(std::lround(std::clamp(px * kDots, static_cast<double>(least), static_cast<double>(most))));
  };
  const int x0 = within(low.x, clip_[0], clip_[2]), x1 = within(high.x, clip_[0], clip_[2]);
  const int y0 = within(low.y, clip_[1], clip_[3]), y1 = within(high.y, clip_[1], clip_[3]);
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x) dot(x, y) = colour;
}

void Canvas::disc(Point centre, double radius, Colour colour) {
  const double x = centre.x * kDots, y = centre.y * kDots, r = radius * kDots;
  if (!(std::abs(x) < 1e6 && std::abs(y) < 1e6 && r < 1e4)) return;
  const int y0 = std::max(clip_[1], static_cast<int>(std::floor(y - r)));
  const int y1 = std::min(clip_[3], static_cast<int>(std::ceil(y + r)) + 1);
  for (int row = y0; row < y1; ++row) {
    const double dy = row + 0.5 - y, half = r * r - dy * dy;
    if (half < 0) continue;
    const double reach = std::sqrt(half);
    const int x0 = std::max(clip_[0], static_cast<int>(std::ceil(x - reach - 0.5)));
    const int x1 = std::min(clip_[2], static_cast<int>(std::floor(x + reach - 0.5)) + 1);
    for (int column = x0; column < x1; ++column) dot(column, row) = colour;
  }
}

// A row of discs, a dot apart.
void Canvas::line(Point from, Point to, double width, Colour colour) {
  const double length = std::sqrt((to.x - from.x) * (to.x - from.x) + (to.y - from.y) * (to.y - from.y)) * kDots;
  if (!(length < 1e6)) return;
  const int steps = std::max(1, static_cast<int>(std::ceil(length)));
  for (int i = 0; i <= steps; ++i) {
    const double share = static_cast<double>(i) / steps;
    disc({from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share}, width / 2, colour);
  }
}

double Canvas::text_width(std::string_view text) {
  return kAdvance * static_cast<double>(std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

void Canvas::text(Point at, std::string_view text, Colour colour) { glyphs(at, text, colour, false); }
void Canvas::text_upwards(Point at, std::string_view text, Colour colour) { glyphs(at, text, colour, true); }

void Canvas::glyphs(Point at, std::string_view text, Colour colour, bool upwards) {
  constexpr double kSize = static_cast<double>(kDotsOfGlyphDot) / kDots;  // px of a glyph's dot
  double along = 0;
  for (const char c : text) {
    if (continues(c)) continue;
    const std::uint8_t* glyph = glyph_of(c);
    for (int column = 0; column < kColumns; ++column)
      for (int row = 0; row < kRows; ++row) {
        if (!(glyph[column] >> row & 1)) continue;
        const double u = along + column * kSize, v = (row - (kRows - 1)) * kSize;  // along the line, and down
        const Point low = upwards ? Point{at.x + v, at.y - u - kSize} : Point{at.x + u, at.y + v};
        rect(low, {low.x + kSize, low.y + kSize}, colour);
      }
    along += kAdvance;
  }
}

Colour Canvas::pixel(int x, int y) const {
  unsigned r = 0, g = 0, b = 0;
  for (int j = 0; j < kDots; ++j)
    for (int i = 0; i < kDots; ++i) {
      const Colour& c = dots_[static_cast<std::size_t>(y * kDots + j) * static_cast<std::size_t>(width_ * kDots) +
                              static_cast<std::size_t>(x * kDots + i)];
      r += c.r, g += c.g, b += c.b;
    }
  constexpr unsigned kAll = kDots * kDots;
  const auto mean = [](unsigned sum) { return static_cast<std::uint8_t>((sum + kAll / 2) / kAll); };
  return {mean(r), mean(g), mean(b)};
}

Bytes Canvas::png() const {
  Bytes rgb;
  rgb.reserve(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_) * 3);
  for (int y = 0; y < height_; ++y)
    for (int x = 0; x < width_; ++x) {
      const Colour c = pixel(x, y);
      rgb.insert(rgb.end(), {c.r, c.g, c.b});
    }
  return rgb_png(static_cast<std::uint32_t>(width_), static_cast<std::uint32_t>(height_), rgb);
}

}  // namespace convoy
