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

void SensorRecorder::took(WorldNumber robot, const SensorSpec& sensor, const Sample& sample, Instant now) {
  const std::string* name = picker_.name_of(robot);
  if (!name) return;  // it was deleted meanwhile
  const std::string topic = "/" + *name + "/" + sensor.name;
  const std::string frame = sensor_frame(*name, sensor);
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
