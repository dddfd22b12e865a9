#include "apps/model_scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace convoy::apps {

namespace {

constexpr double kTick = 10;  // ms, as near as whole physics steps come

// Rounded up to two digits.
double rounded(double x) {
  const double unit = std::pow(10, std::floor(std::log10(x)) - 1);
  return std::ceil(x / unit) * unit;
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string scenario_of(const ImportedModel& robot, const std::string& file) {
  const Model& m = robot.model;
  double reach = 0.1;  // m
  for (const Vec2& corner : m.footprint) reach = std::max(reach, std::hypot(corner.x, corner.y));
  const double side = rounded(std::max(1.0, 6 * reach));
  const double step = seconds(robot.report.step) * 1e3;
  const double tick = step > 0 ? std::max(1.0, std::floor(kTick / step)) * step : kTick;
  const bool drives = m.drive != Drive::kNone;
  std::string out = fmt::format(
      "convoy: 1\n"
      "time: {{tick: {:g}ms, duration: {:g}s}}\n"
      "world: {{ground: {{size: [{:g}, {:g}], walls: 0.1}}}}\n"
      "robots:\n"
      "  - name: robot\n"
      "    model: {}\n"
      "    placement: {{poses: [[0, 0]]}}\n",
      tick, drives ? std::clamp(std::ceil(4 * side / std::max(m.max_speed, 0.01) * 2), 10.0, 600.0) : 10, 4 * side,
      4 * side, quoted(file));
  if (drives)
    out += fmt::format(
        "    driver: {{kind: waypoints, waypoints: [[{0:g}, 0], [{0:g}, {0:g}], [0, {0:g}], [0, 0]], tolerance: "
        "{1:g}}}\n",
        side, rounded(std::max(0.1, reach / 2)));
  else if (!m.actuators.empty())
    out += fmt::format("    # it has no wheels; while it runs: convoy ctl control robot {}=1\n", m.actuators.front());
  return out;
}

}  // namespace convoy::apps
