// Ultra-wideband ranging: how far each of several anchors is, if nothing stands in the way.
#include <convoy/sensor.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace {

using namespace convoy::sensor;

class Uwb final : public Sensor {
 public:
  explicit Uwb(Parameters& p)
      : range_max_(p.number("range_max", 30, 0.1, 1000)), noise_(p.number("noise", 0.05, 0, 10)) {
    const std::span<const double> xyz = p.numbers("anchors", {});
    if (xyz.empty() || xyz.size() % 3 != 0) p.refuse("anchors", "x, y and z of each, m, in the world");
    for (std::size_t i = 0; i + 2 < xyz.size(); i += 3) anchors_.push_back({xyz[i], xyz[i + 1], xyz[i + 2]});
  }

  static Facts facts() {
    return {.gives = Gives::kNumbers,
            .distribution = Distribution::kMainOrClient,
            .load = 0.02,
            .period_ns = 100'000'000,
            .casts = true};
  }

  // A range an anchor, m; infinite if it is too far away, or something stands in the way.
  void sample(View& view, Output& out) const override {
    std::vector<Ray> rays;
    std::vector<double> ranges;
    for (const convoy::Vec3& anchor : anchors_) {
      const convoy::Vec3 way = anchor - view.pose().p;
      const double range = std::sqrt(dot(way, way));
      ranges.push_back(range);
      rays.push_back({view.pose().p, (1 / std::max(range, 1e-9)) * way, 0, range});
    }
    std::vector<Hit> hits(rays.size());
    view.cast(rays, hits);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const double noise = noise_ * view.normal();  // drawn for each, so that one that is hidden changes no other
      const bool heard = ranges[i] <= range_max_ && hits[i].range > ranges[i] - 1e-6;
      ranges[i] = heard ? ranges[i] + noise : std::numeric_limits<double>::infinity();
    }
    out.numbers(ranges);
  }

 private:
  double range_max_, noise_;
  std::vector<convoy::Vec3> anchors_;
};

}  // namespace

CONVOY_SENSORS({"uwb", maker<Uwb>()})
