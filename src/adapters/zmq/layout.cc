#include "adapters/zmq/layout.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace convoy::zmq {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kControl = "/control", kSetGains = "/set_gains";

void f32(Writer& w, double value) {
  const float narrow = static_cast<float>(value);
  w.raw(&narrow, sizeof narrow);
}
void f32(Writer& w, const Vec3& v) { f32(w, v.x), f32(w, v.y), f32(w, v.z); }
void i32(Writer& w, std::int32_t value) { w.raw(&value, sizeof value); }

// Text of others, in which bytes may be no UTF-8.
std::string dumped(const Json& object) { return object.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

void put_joint(Bytes& out, std::int32_t id, const PanelReadings::Joint& joint) {
  out.clear();
  Writer w(out);
  i32(w, id), f32(w, joint.position), f32(w, joint.velocity), f32(w, joint.acceleration);
}

void put_sensor(Bytes& out, WireProfile profile, std::int32_t id, std::span<const double> values) {
  out.clear();
  Writer w(out);
  i32(w, id);
  if (profile == WireProfile::kUrlab01) i32(w, static_cast<std::int32_t>(values.size()));
  for (double value : values) f32(w, value);
}

void put_base(Bytes& out, WireProfile profile, const PanelReadings::Base& base) {
  out.clear();
  Writer w(out);
  const Vec3& p = base.X_WB.p;
  const Quat& q = base.X_WB.q;
  if (profile == WireProfile::kSeed) {
    for (double value : {p.x, p.y, p.z, q.w, q.x, q.y, q.z}) w.f64(value);
    return;
  }
  f32(w, p);
  for (double value : {q.x, q.y, q.z, q.w}) f32(w, value);
  f32(w, base.v_WB_W), f32(w, base.w_WB_B);
}

void put_twist(Bytes& out, const Twist& v_B) {
  out.clear();
  Writer w(out);
  f32(w, v_B.v.x), f32(w, v_B.v.y), f32(w, v_B.w.z);
}

void put_actions(Bytes& out, std::uint32_t mask) {
  out.clear();
  Writer(out).u32(mask);
}

std::optional<CommandTopic> read_topic(std::string_view topic) {
  while (!topic.empty() && (topic.back() == ' ' || topic.back() == '\0')) topic.remove_suffix(1);
  for (const auto& [word, kind] :
       {std::pair{kControl, CommandTopic::Kind::kControl}, {kSetGains, CommandTopic::Kind::kSetGains}})
    if (topic.size() > word.size() && topic.ends_with(word))
      return CommandTopic{topic.substr(0, topic.size() - word.size()), kind};
  return {};
}

bool read_controls(ByteView payload, std::vector<ControlPair>& out) {
  Reader in(payload);
  const auto count = static_cast<std::int32_t>(in.u32());
  if (!in.ok() || count < 0 || in.left() / 8 < static_cast<std::size_t>(count)) return false;
  for (std::int32_t i = 0; i < count; ++i) {
    ControlPair pair;
    pair.actuator = static_cast<std::int32_t>(in.u32());
    pair.value = std::bit_cast<float>(in.u32());
    out.push_back(pair);
  }
  return true;
}

std::optional<std::vector<control::GainPatch>> read_gains(std::string_view text) {
  const Json object = Json::parse(text, nullptr, false);
  if (!object.is_object()) return {};
  std::vector<control::GainPatch> out;
  for (const auto& [name, gains] : object.items()) {
    if (!gains.is_object()) return {};
    control::GainPatch patch{name, {}, {}, {}};
    for (const auto& [field, to] :
         {std::pair{"kp", &patch.kp}, {"kv", &patch.kv}, {"torque_limit", &patch.torque_limit}}) {
      const auto it = gains.find(field);
      if (it == gains.end()) continue;
      if (!it->is_number()) return {};
      const double value = it->get<double>();
      if (!std::isfinite(value) || value < 0) return {};
      *to = value;
    }
    out.push_back(std::move(patch));
  }
  return out;
}

std::string info_text(const std::string& robot, const Panel& panel, std::span<const CameraPlace> cameras) {
  Json info{{"type", "actuator_list"}, {"robot", robot}};
  Json names = Json::array(), ids = Json::array(), lows = Json::array(), highs = Json::array(), list = Json::array();
  for (std::size_t i = 0; i < panel.actuators.size(); ++i) {
    names.push_back(robot + "_" + panel.actuators[i].name);
    ids.push_back(i);
    lows.push_back(panel.actuators[i].low);
    highs.push_back(panel.actuators[i].high);
  }
  for (const CameraPlace& camera : cameras) list.push_back({{"name", camera.name}, {"endpoint", camera.endpoint}});
  info["names"] = std::move(names), info["ids"] = std::move(ids);
  info["mins"] = std::move(lows), info["maxs"] = std::move(highs), info["camera_list"] = std::move(list);
  return dumped(info);
}

}  // namespace convoy::zmq
