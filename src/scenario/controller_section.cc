// A robot's controller, and whose commands it obeys.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "scenario/sections.h"

namespace convoy::scenario {

namespace {

constexpr Choice<ControllerKind> kControllers[] = {{"raw", ControllerKind::kRaw},
                                                   {"passthrough", ControllerKind::kRaw},
                                                   {"pd", ControllerKind::kPd},
                                                   {"keyframes", ControllerKind::kKeyframes}};
constexpr NumberRange kGain{0, 1e9, "", false};

bool read_gains(Section& s, double& kp, double& kv, double& torque_limit) {
  s.number("kp", kp, kGain);
  s.number("kv", kv, kGain);
  s.number("torque_limit", torque_limit, kGain);
  return s.has("kp") || s.has("kv") || s.has("torque_limit");
}

void read_gains_of_one(Section& s, std::vector<GainSpec>& gains) {
  GainSpec out;
  double kp = 0, kv = 0, torque_limit = 0;
  s.text("actuator", out.actuator, TextRule::kAny, Need::kRequired);
  read_gains(s, kp, kv, torque_limit);
  if (s.has("kp")) out.kp = kp;
  if (s.has("kv")) out.kv = kv;
  if (s.has("torque_limit")) out.torque_limit = torque_limit;
  gains.push_back(std::move(out));
}

void read_pose(Section& s, std::vector<PoseSpec>& poses) {
  PoseSpec out;
  std::vector<std::string> targets;
  s.text("keyframe", out.keyframe);
  s.texts("targets", targets, TextRule::kAny);
  s.duration("blend", out.blend, {Duration(0), kLongestPose});
  s.duration("hold", out.hold, {Duration(0), kLongestPose});
  s.flag("ease", out.ease);
  for (const std::string& text : targets) {
    const std::size_t equals = text.rfind('=');
    const char* const end = text.data() + text.size();
    TargetSpec target{text.substr(0, equals), 0};
    const auto [stop, error] = equals == text.npos ? std::from_chars_result{end, std::errc::invalid_argument}
                                                   : std::from_chars(text.data() + equals + 1, end, target.value);
    if (error != std::errc() || stop != end || !std::isfinite(target.value))
      return s.refuse("targets", fmt::format("'{}'; a target is written ACTUATOR=VALUE", text));
    out.targets.push_back(std::move(target));
  }
  if (s.sound() && out.keyframe.empty() && out.targets.empty())
    return s.refuse("", "a pose has a keyframe, targets, or both");
  poses.push_back(std::move(out));
}

void read_controller(Section& s, ControllerSpec& out) {
  s.choice<ControllerKind>("kind", out.kind, kControllers);
  bool gains = read_gains(s, out.kp, out.kv, out.torque_limit);
  s.list(
      "gains", [&](Section& g) { read_gains_of_one(g, out.gains); }, kMaxPoses);
  gains = gains || !out.gains.empty();
  Duration silence{0};
  read_silence(s, "silence", silence);
  if (s.has("silence")) out.silence = silence;
  s.list(
      "poses", [&](Section& p) { read_pose(p, out.poses); }, kMaxPoses);
  s.flag("autoplay", out.autoplay);
  s.flag("loop", out.loop);
  s.duration("start_delay", out.start_delay, {Duration(0), kLongestPose});
  out.pd = out.kind == ControllerKind::kPd || (out.kind == ControllerKind::kKeyframes && gains);
  if (!s.sound()) return;
  if (out.kind == ControllerKind::kRaw && gains) return s.refuse("kind", "gains are for pd and keyframes");
  const bool plays = out.kind == ControllerKind::kKeyframes;
  if (plays && out.poses.empty()) return s.refuse("kind", "keyframes need poses");
  for (const char* field : {"poses", "autoplay", "loop", "start_delay"})
    if (!plays && s.has(field)) return s.refuse(field, "only the controller 'keyframes' plays poses");
}

}  // namespace

void read_silence(Section& s, const char* name, Duration& silence) {
  if (s.duration_or(name, silence, {std::chrono::milliseconds(1), kLongestPose}, "hold")) silence = Duration(0);
}

void read_control(Section& s, EntitySpec& spec) {
  ControlSource source{};
  s.choice<ControlSource>("control_source", source, kSourceChoices);
  if (s.has("control_source")) spec.control_source = source;
  ControllerSpec controller;
  s.section("controller", {.scalar_is = "kind"}, [&](Section& c) { read_controller(c, controller); });
  if (s.has("controller")) spec.controller = std::move(controller);
}

}  // namespace convoy::scenario
