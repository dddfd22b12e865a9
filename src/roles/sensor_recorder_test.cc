#include "roles/sensor_recorder.h"

#include <doctest/doctest.h>

#include "record/mcap_reader.h"

namespace sensor_recorder_test {

using namespace convoy;
using namespace std::chrono_literals;

TEST_CASE("a choice is a pattern, perhaps with a rate") {
  CHECK(parse_sensor_choice("scout/scan") == SensorChoice{"scout/scan", {}});
  CHECK(parse_sensor_choice("*/imu@5Hz") == SensorChoice{"*/imu", 200ms});
  for (const char* text : {"", "@5Hz", "*@", "*@5", "*@0Hz"}) CHECK_MESSAGE(!parse_sensor_choice(text), text);
}

TEST_CASE("a star stands for any characters, a question mark for one") {
  for (const char* pattern : {"*", "scout/scan", "*/scan", "scout/*", "s*t/s?an", "*s*c*n", "scout/scan*", "**"})
    CHECK_MESSAGE(matches(pattern, "scout/scan"), pattern);
  for (const char* pattern : {"", "scan", "scout", "scout/sca", "?/scan", "*/imu", "scout/scan?", "*z*"})
    CHECK_MESSAGE(!matches(pattern, "scout/scan"), pattern);
  CHECK(matches("*", ""));
  CHECK_FALSE(matches("?", ""));
}

TEST_CASE("samples of the sensors that are chosen are written, at the rate, each on its own channel") {
  MemorySink sink;
  Setup setup;
  setup.models = built_in_models();
  for (const char* name : {"one", "two"}) {
    EntitySpec e;
    e.name = name, e.model = "turtlebot3_burger";
    for (const char* type : {"scan", "imu"}) {
      SensorSpec sensor;
      sensor.name = sensor.type = type, sensor.period = 100ms;
      e.sensors.push_back(sensor);
    }
    setup.entities.push_back(e);
  }
  const World world = *World::make(setup);
  const std::vector<SensorSpec>& sensors = setup.entities[0].sensors;
  RecordingWriter file(sink, setup, {}, "");
  SensorRecorder dut(file, {{"one/scan", 210ms}, {"one/*", {}}});
  CHECK_FALSE(dut.takes(WorldNumber(1), sensors[0], {0, 100ms}));  // nobody has told it of robots yet
  dut.follow(world);

  int written = 0;
  for (std::uint64_t index = 0; index < 4; ++index)
    for (const std::uint32_t robot : {1u, 2u})
      for (std::uint32_t i = 0; i < 2; ++i) {
        if (!dut.takes(WorldNumber(robot), sensors[i], {index, 100ms})) continue;
        const Instant at = instant(static_cast<std::int64_t>(index) * 100'000'000);
        SampleData data;
        if (i == 1) data = ImuSample{};
        dut.took(WorldNumber(robot), sensors[i], {i, index, at, data}, at + 10ms);
        ++written;
      }
  CHECK(written == 2 + 4);

  REQUIRE(file.close().has_value());
  std::vector<std::string> seen;
  const auto note = [&](const MessageView& m) {
    seen.push_back(m.channel->topic + " " + m.schema->name + " " + std::to_string(m.log_time_ns / 1'000'000));
    return Status{};
  };
  REQUIRE(scan_mcap(sink.bytes, {.message = note}).has_value());
  CHECK(seen == std::vector<std::string>{"/one/scan foxglove.LaserScan 10", "/one/imu sensor_msgs/msg/Imu 10",
                                         "/one/imu sensor_msgs/msg/Imu 110", "/one/scan foxglove.LaserScan 210",
                                         "/one/imu sensor_msgs/msg/Imu 210", "/one/imu sensor_msgs/msg/Imu 310"});
}

}  // namespace sensor_recorder_test
