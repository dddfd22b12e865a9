#include "apps/ctl_looks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "apps/number_rows.h"
#include "os/standard_streams.h"
#include "os/terminal.h"
#include "run/drawn_kinds.h"

namespace convoy::apps {

namespace {

using Json = nlohmann::ordered_json;
using Made = Result<proto::Request>;

std::string shown(const Json& value) {
  if (value.is_null()) return "-";
  return value.is_string() ? os::escape_line(value.get<std::string>()) : fmt::format("{:.6g}", value.get<double>());
}

}  // namespace

Made draw_request(const CtlArguments& a) {
  proto::Request request;
  proto::Drawing& one = *request.mutable_draw()->add_drawings();
  const auto kind = std::find(std::begin(kDrawnKinds), std::end(kDrawnKinds), a.drawing.kind);
  one.set_kind(static_cast<std::uint32_t>(kind - std::begin(kDrawnKinds)));
  one.set_name(a.parent), one.set_frame(a.frame), one.set_text(a.drawing.text), one.set_color(a.drawing.color);
  one.set_size(a.drawing.size), one.set_lasts(a.drawing.lasts);
  for (const std::string& text : a.drawing.points) {
    const auto point = numbers_in("--at", text, "X,Y or X,Y,Z (m)", 2, 3);
    if (!point) return tl::unexpected(point.error());
    for (double value : *point) one.add_points(value);
  }
  return request;
}

Made erase_request(const CtlArguments& a) {
  if (a.all != a.names.empty()) return fail(ErrorCode::kInvalid, "erase takes names of drawings, or --all");
  proto::Request request;
  request.mutable_draw()->set_erase_all(a.all);
  for (const std::string& name : a.names) request.mutable_draw()->add_erase(name);
  return request;
}

Made drawings_request(const CtlArguments&) {
  proto::Request request;
  request.mutable_drawings();
  return request;
}

Made gains_request(const CtlArguments& a) {
  proto::Request request;
  request.mutable_set_gains()->set_name(a.parent);
  for (const std::string& text : a.controls) {
    constexpr const char* kForm = "ACTUATOR=KP,KV or ACTUATOR=KP,KV,TORQUE_LIMIT";
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos)
      return fail(ErrorCode::kInvalid, fmt::format("gains are written {}, not '{}'", kForm, text));
    const std::string values = text.substr(equals + 1);
    const bool limited = std::count(values.begin(), values.end(), ',') == 2;
    const auto v = numbers_in("gains", values, kForm, 2, 3);
    if (!v) return tl::unexpected(v.error());
    proto::Gain& gain = *request.mutable_set_gains()->add_gains();
    gain.set_actuator(text.substr(0, equals)), gain.set_kp((*v)[0]), gain.set_kv((*v)[1]);
    if (limited) gain.set_torque_limit((*v)[2]);
  }
  return request;
}

Made actuators_request(const CtlArguments& a) {
  proto::Request request;
  request.mutable_actuators()->set_name(a.names.front());
  return request;
}

// path  strip  4 points  of scout_0  until 12.5 s
void print_drawings(const CtlArguments&, const proto::Reply& r) {
  const Json told = Json::parse(r.json(), nullptr, false);
  for (const Json& one : told["drawings"]) {
    os::print("{:<16} {:<7} {} points", shown(one["name"]), shown(one["kind"]), one["points"].size());
    if (one["frame"].is_string()) os::print(", of {}", shown(one["frame"]));
    if (!one["until"].is_null()) os::print(", until {} s", shown(one["until"]));
    if (!one["text"].get_ref<const std::string&>().empty()) os::print(", '{}'", shown(one["text"]));
    os::print("\n");
  }
  os::print("{} drawings\n", told["drawings"].size());
}

// left  of left_joint  -8 to 8  now 1.5  kp 100, kv 5, at most 200
void print_actuators(const CtlArguments&, const proto::Reply& r) {
  const Json told = Json::parse(r.json(), nullptr, false);
  for (const Json& one : told["actuators"]) {
    os::print("{:<16} of {:<16} {} to {}, now {}", shown(one["name"]), shown(one["joint"]), shown(one["low"]),
              shown(one["high"]), shown(one["control"]));
    if (one.contains("kp"))
      os::print(", kp {}, kv {}, at most {}", shown(one["kp"]), shown(one["kv"]), shown(one["torque_limit"]));
    os::print("\n");
  }
  os::print("{} actuators\n", told["actuators"].size());
}

// host0  12 agents, 4 sensors, 1500 ticks of 0.412 ms
void print_hosts(const CtlArguments&, const proto::Reply& r) {
  for (const Json& one : Json::parse(r.json(), nullptr, false)) {
    os::print("{:<16} {}", shown(one["name"]), one["present"] == true ? "present" : "away");
    if (one["answers"] == true) {
      const double ticks = one["ticks"].get<double>();
      os::print(", {} agents, {} sensors, {} ticks", one["agents"].dump(), one["sensors"].dump(), one["ticks"].dump());
      if (ticks > 0) os::print(" of {:.3f} ms", 1000 * one["busy_s"].get<double>() / ticks);
    } else if (one["present"] == true) {
      os::print(", does not answer");
    }
    os::print("{}\n", one["waited_for"] == true ? ", waited for" : "");
  }
}

}  // namespace convoy::apps
