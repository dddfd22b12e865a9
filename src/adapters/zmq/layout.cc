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

bool read_three(const Json& object, const char* name, double (&out)[3]) {
  const auto it = object.find(name);
  if (it == object.end() || !it->is_array() || it->size() != 3) return false;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!(*it)[i].is_number()) return false;
    out[i] = (*it)[i].get<double>();
    if (!std::isfinite(out[i])) return false;
  }
  return true;
}

void read_set_twist(const Json& object, Request& out) {
  double linear[3], angular[3];
  if (!read_three(object, "linear", linear) || !read_three(object, "angular", angular)) {
    out.refusal = error_text("missing_field", "set_twist has linear[3] and angular[3], finite numbers");
    return;
  }
  out.op = Request::Op::kSetTwist;
  out.twist.v = {linear[0], linear[1], 0};
  out.twist.w = {0, 0, angular[2]};
}

void read_set_actions(const Json& object, Request& out) {
  const auto it = object.find("actions");
  if (it == object.end() || !it->is_number_unsigned() || it->get<std::uint64_t>() > 0xffffffffu) {
    out.refusal = error_text("missing_field", "set_actions has actions, a mask of 32 bits");
    return;
  }
  out.op = Request::Op::kSetActions;
  out.actions = it->get<std::uint32_t>();
}

// URLab's dashboard is "ui".
void read_set_control_source(const Json& object, Request& out) {
  const auto it = object.find("source");
  if (it == object.end() || !it->is_string()) {
    out.refusal = error_text("missing_field", "set_control_source has source: zmq, ui, ros2, nodes or any");
    return;
  }
  out.source_text = it->get<std::string>();
  const auto source = out.source_text == "ui" ? Source::kDashboard : source_of(out.source_text);
  if (!source) out.refusal = error_text("bad_value", "source is zmq, ui, ros2, nodes or any");
  else out.op = Request::Op::kSetControlSource, out.source = *source;
}

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
  for (const auto& [word, kind] : {std::pair{kControl, CommandTopic::Kind::kControl}, {kSetGains, CommandTopic::Kind::kSetGains}})
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

std::optional<std::vector<GainPatch>> read_gains(std::string_view text) {
  const Json object = Json::parse(text, nullptr, false);
  if (!object.is_object()) return {};
  std::vector<GainPatch> out;
  for (const auto& [name, gains] : object.items()) {
    if (!gains.is_object()) return {};
    GainPatch patch{name, {}, {}, {}};
    for (const auto& [field, to] : {std::pair{"kp", &patch.kp}, {"kv", &patch.kv}, {"torque_limit", &patch.torque_limit}}) {
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

Request read_request(std::string_view text) {
  Request out;
  const Json object = Json::parse(text, nullptr, false);
  if (!object.is_object()) {
    out.refusal = error_text("bad_request", "a request is a JSON object");
    return out;
  }
  const auto op = object.find("op");
  if (op == object.end() || !op->is_string()) {
    out.refusal = error_text("missing_op", "a request has an op");
    return out;
  }
  if (const auto it = object.find("articulation"); it != object.end() && it->is_string()) out.robot = it->get<std::string>();
  const std::string name = op->get<std::string>();
  if (name == "meta") out.op = Request::Op::kMeta;
  else if (name == "set_twist") read_set_twist(object, out);
  else if (name == "set_actions") read_set_actions(object, out);
  else if (name == "set_control_source") read_set_control_source(object, out);
  else out.refusal = error_text("unknown_op", "known: meta, set_twist, set_actions, set_control_source");
  return out;
}

std::string answer_text(const Request& request) {
  switch (request.op) {
    case Request::Op::kMeta: return R"({"op":"meta_ok","ops":["meta","set_twist","set_actions","set_control_source"]})";
    case Request::Op::kSetTwist: return R"({"op":"set_twist_ok"})";
    case Request::Op::kSetActions: return R"({"op":"set_actions_ok"})";
    case Request::Op::kSetControlSource: {
      Json out{{"op", "set_control_source_ok"}, {"source", request.source_text}};
      if (!request.robot.empty()) out["articulation"] = request.robot;
      return dumped(out);
    }
  }
  return {};
}

std::string error_text(std::string_view code, std::string_view message) {
  return dumped(Json{{"op", "error"}, {"code", code}, {"message", message}});
}

}  // namespace convoy::zmq
