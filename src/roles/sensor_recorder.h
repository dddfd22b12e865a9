// Writes samples of sensors into a recording: a channel `/robot/sensor` each, as viewers read them.
//
//   SensorRecorder sensors(recorder.file(), {{"*/scan", 500ms}});
//   recorder.scene().set_sensors(...)                      // so that their frames are in /tf
//   ServerRole::make(setup, options, network, log, {&recorder, &sensors});
//   AgentParts{physics, software, rays, &sensors}          // of hosts in the same thread
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/sample_taker.h"
#include "lockstep/watchers.h"
#include "record/recording_writer.h"
#include "replication/live_watcher.h"

namespace convoy {

struct SensorChoice {
  std::string pattern;  // of "robot/sensor"; * stands for any characters, ? for one
  Duration every{};     // of simulated time from one sample to the next, about; 0: all
  friend bool operator==(const SensorChoice&, const SensorChoice&) = default;
};

// "scout/scan", "*/imu@5Hz"
Result<SensorChoice> parse_sensor_choice(std::string_view text);
bool matches(std::string_view pattern, std::string_view text);

inline constexpr std::size_t kMostSensorChannels = 10'000;  // further ones are left out, and counted

class SensorRecorder final : public SampleTaker, public RunWatcher, public LiveWatcher {
 public:
  // The file outlives it. Of several choices that match the first one counts.
  SensorRecorder(RecordingWriter& file, std::vector<SensorChoice> choices)
      : file_(file), choices_(std::move(choices)) {}

  // Samples of that sensor are taken this far apart, about, in simulated time; nothing: none are.
  std::optional<Duration> every_of(const std::string& robot, const SensorSpec& sensor) const;
  std::uint64_t left_out() const { return left_out_; }  // samples, for want of channels

  bool takes(WorldNumber robot, const SensorSpec& sensor, const DueSample& due) const override;
  void took(WorldNumber robot, const SensorSpec& sensor, const Sample& sample, Instant now) override;

  void completed(std::uint32_t, Tick, const World& world, std::span<const AgentHash>,
                 std::span<const Message>) override {
    follow(world);
  }
  void chained(std::uint32_t, Tick, std::uint64_t, const World& world, std::span<const AgentHash>) override {
    follow(world);
  }
  void shown(std::uint32_t, Tick, Instant, const World& world, const Mirror&) override { follow(world); }
  void entered(const JournalEntry&) override {}
  void checkpointed(std::uint32_t, Tick, const InnerBytes&) override {}
  void code(std::span<const CodeFile>) override {}

 private:
  struct Robot {
    std::string name;
    std::map<std::string, Duration> every;  // by the names of sensors that are taken
  };
  void follow(const World& world);

  RecordingWriter& file_;
  std::vector<SensorChoice> choices_;
  std::map<WorldNumber, Robot> robots_;
  std::optional<std::uint64_t> structure_;              // of the world that these are of
  std::map<std::string, RecordingWriter::Line> lines_;  // by topic and schema
  std::uint64_t left_out_ = 0;
  Bytes scratch_;
};

}  // namespace convoy
