#include "record/record_detail.h"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <map>

namespace convoy {
namespace {

// Bytes of one record, packed, as measured with the shipped scenarios. Doubles that a motion changes keep nearly all of
// their bits; robots drive in curves.
constexpr double kMoving = 40;  // a kinematic robot at a boundary: pose, twist and hash
constexpr double kWord = 6.2;   // each word of a robot that a physics engine moves: none of them stays
constexpr double kBodyWords = 13;
constexpr double kStill = 3.5;     // what has no driver
constexpr double kDigest = 70;     // and the rest of a boundary
constexpr double kTransform = 42;  // one pose for viewers, at 10 Hz
constexpr double kLinks = 29;      // and those of its links
constexpr double kPose = 18;       // one sampled pose, and the same for viewers
constexpr double kTold = 42;       // a state that was told, and its pose for viewers
constexpr double kSample = 80;     // what a sample has beside them
constexpr double kChunk = 900;     // names of channels, indexes; each second

}  // namespace

std::string to_text(const RecordDetail& detail) {
  return detail.poses() ? fmt::format("poses@{:.6g}Hz", 1e9 / static_cast<double>(nanos(detail.every))) : "full";
}

Result<Duration> parse_rate(std::string_view text) {
  constexpr std::string_view kUnit = "Hz";
  const auto wrong = [&] {
    return fail(ErrorCode::kInvalid,
                fmt::format("'{}' is no rate of {} to {} Hz, as 10Hz", text, kLeastPoseRate, kMostPoseRate));
  };
  if (text.size() <= kUnit.size() || !text.ends_with(kUnit)) return wrong();
  const std::string number(text.substr(0, text.size() - kUnit.size()));
  if (number.find_first_not_of("0123456789.") != std::string::npos) return wrong();
  char* end = nullptr;
  const double rate = std::strtod(number.c_str(), &end);
  if (end != number.c_str() + number.size() || !(rate >= kLeastPoseRate && rate <= kMostPoseRate)) return wrong();
  return Duration(static_cast<std::int64_t>(std::llround(1e9 / rate)));
}

Result<RecordDetail> parse_record_detail(std::string_view text) {
  constexpr std::string_view kPoses = "poses@";
  if (text == "full") return RecordDetail{};
  const auto every = text.starts_with(kPoses) ? parse_rate(text.substr(kPoses.size()))
                                              : Result<Duration>(fail(ErrorCode::kInvalid, ""));
  if (every) return RecordDetail{*every};
  return fail(ErrorCode::kInvalid, fmt::format("'{}' is neither full nor poses at a rate of {} to {} Hz, as poses@10Hz",
                                               text, kLeastPoseRate, kMostPoseRate));
}

double expected_size(const Setup& setup, const RecordDetail& detail, Duration simulated, Duration round) {
  std::map<std::string, const Model*> models;
  for (const Model& model : setup.models) models[model.name] = &model;
  double boundary = kDigest;
  std::size_t moving = 0;
  for (const EntitySpec& e : setup.entities) {
    const auto model = models.find(e.model);
    const bool body = model != models.end() && !model->second->files.empty();
    const bool moves = body || e.driver.kind != DriverKind::kNone || !e.components.empty();
    if (moves) ++moving;
    boundary += body ? kWord * (kBodyWords + static_cast<double>(tail_size(*model->second))) : moves ? kMoving : kStill;
  }
  const double still = static_cast<double>(setup.entities.size() - moving) * kStill;
  const double robots = static_cast<double>(moving), time = seconds(simulated);
  if (detail.poses()) {
    const double samples = time / std::max(seconds(detail.every), seconds(setup.tick));
    return kChunk * std::min(time, samples) + samples * (kSample + still + kPose * robots);
  }
  if (round > Duration{0}) return kChunk * time + time / seconds(round) * (kSample + still + kTold * robots);
  return kChunk * time + time / seconds(setup.tick) * boundary + 10 * time * (still + (kTransform + kLinks) * robots);
}

}  // namespace convoy
