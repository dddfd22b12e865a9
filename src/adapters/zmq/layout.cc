#include "adapters/zmq/layout.h"

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

namespace convoy::zmq {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kPictureMagic = 0x314d4355;  // "UCM1"
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

Shown shown_by(const CameraModel& model) {
  if (model.color) return Shown::kColor;
  if (model.depth) return Shown::kDepth;
  return model.numbers ? Shown::kNumbers : Shown::kClasses;
}

const char* name_of(Shown shown) {
  switch (shown) {
    case Shown::kColor: return "bgra8";
    case Shown::kDepth: return "depth_cm";
    case Shown::kNumbers: return "instances";
    case Shown::kClasses: break;
  }
  return "classes";
}

std::string camera_topic(const std::string& robot, const std::string& camera) {
  return robot + "/camera/" + camera + " ";
}

namespace {

void put_header(Writer& w, PictureHeader header, const PictureStamp& stamp, const PictureLens& lens) {
  if (header == PictureHeader::kNone) return;
  const auto u32 = [&](std::uint32_t value) { w.raw(&value, sizeof value); };
  u32(kPictureMagic), u32(header == PictureHeader::kVersion1 ? 1 : 2);
  w.raw(&stamp.index, sizeof stamp.index), w.raw(&stamp.simulated, sizeof stamp.simulated);
  u32(lens.width), u32(lens.height);
  if (header == PictureHeader::kVersion2) w.raw(&stamp.captured, sizeof stamp.captured);
}

// Behind what is in `out`.
void put_color(Bytes& out, const Bytes& rgb) {
  const std::size_t pixels = rgb.size() / 3, from = out.size();
  out.resize(from + 4 * pixels);
  std::uint8_t* to = out.data() + from;
  const std::uint8_t* p = rgb.data();
  for (std::size_t i = 0; i < pixels; ++i, p += 3, to += 4) to[0] = p[2], to[1] = p[1], to[2] = p[0], to[3] = 255;
}

}  // namespace

void put_picture(Bytes& out, PictureHeader header, const PictureStamp& stamp, const CameraReading& picture) {
  out.clear();
  Writer w(out);
  put_header(w, header, stamp, picture.lens);
  const auto row = [&](const auto& values) { w.raw(values.data(), values.size() * sizeof values[0]); };
  if (!picture.color.empty()) put_color(out, picture.color);
  else if (!picture.depth.empty())
    for (const float depth : picture.depth) f32(w, 100.0 * static_cast<double>(depth));
  else if (!picture.numbers.empty()) row(picture.numbers);
  else row(picture.classes);
}

std::optional<PictureRead> read_picture(ByteView payload, std::uint32_t width, std::uint32_t height) {
  PictureRead out{.width = width, .height = height, .pixels = payload};
  const auto fits = [&] {
    return out.width > 0 && out.height > 0 && out.width <= kMaxPictureSide && out.height <= kMaxPictureSide &&
           out.pixels.size() == std::size_t{4} * out.width * out.height;
  };
  std::uint32_t words[2] = {0, 0};
  if (payload.size() >= sizeof words) std::memcpy(words, payload.data(), sizeof words);
  if (words[0] != kPictureMagic || (words[1] != 1 && words[1] != 2)) return fits() ? std::optional(out) : std::nullopt;
  const std::size_t size = words[1] == 1 ? 32 : 40;
  if (payload.size() < size) return {};
  std::memcpy(&out.stamp.index, payload.data() + 8, 8), std::memcpy(&out.stamp.simulated, payload.data() + 16, 8);
  std::memcpy(&out.width, payload.data() + 24, 4), std::memcpy(&out.height, payload.data() + 28, 4);
  if (words[1] == 2) std::memcpy(&out.stamp.captured, payload.data() + 32, 8);
  out.pixels = payload.subspan(size);
  return fits() ? std::optional(out) : std::nullopt;
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
  for (const CameraPlace& camera : cameras)
    list.push_back({{"name", camera.name},
                    {"endpoint", camera.endpoint},
                    {"width", camera.width},
                    {"height", camera.height},
                    {"shows", name_of(camera.shows)}});
  info["names"] = std::move(names), info["ids"] = std::move(ids);
  info["mins"] = std::move(lows), info["maxs"] = std::move(highs), info["camera_list"] = std::move(list);
  return dumped(info);
}

}  // namespace convoy::zmq
