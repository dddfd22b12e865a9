#include "adapters/zmq/readings.h"

#include <bit>
#include <nlohmann/json.hpp>

namespace convoy::zmq {

namespace {

using Json = nlohmann::ordered_json;

double f32(Reader& r) { return static_cast<double>(std::bit_cast<float>(r.u32())); }
Vec3 f32s(Reader& r) {
  const double x = f32(r), y = f32(r);
  return {x, y, f32(r)};
}

}  // namespace

StreamTopic read_stream_topic(std::string_view topic) {
  while (!topic.empty() && (topic.back() == ' ' || topic.back() == '\0')) topic.remove_suffix(1);
  const std::size_t first = topic.find('/');
  if (first == topic.npos) return {topic, {}, {}};
  const std::string_view rest = topic.substr(first + 1);
  const std::size_t second = rest.find('/');
  if (second == rest.npos) return {topic.substr(0, first), rest, {}};
  return {topic.substr(0, first), rest.substr(0, second), rest.substr(second + 1)};
}

std::optional<JointRead> read_joint(ByteView payload) {
  if (payload.size() != 16) return {};
  Reader r(payload);
  r.u32();  // its number
  const double position = f32(r), velocity = f32(r);
  return JointRead{position, velocity, f32(r)};
}

std::optional<std::vector<double>> read_sensor(ByteView payload) {
  if (payload.size() < 4 || payload.size() % 4 != 0) return {};
  const std::size_t words = payload.size() / 4;
  Reader r(payload);
  r.u32();  // its number
  std::vector<double> out;
  if (words >= 2) {
    const std::uint32_t first = r.u32();
    if (first != words - 2) out.push_back(static_cast<double>(std::bit_cast<float>(first)));
    while (r.left() > 0) out.push_back(f32(r));
  }
  return out;
}

std::optional<BaseRead> read_base(ByteView payload) {
  Reader r(payload);
  BaseRead out;
  if (payload.size() == 56) {
    double v[7];
    for (double& one : v) one = r.f64();
    out.X_WB = {{v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]}};
    return out;
  }
  if (payload.size() != 52) return {};
  out.X_WB.p = f32s(r);
  const Vec3 xyz = f32s(r);
  out.X_WB.q = {f32(r), xyz.x, xyz.y, xyz.z};
  const Vec3 v_WB_W = f32s(r), w_WB_B = f32s(r);
  const Quat& q = out.X_WB.q;
  out.V_WB_B = Twist{rotate(q.conjugate(), v_WB_W), w_WB_B};
  return out;
}

std::optional<InfoRead> read_info(std::string_view text) {
  const Json info = Json::parse(text, nullptr, false);
  const auto is_list = [&](const char* key) { return info.contains(key) && info[key].is_array(); };
  if (!info.is_object() || !info.contains("robot") || !info["robot"].is_string() || !is_list("names") ||
      !is_list("ids") || info["names"].size() != info["ids"].size())
    return {};
  InfoRead out{info["robot"].get<std::string>(), {}, {}};
  const std::string prefix = out.robot + "_";
  for (std::size_t i = 0; i < info["names"].size(); ++i) {
    if (!info["names"][i].is_string() || !info["ids"][i].is_number_integer()) return {};
    std::string name = info["names"][i];
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
    out.actuators.emplace_back(std::move(name), info["ids"][i].get<std::int32_t>());
  }
  if (is_list("camera_list"))
    for (const Json& camera : info["camera_list"])
      if (camera.is_object() && camera.contains("name") && camera["name"].is_string())
        out.shows[camera["name"]] =
            camera.contains("shows") && camera["shows"].is_string() ? camera["shows"].get<std::string>() : "bgra8";
  return out;
}

void put_controls(Bytes& out, std::span<const ControlPair> controls) {
  out.clear();
  Writer w(out);
  w.u32(static_cast<std::uint32_t>(controls.size()));
  for (const ControlPair& one : controls)
    w.u32(static_cast<std::uint32_t>(one.actuator)), w.u32(std::bit_cast<std::uint32_t>(one.value));
}

}  // namespace convoy::zmq
