// Writes samples of sensors into a recording: a channel `/robot/sensor` each, as viewers read them.
//
//   SensorRecorder sensors(recorder.file(), {{"*/scan", 500ms}});
//   recorder.scene().set_sensors(...)                      // so that their frames are in /tf
//   AgentParts{physics, software, rays, &sensors}          // of hosts in the same thread; else ServerOptions::seen
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agent/sensor_picker.h"
#include "record/recording_writer.h"

namespace convoy {

// "scout/scan", "*/imu@5Hz"
Result<SensorChoice> parse_sensor_choice(std::string_view text);

inline constexpr std::size_t kMostSensorChannels = 10'000;  // further ones are left out, and counted

class SensorRecorder final : public SampleTaker {
 public:
  // The file outlives it.
  SensorRecorder(RecordingWriter& file, std::vector<SensorChoice> choices) : file_(file), picker_(std::move(choices)) {}

  const SensorPicker& picker() const { return picker_; }
  std::uint64_t left_out() const { return left_out_; }  // samples, for want of channels

  void follow(const World& world) override { picker_.follow(world); }
  bool takes(WorldNumber robot, const SensorSpec& sensor, const DueSample& due) const override {
    return picker_.wants(robot, sensor, due);
  }
  void took(WorldNumber robot, const SensorSpec& sensor, const Sample& sample, Instant now) override;

 private:
  RecordingWriter& file_;
  SensorPicker picker_;
  std::map<std::string, RecordingWriter::Line> lines_;  // by topic and schema
  std::uint64_t left_out_ = 0;
  Bytes scratch_;
};

}  // namespace convoy
