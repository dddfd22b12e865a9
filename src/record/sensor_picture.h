// Pictures of what sensors report: places over a map, and curves over time; as PNG.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/canvas.h"
#include "record/svg.h"

namespace convoy {

struct PlacedDot {
  double x_m = 0, y_m = 0;  // in the world frame
  Colour colour;
};

// From above, with the eye's place and its x axis; at most 1,300 x 1,100 pixels. Empty if there is no memory for it.
Bytes draw_dots_png(std::span<const PlacedDot> dots, const TrajectoryPoint& eye, const MapImage* map,
                    std::string_view title);

struct Curve {
  std::string name;
  std::vector<double> values;  // one an instant; one that is not finite breaks it
};
struct CurvePanel {
  std::string label;  // with the unit
  std::vector<Curve> curves;
};
// One panel below the other over the same instants, s. Empty as above.
Bytes draw_curves_png(std::span<const CurvePanel> panels, std::span<const double> times_s, std::string_view title);

// From blue over green to red; share from 0 to 1.
Colour heat(double share);

}  // namespace convoy
