#include "record/canvas.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "record/svg.h"

namespace canvas_test {

using namespace convoy;

namespace {

constexpr Colour kWhite{255, 255, 255}, kRed{200, 0, 0};

std::size_t inked(const Canvas& canvas, int width, int height) {
  std::size_t n = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) n += canvas.pixel(x, y) != kWhite;
  return n;
}

// Width and height of a PNG file; 0 if it is none.
std::pair<std::uint32_t, std::uint32_t> size_of(ByteView png) {
  constexpr std::uint8_t kMagic[] = {0x89, 'P', 'N', 'G', 0x0d, 0x0a, 0x1a, 0x0a};
  if (png.size() < 33 || !std::equal(std::begin(kMagic), std::end(kMagic), png.begin())) return {0, 0};
  const auto number = [&](std::size_t at) {
    return std::uint32_t{png[at]} << 24 | std::uint32_t{png[at + 1]} << 16 | std::uint32_t{png[at + 2]} << 8 |
           png[at + 3];
  };
  return {number(16), number(20)};
}

}  // namespace

TEST_CASE("what is drawn is where it should be, smooth at its edge and inside the clip") {
  Canvas dut(60, 40);
  dut.rect({10, 10}, {20, 15.5}, kRed);
  CHECK(dut.pixel(9, 12) == kWhite);
  CHECK(dut.pixel(10, 10) == kRed);
  CHECK(dut.pixel(19, 14) == kRed);
  CHECK(dut.pixel(20, 14) == kWhite);
  CHECK(dut.pixel(15, 15).g > 0);
  CHECK(dut.pixel(15, 15).g < 255);

  dut.line({30, 5}, {50, 35}, 3, kRed);
  CHECK(dut.pixel(40, 20) == kRed);
  CHECK(dut.pixel(30, 34) == kWhite);
  dut.clip({0, 0}, {25, 40});
  dut.disc({25, 30}, 4, kRed);
  CHECK(dut.pixel(23, 30) == kRed);
  CHECK(dut.pixel(26, 30) == kWhite);
}

TEST_CASE("nothing is drawn outside, however far away") {
  Canvas dut(20, 20);
  dut.disc({-1e300, 5}, 3, kRed), dut.line({-50, -50}, {-1e9, 4}, 2, kRed),
      dut.rect({-1e300, 30}, {1e300, 1e300}, kRed);
  dut.text({-1000, -5}, "text", kRed), dut.text({500, 500}, "text", kRed);
  dut.line({0.0 / 1.0, 1e7}, {5, 1e8}, 2, kRed);

  CHECK(inked(dut, 20, 20) == 0);
}

TEST_CASE("text has a mark for each printable character, and a box for what it has no letter for") {
  for (char c = '!'; c <= '~'; ++c) {
    Canvas dut(16, 24);
    dut.text({2, 16}, std::string_view(&c, 1), {});
    CAPTURE(c);
    CHECK(inked(dut, 16, 24) > 0);
  }
  CHECK(Canvas::text_width("abc") == 3 * Canvas::kAdvance);
  CHECK(Canvas::text_width("h\xc3\xa4") == 2 * Canvas::kAdvance);
  Canvas upright(30, 30), turned(30, 30);
  upright.text({5, 15}, "L", {}), turned.text_upwards({15, 25}, "L", {});
  CHECK(inked(upright, 30, 30) == inked(turned, 30, 30));
}

TEST_CASE("the picture as PNG has the size and the same bytes each time, with a map, without, and with nothing") {
  std::vector<MapCell> cells(100, MapCell::kFree);
  for (int i = 0; i < 10; ++i) cells[static_cast<std::size_t>(i)] = MapCell::kOccupied;
  const MapImage map{10, 10, 0.5, -2.5, -2.5, 0.3, cells};
  Trajectory line{.name = "r\xc3\xb6ver", .points = {{0, -2, 0, 0}, {1, 0, 1, 0}, {2, NAN, 0, 0}, {3, 2, 0, 0}}};

  const Bytes with = draw_trajectories_png(std::span(&line, 1), &map, "a title"),
              again = draw_trajectories_png(std::span(&line, 1), &map, "a title");

  CHECK(with == again);
  CHECK(size_of(with).first > 1000);
  CHECK(size_of(with).first <= 1400);
  CHECK(with != draw_trajectories_png(std::span(&line, 1), nullptr, "a title"));
  CHECK(size_of(draw_trajectories_png({}, nullptr)).second > 0);
  CHECK(with.size() < 200'000);
}

}  // namespace canvas_test
