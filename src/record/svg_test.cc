#include "record/svg.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>

#include "core/math.h"
#include "core/random.h"

namespace svg_test {

using namespace convoy;

namespace {

std::size_t count(std::string_view text, std::string_view piece) {
  std::size_t n = 0;
  for (std::size_t at = text.find(piece); at != text.npos; at = text.find(piece, at + 1)) ++n;
  return n;
}

Trajectory circle(std::string name, double radius, int points) {
  Trajectory t{.name = std::move(name)};
  for (int i = 0; i < points; ++i)
    t.points.push_back({.time_s = 0.1 * i, .x_m = radius * math::cos(0.01 * i), .y_m = radius * math::sin(0.01 * i)});
  return t;
}

}  // namespace

TEST_CASE("the table has a row per point, and its numbers read back as the same doubles") {
  const Trajectory t{.name = "a,\"b\"", .points = {{.time_s = 0.1, .x_m = 1.0 / 3, .y_m = -1e-300, .yaw_rad = 2}}};

  const std::string csv = trajectories_csv(std::span(&t, 1));

  CHECK(csv == "time_s,name,x,y,yaw\n0.1,\"a,\"\"b\"\"\",0.3333333333333333,-1e-300,2\n");
  CHECK(std::strtod("0.3333333333333333", nullptr) == 1.0 / 3);
}

TEST_CASE("a picture has a line and a dot for each robot, and a legend only when they are few") {
  std::vector<Trajectory> few{circle("one", 3, 100), circle("<two>", 2, 100)};
  std::vector<Trajectory> many(200, circle("r", 4, 500));

  const std::string small = draw_trajectories(few, nullptr, "a & b");
  const std::string large = draw_trajectories(many, nullptr);

  CHECK(count(small, "<path stroke=\"#") == 2);
  CHECK(count(large, "<path stroke=\"#") == 200);
  CHECK(count(small, "&lt;two&gt;") == 3);
  CHECK(small.find("a &amp; b") != std::string::npos);
  CHECK(count(large, "<circle") == 200);
  CHECK(draw_trajectories(few, nullptr, "a & b") == small);
}

TEST_CASE("pictures stay small: a noisy map, long lines and very many robots are drawn coarser") {
  Random random{stream_key(1, 1, "svg test")};
  std::vector<MapCell> cells(1500 * 1500);
  for (auto& c : cells) c = static_cast<MapCell>(random.below(3));
  const MapImage noise{.width = 1500, .height = 1500, .resolution_m = 0.05, .cells = cells};
  std::vector<Trajectory> long_lines(10, circle("r", 30, 100'000)), crowd(3000, circle("r", 30, 300));

  CHECK(draw_trajectories({}, &noise).size() < 1'000'000);
  CHECK(draw_trajectories(long_lines, &noise).size() < 2'000'000);
  const std::string crowded = draw_trajectories(crowd, &noise);
  CHECK(crowded.size() < 4'000'000);
  CHECK(crowded.find("the first 2000 of 3000 robots") != std::string::npos);
}

TEST_CASE("nothing to draw, one point, and points that are not finite all give a picture") {
  const double nan = std::nan("");
  const Trajectory point{.name = "p", .points = {{.x_m = 5, .y_m = 5}}};
  const Trajectory broken{.name = "b", .points = {{.x_m = 0}, {.x_m = nan}, {.x_m = 2}, {.x_m = 3}}};
  const Trajectory lost{.name = "l", .points = {{.x_m = nan}, {.y_m = HUGE_VAL}, {.x_m = 1e308}, {.x_m = -1e308}}};
  const MapCell cell = MapCell::kOccupied;
  const MapImage speck{.width = 1, .height = 1, .resolution_m = 1e-12, .origin_x_m = 1e7, .cells = {&cell, 1}};

  CHECK(draw_trajectories({}, nullptr).find("</svg>") != std::string::npos);
  CHECK(draw_trajectories(std::span(&point, 1), nullptr).find("nan") == std::string::npos);
  CHECK(draw_trajectories(std::span(&broken, 1), nullptr).find("nan") == std::string::npos);
  CHECK(draw_trajectories(std::span(&lost, 1), nullptr).find("<circle cx") != std::string::npos);  // the legend's
  CHECK(draw_trajectories({}, &speck).size() < 10'000);
}

TEST_CASE("200 robots have 200 colours, the nearest two still apart") {
  int nearest = 999;
  for (std::size_t i = 0; i < 200; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const long a = std::strtol(robot_colour(i).c_str() + 1, nullptr, 16);
      const long b = std::strtol(robot_colour(j).c_str() + 1, nullptr, 16);
      int apart = 0;
      for (int shift : {0, 8, 16}) apart += static_cast<int>(std::abs((a >> shift & 255) - (b >> shift & 255)));
      nearest = std::min(nearest, apart);
    }
  CHECK(nearest >= 6);
}

}  // namespace svg_test
