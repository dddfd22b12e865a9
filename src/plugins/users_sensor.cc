#include "plugins/users_sensor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "plugins/given_parameters.h"
#include "plugins/guarded.h"
#include "plugins/users_view.h"
#include "sensing/limits.h"

namespace convoy {
namespace {

constexpr std::size_t kMaxNumbers = 1'000'000;  // of one sample

double one_nan(double value) { return value == value ? value : std::numeric_limits<double>::quiet_NaN(); }
float one_nan(float value) { return value == value ? value : std::numeric_limits<float>::quiet_NaN(); }
template <class T>
std::vector<T> kept(std::span<const T> values) {
  std::vector<T> out(values.begin(), values.end());
  for (T& value : out) value = one_nan(value);
  return out;
}

// Takes a sample of the kind that the type gives.
class Taken final : public sensor::Output {
 public:
  Taken(sensor::Gives gives, const std::string& type) : gives_(gives), type_(type) {}

  void numbers(std::span<const double> values) override {
    if (fits(sensor::Gives::kNumbers, "numbers", values.size())) data_ = EngineReading{type_, kept(values)};
  }
  void range(double range, double range_min, double range_max, double field) override {
    if (!fits(sensor::Gives::kRange, "range", 1)) return;
    data_ = RangeReading{one_nan(range), one_nan(range_min), one_nan(range_max), one_nan(field)};
  }
  void scan(const sensor::ScanFrame& f, std::span<const float> ranges, std::span<const float> intensities) override {
    if (!fits(sensor::Gives::kScan, "scan", ranges.size() + intensities.size())) return;
    if (!intensities.empty() && intensities.size() != ranges.size())
      return wrong("its scan has other than one intensity a range");
    const double last = ranges.empty() ? 0 : static_cast<double>(ranges.size() - 1);
    const auto angle = [](double value) { return one_nan(static_cast<float>(value)); };
    data_ = Scan{angle(f.angle_min),
                 angle(f.angle_min + last * f.angle_increment),
                 angle(f.angle_increment),
                 0,
                 angle(f.range_min),
                 angle(f.range_max),
                 kept(ranges),
                 kept(intensities)};
  }
  void points(std::span<const sensor::Point> points) override {
    if (!fits(sensor::Gives::kPoints, "points", points.size())) return;
    Cloud cloud;
    cloud.width = static_cast<std::uint32_t>(points.size()), cloud.height = 1, cloud.dense = true;
    cloud.points.reserve(points.size());
    for (const sensor::Point& p : points) {
      cloud.points.push_back({one_nan(p.x), one_nan(p.y), one_nan(p.z), one_nan(p.intensity), p.ring, 0});
      cloud.dense = cloud.dense && std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
    }
    data_ = std::move(cloud);
  }

  void wrong(std::string why) {
    if (wrong_.empty()) wrong_ = std::move(why);
  }
  SampleData take() {
    if (!wrong_.empty()) return NoReading{wrong_};
    if (!data_) return NoReading{"it gave no sample"};
    return std::move(*data_);
  }

 private:
  bool fits(sensor::Gives gives, const char* called, std::size_t size) {
    if (gives != gives_) wrong(std::string("it gave ") + called + ", which is not what its type gives");
    else if (data_) wrong("it gave more than one sample at once");
    else if (size > kMaxNumbers)
      wrong("it gave " + std::to_string(size) + " numbers, and a sample has " + std::to_string(kMaxNumbers) +
            " at most");
    return wrong_.empty();
  }
  sensor::Gives gives_;
  const std::string& type_;
  std::optional<SampleData> data_;
  std::string wrong_;
};

class UsersSensor final : public Sensor {
 public:
  UsersSensor(const UsersType& type, sensor::Gives gives, const sensor::Sensor* own)
      : type_(type), gives_(gives), own_(own) {}
  UsersSensor(const UsersSensor&) = delete;
  UsersSensor& operator=(const UsersSensor&) = delete;
  ~UsersSensor() override {
    guarded([&] { type_.exported.maker.drop(own_); });
  }

  SampleData sample(const SensorView& view, Bytes& memory) const override {
    memory.resize(type_.memory);
    UsersView shown(view, type_.traits, memory);
    Taken taken(gives_, type_.name_text);
    if (std::string thrown = guarded([&] { own_->sample(shown, taken); }); !thrown.empty()) taken.wrong(thrown);
    return taken.take();
  }

 private:
  const UsersType& type_;
  sensor::Gives gives_;
  const sensor::Sensor* own_;
};

Result<std::unique_ptr<const Sensor>> make_users(const SensorType& self, ByteView bytes) {
  const auto& type = static_cast<const UsersType&>(self);
  UsersParameters given;
  if (!bytes.empty() && !load(bytes, given)) return fail(ErrorCode::kInvalid, "its parameters are malformed");
  GivenParameters parameters(given);
  sensor::Sensor* made = nullptr;
  sensor::Facts facts;
  const std::string thrown = guarded([&] {
    made = type.exported.maker.make(parameters);
    facts = type.exported.maker.facts();
  });
  std::unique_ptr<const Sensor> out;
  if (made) out = std::make_unique<UsersSensor>(type, facts.gives, made);
  if (!thrown.empty()) return fail(ErrorCode::kInvalid, thrown);
  if (!made) return fail(ErrorCode::kInvalid, "its library made none");
  if (const std::string wrong = parameters.wrong(); !wrong.empty()) return fail(ErrorCode::kInvalid, wrong);
  return out;
}

struct Kind {
  const char* like;  // of Convoy's own types
};
constexpr const char* kLike[] = {"mujoco", "range", "scan", "points"};  // by sensor::Gives

}  // namespace

Result<std::unique_ptr<const UsersType>> users_type(const sensor::Type& exported) {
  auto out = std::make_unique<UsersType>();
  out->exported = exported, out->name_text = exported.name ? exported.name : "";
  const auto wrong = [&](const std::string& why) {
    return fail(ErrorCode::kInvalid, "its type '" + out->name_text + "' " + why);
  };
  if (out->name_text.empty() || out->name_text.size() > 64) return wrong("has a name that is none");
  if (!exported.maker.facts || !exported.maker.make || !exported.maker.drop) return wrong("lacks a function");
  sensor::Facts facts;
  if (const std::string thrown = guarded([&] { facts = exported.maker.facts(); }); !thrown.empty())
    return wrong("has no facts: " + thrown);
  if (static_cast<std::size_t>(facts.gives) >= std::size(kLike)) return wrong("gives what there is not");
  if (facts.distribution > sensor::Distribution::kClientOnly) return wrong("has a distribution that there is not");
  if (!(facts.load >= 0 && facts.load <= 1)) return wrong("has a load that is not from 0 to 1");
  if (facts.period_ns <= 0 || Duration(facts.period_ns) > kLongestPeriod) return wrong("has a period that is none");
  if (facts.memory > kMaxSensorParameters) return wrong("keeps more than 65536 bytes");
  if (facts.memory > 0 && facts.distribution != sensor::Distribution::kMainOnly)
    return wrong("keeps memory, which only those can that are kMainOnly");
  const SensorType& like = *find_sensor_type(kLike[static_cast<std::size_t>(facts.gives)]);
  out->name = out->name_text.c_str(), out->message = like.message, out->like = like.name;
  out->period = Duration(facts.period_ns), out->memory = facts.memory;
  out->traits.distribution = static_cast<Distribution>(facts.distribution);
  out->traits.load = static_cast<std::uint16_t>(std::lround(facts.load * kWholeLoad));
  out->traits.rays = facts.casts, out->traits.remembers = facts.memory > 0;
  out->traits.inside = out->traits.at_once();
  out->default_model = [] { return Bytes(); }, out->make = make_users;
  return std::unique_ptr<const UsersType>(std::move(out));
}

}  // namespace convoy
