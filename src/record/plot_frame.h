// Where things go in a picture of trajectories: what the picture as SVG and the one as PNG have in common.
#pragma once

#include <string_view>
#include <vector>

#include "record/canvas.h"
#include "record/svg.h"

namespace convoy {

inline constexpr double kLeft = 70, kTop = 44, kRight = 20, kBottom = 56;  // px around the plot

inline constexpr Colour kInk{0x1c, 0x21, 0x28}, kLabel{0x39, 0x41, 0x4d}, kBorder{0x5b, 0x64, 0x72};

// The world's part that is drawn, and where it goes.
struct Frame {
  double left = 0, right = 1, bottom = 0, top = 1;  // m
  double scale = 1;                                 // px per m
  double width() const { return (right - left) * scale; }
  double height() const { return (top - bottom) * scale; }
  Point at(double x, double y) const { return {kLeft + (x - left) * scale, kTop + (top - y) * scale}; }
};

// All trajectories and the map, if there is one. A bug: a map without cells, or beyond what can be drawn.
Frame frame_of(std::span<const Trajectory> trajectories, const MapImage* map);

// The largest of 1, 2, 5 times a power of ten that is at most `limit`.
double round_step(double limit);

// Every point that moves the pen enough; of those, evenly spaced ones when they are too many.
std::vector<std::vector<Point>> lines_of(const Trajectory& trajectory, const Frame& frame, std::size_t limit);

// The map, axes in metres and a scale bar: all but what is drawn on them.
void draw_plan(const MapImage* map, const Frame& frame, Canvas& canvas);

struct CellGrid {
  int width = 0, height = 0;
  std::vector<MapCell> cells;
};
// Half the cells each way; an obstacle stays one, and what is half unknown is unknown.
CellGrid halved(const CellGrid& grid);

// How thick lines and starts are drawn, px.
struct Pen {
  double line = 0, dot = 0;
};
Pen pen_for(std::size_t robots);

// At most `bytes` of a text, cut between characters.
std::string_view shortened(std::string_view text, std::size_t bytes);

// The title, with a note of the robots that are left out.
std::string heading_of(std::string_view title, std::size_t robots);

}  // namespace convoy
