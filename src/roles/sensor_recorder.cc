#include "roles/sensor_recorder.h"

#include <algorithm>

#include "record/foxglove/readings.h"
#include "record/record_detail.h"
#include "record/scene_writer.h"

namespace convoy {

Result<SensorChoice> parse_sensor_choice(std::string_view text) {
  const std::size_t at = text.rfind('@');
  SensorChoice out{std::string(text.substr(0, at)), {}};
  if (out.pattern.empty())
    return fail(ErrorCode::kInvalid, "'" + std::string(text) + "' names no sensor; as scout/scan, */imu or *@5Hz");
  if (at == std::string_view::npos) return out;
  const auto every = parse_rate(text.substr(at + 1));
  if (!every) return tl::unexpected(every.error());
  out.every = *every;
  return out;
}

// The last star so far takes one character more whenever what follows it does not fit.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) && pattern[p] != '*') {
      ++p, ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++, taken = t;
    } else if (star != std::string_view::npos) {
      p = star + 1, t = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::optional<Duration> SensorRecorder::every_of(const std::string& robot, const SensorSpec& sensor) const {
  const std::string name = robot + "/" + sensor.name;
  for (const SensorChoice& choice : choices_)
    if (matches(choice.pattern, name)) return choice.every;
  return {};
}

void SensorRecorder::follow(const World& world) {
  if (structure_ == world.structure_hash()) return;
  structure_ = world.structure_hash();
  robots_.clear();
  for (const Entity& entity : world.entities()) {
    Robot robot{entity.name, {}};
    for (const SensorSpec& sensor : entity.kind->sensors)
      if (const auto every = every_of(entity.name, sensor)) robot.every[sensor.name] = *every;
    if (!robot.every.empty()) robots_.emplace(entity.number, std::move(robot));
  }
}

bool SensorRecorder::takes(WorldNumber robot, const SensorSpec& sensor, const DueSample& due) const {
  const auto known = robots_.find(robot);
  if (known == robots_.end()) return false;
  const auto every = known->second.every.find(sensor.name);
  if (every == known->second.every.end()) return false;
  const std::int64_t period = std::max<std::int64_t>(1, nanos(due.period));
  return due.index %
             static_cast<std::uint64_t>(std::max<std::int64_t>(1, (nanos(every->second) + period / 2) / period)) ==
         0;
}

void SensorRecorder::took(WorldNumber robot, const SensorSpec& sensor, const Sample& sample, Instant now) {
  const auto known = robots_.find(robot);
  if (known == robots_.end()) return;  // it was deleted meanwhile
  const std::string topic = "/" + known->second.name + "/" + sensor.name;
  const std::string frame = sensor_frame(known->second.name, sensor);
  const ReadingHeader header{file_.stamp(sample.at), frame};
  encode(sample.data, header, scratch_);
  const auto write = [&](const std::string& on, const auto& schema, const Bytes& message) {
    auto line = lines_.find(on + " " + sensor.type);
    if (line == lines_.end()) {
      if (lines_.size() >= kMostSensorChannels) return void(++left_out_);
      line = lines_.emplace(on + " " + sensor.type, file_.line(on, schema(), "samples")).first;
    }
    file_.write(line->second, file_.log_time(now), message);
  };
  write(
      topic, [&] { return schema_of(sample.data); }, scratch_);
  for (const Companion& more : companions_of(sample.data, header))
    write(
        topic + "/" + more.name, [&] { return schema_of(more.kind); }, more.message);
}

}  // namespace convoy
