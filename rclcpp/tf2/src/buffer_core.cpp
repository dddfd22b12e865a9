#include "tf2/buffer_core.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "frame_history.hpp"

namespace tf2 {
namespace {

using geometry_msgs::msg::TransformStamped;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr double kLengthTolerance = 1e-2;  // of a rotation's length, squared

std::string without_slash(const std::string& frame) {
  return frame.empty() || frame[0] != '/' ? frame : frame.substr(1);
}

TimePoint time_of(const builtin_interfaces::msg::Time& stamp) {
  return TimePoint(std::chrono::nanoseconds(stamp.sec * kSecond + stamp.nanosec));
}

builtin_interfaces::msg::Time stamp_of(TimePoint time) {
  const std::int64_t ns = time.time_since_epoch().count();
  builtin_interfaces::msg::Time out;
  out.sec = static_cast<std::int32_t>(ns / kSecond - (ns % kSecond < 0));
  out.nanosec = static_cast<std::uint32_t>(ns - out.sec * kSecond);
  return out;
}

std::string problem(const TransformStamped& t) {
  const auto& p = t.transform.translation;
  const auto& q = t.transform.rotation;
  const std::string child = without_slash(t.child_frame_id), parent = without_slash(t.header.frame_id);
  if (child.empty()) return "its child_frame_id is empty";
  if (parent.empty()) return "its frame_id is empty";
  if (child == parent) return "its frame_id and child_frame_id are both '" + child + "'";
  for (const double x : {p.x, p.y, p.z, q.x, q.y, q.z, q.w})
    if (!std::isfinite(x)) return "it has a number that is not finite";
  if (std::fabs(Quaternion(q.x, q.y, q.z, q.w).length2() - 1) > kLengthTolerance)
    return "its rotation is not of length 1";
  return "";
}

[[noreturn]] void raise(TF2Error code, const std::string& text) {
  switch (code) {
    case TF2Error::TF2_LOOKUP_ERROR: throw LookupException(text);
    case TF2Error::TF2_CONNECTIVITY_ERROR: throw ConnectivityException(text);
    case TF2Error::TF2_INVALID_ARGUMENT_ERROR: throw InvalidArgumentException(text);
    case TF2Error::TF2_BACKWARD_EXTRAPOLATION_ERROR: throw BackwardExtrapolationException(text);
    case TF2Error::TF2_FORWARD_EXTRAPOLATION_ERROR: throw ForwardExtrapolationException(text);
    case TF2Error::TF2_NO_DATA_FOR_EXTRAPOLATION_ERROR: throw NoDataForExtrapolationException(text);
    default: throw TransformException(text);
  }
}

TransformStamped message(const Stamped<Transform>& X, const std::string& target, const std::string& source) {
  TransformStamped out;
  out.header.stamp = stamp_of(X.stamp_), out.header.frame_id = target, out.child_frame_id = source;
  const Quaternion q = X.getRotation();
  const Vector3& p = X.getOrigin();
  out.transform.translation.x = p.x(), out.transform.translation.y = p.y(), out.transform.translation.z = p.z();
  out.transform.rotation.x = q.x(), out.transform.rotation.y = q.y();
  out.transform.rotation.z = q.z(), out.transform.rotation.w = q.w();
  return out;
}

}  // namespace

std::string displayTimePoint(const TimePoint& time) {
  const std::int64_t us = time.time_since_epoch().count() / 1000;
  char text[40];
  std::snprintf(text, sizeof text, "%s%" PRId64 ".%06" PRId64, us < 0 ? "-" : "", std::abs(us / 1'000'000),
                std::abs(us % 1'000'000));
  return text;
}

BufferCore::BufferCore(Duration cache_time) : cache_time_(cache_time) {}
BufferCore::~BufferCore() = default;

// Static transforms stay: they would not be sent again.
void BufferCore::clear() {
  for (auto& frame : frames_)
    if (frame && !frame->is_static()) frame.reset();
}

BufferCore::Id BufferCore::id_of(const std::string& frame) {
  const auto [place, made] = ids_.try_emplace(frame, static_cast<Id>(names_.size()));
  if (made) names_.push_back(frame), frames_.emplace_back();
  return place->second;
}

bool BufferCore::setTransform(const TransformStamped& transform, const std::string& authority, bool is_static) {
  const std::string child = without_slash(transform.child_frame_id);
  rejection_ = problem(transform);
  if (rejection_.empty()) {
    const auto& p = transform.transform.translation;
    const auto& q = transform.transform.rotation;
    const Id id = id_of(child), parent = id_of(without_slash(transform.header.frame_id));
    auto& frame = frames_[id];
    if (!frame || frame->is_static() != is_static) frame = std::make_unique<FrameHistory>(cache_time_, is_static);
    if (frame->insert(
            {time_of(transform.header.stamp), parent, Quaternion(q.x, q.y, q.z, q.w), Vector3(p.x, p.y, p.z)})) {
      frame->authority = authority;
      answer_requests();
      return true;
    }
    rejection_ = "it is older than what the buffer keeps: TF_OLD_DATA";
  }
  rejection_ = "a transform of frame '" + child + "' at time " + displayTimePoint(time_of(transform.header.stamp)) +
               " by '" + authority + "' is ignored: " + rejection_;
  return false;
}

// --- the way between two frames

BufferCore::Failure BufferCore::find(const char* function, const char* argument, const std::string& frame,
                                     Id& id) const {
  const std::string about = std::string(function) + " argument " + argument;
  if (frame.empty())
    return {TF2Error::TF2_INVALID_ARGUMENT_ERROR,
            "Invalid argument passed to " + about + " in tf2 frame_ids cannot be empty"};
  if (frame[0] == '/')
    return {TF2Error::TF2_INVALID_ARGUMENT_ERROR,
            "Invalid argument \"" + frame + "\" passed to " + about + " in tf2 frame_ids cannot start with a '/'"};
  const auto found = ids_.find(frame);
  if (found == ids_.end())
    return {TF2Error::TF2_LOOKUP_ERROR, "\"" + frame + "\" passed to " + about + " does not exist. "};
  id = found->second;
  return {};
}

BufferCore::Failure BufferCore::climb(Id start, Id until, TimePoint time, std::vector<Step>& steps) const {
  steps.push_back({start, Transform::getIdentity()});
  while (steps.back().frame != until) {
    const Step last = steps.back();
    const auto& frame = frames_[last.frame];
    if (!frame) return {};  // a root
    FrameHistory::Entry entry;
    Failure failure;
    failure.code = frame->at(time, entry, &failure.text);
    if (failure.code != TF2Error::TF2_NO_ERROR) return failure;
    if (steps.size() > static_cast<std::size_t>(kMaxDepth))
      return {TF2Error::TF2_LOOKUP_ERROR, "The tf tree is invalid because it contains a loop.\n" + allFramesAsString()};
    steps.push_back({entry.parent, Transform(entry.rotation, entry.translation) * last.X_FS});
  }
  return {};
}

// Both ways up end at the first frame that they share: what lies above it is not asked for, and need not be known.
BufferCore::Failure BufferCore::between(Id target, Id source, TimePoint time, Transform& X_TS) const {
  std::vector<Step> up, down;
  const Failure of_source = climb(source, target, time, up);
  if (of_source.code == TF2Error::TF2_LOOKUP_ERROR) return of_source;
  const Failure of_target = up.back().frame == target ? Failure{} : climb(target, source, time, down);
  if (of_target.code == TF2Error::TF2_LOOKUP_ERROR) return of_target;
  if (up.back().frame == target) {
    X_TS = up.back().X_FS;
    return {};
  }
  for (const Step& b : down) {
    const auto a = std::find_if(up.begin(), up.end(), [&](const Step& s) { return s.frame == b.frame; });
    if (a == up.end()) continue;
    X_TS = b.X_FS.inverse() * a->X_FS;
    return {};
  }
  const std::string where =
      ", when looking up transform from frame [" + names_[source] + "] to frame [" + names_[target] + "]";
  for (const Failure& failure : {of_source, of_target})
    if (failure.code != TF2Error::TF2_NO_ERROR) return {failure.code, failure.text + where};
  return {TF2Error::TF2_CONNECTIVITY_ERROR, "Could not find a connection between '" + names_[target] + "' and '" +
                                                names_[source] +
                                                "' because they are not part of the same tree. Tf has two or more "
                                                "unconnected trees."};
}

// The latest time that every frame of the way knows; 0 if all of them are static, or there is no way.
TimePoint BufferCore::latest_common(Id target, Id source) const {
  const auto climb_latest = [&](Id start, Id until) {
    std::vector<std::pair<Id, TimePoint>> steps{{start, TimePoint::max()}};
    while (steps.back().first != until && steps.size() <= static_cast<std::size_t>(kMaxDepth)) {
      const auto& frame = frames_[steps.back().first];
      if (!frame) break;
      const TimePoint latest = frame->latest() == TimePointZero ? TimePoint::max() : frame->latest();
      steps.emplace_back(frame->newest().parent, std::min(steps.back().second, latest));
    }
    return steps;
  };
  const auto up = climb_latest(source, target), down = climb_latest(target, source);
  for (const auto& [frame, target_side] : down)
    for (const auto& [other, source_side] : up)
      if (frame == other) {
        const TimePoint common = std::min(target_side, source_side);
        return common == TimePoint::max() ? TimePointZero : common;
      }
  return TimePointZero;
}

BufferCore::Failure BufferCore::compute(const char* function, const std::string& target, const std::string& source,
                                        TimePoint time, Stamped<Transform>& X_TS) const {
  Id target_id = 0, source_id = 0;
  if (auto failed = find(function, "target_frame", target, target_id); failed.code != TF2Error::TF2_NO_ERROR)
    return failed;
  if (auto failed = find(function, "source_frame", source, source_id); failed.code != TF2Error::TF2_NO_ERROR)
    return failed;
  if (time == TimePointZero && target_id != source_id) time = latest_common(target_id, source_id);
  else if (time == TimePointZero && frames_[target_id]) time = frames_[target_id]->latest();
  X_TS.stamp_ = time, X_TS.frame_id_ = target;
  return between(target_id, source_id, time, X_TS);
}

BufferCore::Failure BufferCore::compute_advanced(const char* function, const std::string& target, TimePoint target_time,
                                                 const std::string& source, TimePoint source_time,
                                                 const std::string& fixed, Stamped<Transform>& X_TS) const {
  Id ignored;
  if (auto failed = find(function, "fixed_frame", fixed, ignored); failed.code != TF2Error::TF2_NO_ERROR) return failed;
  Stamped<Transform> X_FS, X_TF;
  if (auto failed = compute(function, fixed, source, source_time, X_FS); failed.code != TF2Error::TF2_NO_ERROR)
    return failed;
  if (auto failed = compute(function, target, fixed, target_time, X_TF); failed.code != TF2Error::TF2_NO_ERROR)
    return failed;
  X_TS = Stamped<Transform>(X_TF * X_FS, X_TF.stamp_, target);
  return {};
}

TransformStamped BufferCore::lookupTransform(const std::string& target, const std::string& source,
                                             const TimePoint& time) const {
  Stamped<Transform> X_TS;
  const Failure failed = compute("lookupTransform", target, source, time, X_TS);
  if (failed.code != TF2Error::TF2_NO_ERROR) raise(failed.code, failed.text);
  return message(X_TS, target, source);
}

TransformStamped BufferCore::lookupTransform(const std::string& target, const TimePoint& target_time,
                                             const std::string& source, const TimePoint& source_time,
                                             const std::string& fixed) const {
  Stamped<Transform> X_TS;
  const Failure failed = compute_advanced("lookupTransform", target, target_time, source, source_time, fixed, X_TS);
  if (failed.code != TF2Error::TF2_NO_ERROR) raise(failed.code, failed.text);
  return message(X_TS, target, source);
}

bool BufferCore::canTransform(const std::string& target, const std::string& source, const TimePoint& time,
                              std::string* error) const {
  Stamped<Transform> ignored;
  const Failure failed = compute("canTransform", target, source, time, ignored);
  if (failed.code != TF2Error::TF2_NO_ERROR && error) *error = failed.text;
  return failed.code == TF2Error::TF2_NO_ERROR;
}

bool BufferCore::canTransform(const std::string& target, const TimePoint& target_time, const std::string& source,
                              const TimePoint& source_time, const std::string& fixed, std::string* error) const {
  Stamped<Transform> ignored;
  const Failure failed = compute_advanced("canTransform", target, target_time, source, source_time, fixed, ignored);
  if (failed.code != TF2Error::TF2_NO_ERROR && error) *error = failed.text;
  return failed.code == TF2Error::TF2_NO_ERROR;
}

// --- waiting for a transform

bool BufferCore::too_old(const std::string& target, const std::string& source, TimePoint time) const {
  const auto t = ids_.find(target), s = ids_.find(source);
  if (time == TimePointZero || t == ids_.end() || s == ids_.end()) return false;
  const TimePoint latest = latest_common(t->second, s->second);
  return latest != TimePointZero && time + cache_time_ < latest;
}

TransformableRequestHandle BufferCore::addTransformableRequest(const TransformableCallback& callback,
                                                               const std::string& target, const std::string& source,
                                                               TimePoint time) {
  if (target == source || canTransform(target, source, time)) return 0;
  if (too_old(target, source, time)) return UINT64_MAX;
  requests_.emplace(next_request_, Request{callback, target, source, time});
  return next_request_++;
}

void BufferCore::answer_requests() {
  std::vector<std::pair<TransformableRequestHandle, TransformableResult>> answers;
  for (const auto& [handle, request] : requests_) {
    if (canTransform(request.target, request.source, request.time)) answers.emplace_back(handle, TransformAvailable);
    else if (too_old(request.target, request.source, request.time)) answers.emplace_back(handle, TransformFailure);
  }
  for (const auto& [handle, result] : answers) {
    const auto found = requests_.find(handle);
    if (found == requests_.end()) continue;  // an earlier callback has cancelled it
    const Request request = std::move(found->second);
    requests_.erase(found);
    request.callback(handle, request.target, request.source, request.time, result);
  }
}

// --- for people

std::vector<std::string> BufferCore::getAllFrameNames() const { return names_; }

bool BufferCore::_getParent(const std::string& frame, TimePoint time, std::string& parent) const {
  const auto found = ids_.find(without_slash(frame));
  FrameHistory::Entry entry;
  if (found == ids_.end() || !frames_[found->second] ||
      frames_[found->second]->at(time, entry, nullptr) != TF2Error::TF2_NO_ERROR)
    return false;
  parent = names_[entry.parent];
  return true;
}

void BufferCore::_chainAsVector(const std::string& target, TimePoint target_time, const std::string& source,
                                TimePoint source_time, const std::string& fixed,
                                std::vector<std::string>& output) const {
  const auto chain = [&](const std::string& from, TimePoint time) {
    Id id = 0, until = 0;
    std::vector<Step> steps;
    Failure failed = find("_chainAsVector", "source_frame", from, id);
    if (failed.code == TF2Error::TF2_NO_ERROR) failed = find("_chainAsVector", "fixed_frame", fixed, until);
    if (failed.code == TF2Error::TF2_NO_ERROR) failed = climb(id, until, time, steps);
    if (failed.code != TF2Error::TF2_NO_ERROR) raise(failed.code, failed.text);
    return steps;
  };
  output.clear();
  for (const Step& step : chain(source, source_time)) output.push_back(names_[step.frame]);
  const auto back = chain(target, target_time);
  for (auto step = back.rbegin(); step != back.rend(); ++step)
    if (output.back() != names_[step->frame]) output.push_back(names_[step->frame]);
}

std::string BufferCore::allFramesAsYAML(TimePoint now) const {
  std::string out;
  for (Id id = 0; id < frames_.size(); ++id) {
    if (!frames_[id]) continue;
    const FrameHistory& frame = *frames_[id];
    const double span = std::max(durationToSec(frame.latest() - frame.earliest()), 1e-4);
    char text[400];
    std::snprintf(text, sizeof text,
                  "  broadcaster: '%s'\n  rate: %.3f\n  most_recent_transform: %.3f\n  oldest_transform: %.3f\n",
                  frame.authority.c_str(), static_cast<double>(frame.size()) / span, timeToSec(frame.latest()),
                  timeToSec(frame.earliest()));
    out += names_[id] + ":\n  parent: '" + names_[frame.newest().parent] + "'\n" + text;
    std::snprintf(text, sizeof text, "  transform_delay: %.3f\n", durationToSec(now - frame.latest()));
    if (now != TimePointZero) out += text;
    std::snprintf(text, sizeof text, "  buffer_length: %.3f\n", durationToSec(frame.latest() - frame.earliest()));
    out += text;
  }
  return out.empty() ? "{}" : out;
}

std::string BufferCore::allFramesAsString() const {
  std::string out;
  for (Id id = 0; id < frames_.size(); ++id)
    if (frames_[id])
      out += "Frame " + names_[id] + " exists with parent " + names_[frames_[id]->newest().parent] + ".\n";
  return out;
}

}  // namespace tf2
