#include "adapters/web/foxglove_sensors.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/fields.h"

namespace convoy::web {

namespace {

using Json = nlohmann::json;

// The way back from JSON to a value, by its list of fields. What is missing keeps its default.
class FromJson {
 public:
  explicit FromJson(const Json& in) : in_(&in) {}
  bool ok() const { return ok_; }

  template <class T>
  void operator()(const char* name, T& value) {
    if (!in_->is_object()) return spoil();
    if (const auto at = in_->find(name); at != in_->end()) get(*at, value);
  }
  template <class T>
  void get(const Json& json, T& value) {
    if constexpr (std::is_same_v<T, bool>) json.is_boolean() ? static_cast<void>(value = json.get<bool>()) : spoil();
    else if constexpr (std::is_floating_point_v<T>) value = static_cast<T>(real(json));
    else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) value = static_cast<T>(whole(json));
    else if constexpr (detail::IsId<T>::value) value = T(static_cast<std::uint32_t>(whole(json)));
    else if constexpr (std::is_same_v<T, Duration>) value = Duration(whole(json));
    else if constexpr (std::is_same_v<T, Instant>) value = instant(whole(json));
    else if constexpr (std::is_same_v<T, std::string>) json.is_string() ? static_cast<void>(value = json) : spoil();
    else if constexpr (detail::IsVector<T>::value) list(json, value);
    else if constexpr (detail::IsArray<T>::value) array(json, value);
    else if constexpr (detail::IsOptional<T>::value) {
      if (!json.is_null()) get(json, value.emplace());
    } else object(json, value);
  }

 private:
  void spoil() { ok_ = false; }
  double real(const Json& json) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (json.is_number()) return json.get<double>();
    if (json == "inf") return kInfinity;
    if (json == "-inf") return -kInfinity;
    if (!json.is_null()) spoil();
    return std::numeric_limits<double>::quiet_NaN();
  }
  std::int64_t whole(const Json& json) {
    if (json.is_number_integer()) return json.get<std::int64_t>();
    return spoil(), 0;
  }
  template <class T>
  void list(const Json& json, T& values) {
    if (!json.is_array()) return spoil();
    values.clear();
    values.reserve(json.size());
    for (const Json& one : json) {
      typename T::value_type value{};
      get(one, value);
      values.push_back(std::move(value));
    }
  }
  template <class T>
  void array(const Json& json, T& values) {
    if (!json.is_array() || json.size() != values.size()) return spoil();
    for (std::size_t i = 0; i < values.size(); ++i) get(json[i], values[i]);
  }
  template <class T>
  void object(const Json& json, T& value) {
    const Json* outer = std::exchange(in_, &json);
    if (json.is_object()) fields(*this, value);
    else spoil();
    in_ = outer;
  }

  const Json* in_;
  bool ok_ = true;
};

}  // namespace

std::optional<SampleData> kind_of_sensor(const std::string& type) {
  const std::pair<const char*, SampleData> kinds[] = {{"scan", Scan{}},
                                                      {"points", Cloud{}},
                                                      {"range", RangeReading{}},
                                                      {"radar", RadarScan{}},
                                                      {"imu", ImuSample{}},
                                                      {"mag", MagneticReading{}},
                                                      {"fix", Fix{}},
                                                      {"pose", PoseReading{}},
                                                      {"odom", OdometryReading{}},
                                                      {"contact", Touches{}},
                                                      {"overlap", Overlaps{}},
                                                      {"joint_states", JointsReading{}},
                                                      {"battery", BatteryReading{}},
                                                      {"keyboard", KeysReading{}},
                                                      {"joy", StickReading{}},
                                                      {"mujoco", EngineReading{}}};
  for (const auto& [name, kind] : kinds)
    if (type == name) return kind;
  return std::nullopt;
}

std::optional<SampleData> sample_of_json(const std::string& type, const std::string& data) {
  std::optional<SampleData> out = kind_of_sensor(type);
  const Json json = Json::parse(data, nullptr, false);
  if (!out || !json.is_object()) return std::nullopt;
  FromJson in(json);
  std::visit([&](auto& one) { in.get(json, one); }, *out);
  if (!in.ok()) return std::nullopt;
  return out;
}

std::vector<std::string> FoxgloveSensors::due(const std::set<std::string>& wanted, Moment now) {
  std::erase_if(asked_, [&](const auto& one) { return !one.second.open && !wanted.contains(one.first); });
  auto open = static_cast<std::size_t>(
      std::count_if(asked_.begin(), asked_.end(), [](const auto& one) { return one.second.open; }));
  std::vector<std::pair<Moment, std::string>> waiting;
  for (const std::string& topic : wanted)
    if (const Asked& one = asked_[topic]; !one.open && now >= one.next) waiting.emplace_back(one.next, topic);
  std::sort(waiting.begin(), waiting.end());  // who has waited longest comes first
  std::vector<std::string> out;
  for (const auto& [since, topic] : waiting) {
    if (open++ >= kMostSensorsAsked) break;
    asked_[topic].open = true, asked_[topic].next = now + kSensorEvery;
    out.push_back(topic);
  }
  return out;
}

std::optional<FoxgloveSensors::Reading> FoxgloveSensors::take(const std::string& topic, const std::string& type,
                                                              const proto::Reply& reply, const std::string& frame) {
  const auto at = asked_.find(topic);
  if (at == asked_.end()) return std::nullopt;
  at->second.open = false;
  const Json told = Json::parse(reply.json(), nullptr, false);
  if (reply.error() != 0 || !told.is_object() || !told.contains("data")) return std::nullopt;
  const Json index = told.value("index", Json()), stamp = told.value("stamp_ns", Json());
  if (!index.is_number_unsigned() || !stamp.is_number_unsigned()) return std::nullopt;
  if (std::exchange(at->second.index, index.get<std::uint64_t>()) == index.get<std::uint64_t>()) return std::nullopt;
  const auto sample = sample_of_json(type, told["data"].dump());
  if (!sample) return std::nullopt;
  Reading out{stamp.get<std::uint64_t>(), {}};
  encode(*sample, {instant(static_cast<std::int64_t>(out.time_ns)), frame}, out.message);
  return out;
}

}  // namespace convoy::web
