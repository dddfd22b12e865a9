// Sensors of a user's library, for the test: each does one thing.
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include "convoy/sensor.h"

namespace {

using namespace convoy::sensor;

// How strongly what is near smells: the sum over others of 1 / (1 + distance), with noise.
class Gas final : public Sensor {
 public:
  explicit Gas(Parameters& p) : far_(p.number("far", 10, 0.1, 100)), noise_(p.number("noise", 0, 0, 1)) {}
  static Facts facts() { return {.distribution = Distribution::kMainOrClient, .load = 0.25, .period_ns = 200'000'000}; }
  void sample(View& view, Output& out) const override {
    double level = noise_ * view.normal();
    for (const Entity& one : view.around(view.pose().p, far_)) {
      const convoy::Vec3 d = one.pose.p - view.pose().p;
      level += 1 / (1 + std::sqrt(dot(d, d)));
    }
    out.numbers({&level, 1});
  }

 private:
  double far_, noise_;
};

// Three beams ahead, and the category of what the middle one meets, as its number of shapes.
class Whiskers final : public Sensor {
 public:
  explicit Whiskers(Parameters& p) {
    const double both[] = {-0.5, 0.5};
    for (const double angle : p.numbers("angles", both)) angles_.push_back(angle);
    if (angles_.size() < 2) p.refuse("angles", "two at least");
  }
  static Facts facts() { return {.gives = Gives::kScan, .distribution = Distribution::kMainOrClient, .casts = true}; }
  void sample(View& view, Output& out) const override {
    std::vector<Ray> rays;
    for (const double angle : angles_)
      rays.push_back({view.pose().p, rotate(view.pose().q, {std::cos(angle), std::sin(angle), 0}), 0, 5});
    std::vector<Hit> hits(rays.size());
    view.cast(rays, hits);
    std::vector<float> ranges, shapes;
    for (const Hit& hit : hits) {
      ranges.push_back(static_cast<float>(hit.range));
      shapes.push_back(static_cast<float>(view.shapes(hit.number).size()));
    }
    out.scan({angles_.front(), angles_[1] - angles_[0], 0, 5}, ranges, shapes);
  }

 private:
  std::vector<double> angles_;
};

// Counts its samples.
class Counter final : public Sensor {
 public:
  explicit Counter(Parameters& p) : by_(p.number("by", 1)), text_(p.text("text", "")), flag_(p.flag("flag", false)) {}
  static Facts facts() { return {.memory = sizeof(double)}; }
  void sample(View& view, Output& out) const override {
    double count = 0;
    std::memcpy(&count, view.memory().data(), sizeof count);
    count += by_;
    std::memcpy(view.memory().data(), &count, sizeof count);
    const double all[] = {count, view.distance(), static_cast<double>(view.joints().size()), view.command().v.x};
    out.numbers(all);
  }

 private:
  double by_;
  std::string_view text_;
  bool flag_;
};

class Wrong final : public Sensor {
 public:
  explicit Wrong(Parameters& p) : how_(static_cast<int>(p.number("how", 0))) {
    if (how_ == 9) throw std::runtime_error("made of nothing");
  }
  static Facts facts() { return {.gives = Gives::kRange}; }
  void sample(View&, Output& out) const override {
    if (how_ == 0) throw std::runtime_error("broken");
    if (how_ == 1) throw 1;
    if (how_ == 2) out.points({});
    if (how_ == 3) out.range(1, 0, 2, 0), out.range(1, 0, 2, 0);
    if (how_ == 5) std::fesetround(FE_UPWARD), out.range(std::nan("7"), 0, 2, 0.5);
  }

 private:
  int how_;
};

class Cloud final : public Sensor {
 public:
  explicit Cloud(Parameters&) {}
  static Facts facts() { return {.gives = Gives::kPoints}; }
  void sample(View&, Output& out) const override {
    const Point points[] = {{1, 2, 3, 0.5f, 4}, {std::numeric_limits<float>::quiet_NaN(), 0, 0, 0, 0}};
    out.points(points);
  }
};

}  // namespace

CONVOY_SENSORS({"gas", maker<Gas>()}, {"whiskers", maker<Whiskers>()}, {"counter", maker<Counter>()},
               {"wrong", maker<Wrong>()}, {"cloud", maker<Cloud>()})
