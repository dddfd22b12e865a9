#include "adapters/zmq/sample_stream.h"

#include <algorithm>
#include <tuple>

#include "adapters/zmq/packed_fields.h"
#include "sensing/sensor.h"

namespace convoy::zmq {

void SampleStream::keep_up(const control::Roster& roster, const Fleet& fleet, const Subscriptions& subscriptions) {
  lines_.clear();
  for (const control::RobotEntry& robot : roster.all()) {
    const Slot slot = fleet.world().slot_of(robot.number);
    if (slot == kNoSlot) continue;
    for (const SensorSpec& sensor : fleet.world().entity(slot).kind->sensors) {
      if (const SensorType* type = find_sensor_type(sensor.type); type && type->traits.pictures) continue;  // cameras.h
      std::string topic = robot.name + "/sample/" + sensor.name;
      if (subscriptions.cover(topic)) lines_.push_back({robot.number, sensor.name, std::move(topic)});
    }
  }
  std::sort(lines_.begin(), lines_.end(),
            [](const Line& a, const Line& b) { return std::tie(a.robot, a.sensor) < std::tie(b.robot, b.sensor); });
}

const SampleStream::Line* SampleStream::find(WorldNumber robot, const std::string& sensor) const {
  const auto key = std::tie(robot, sensor);
  const auto at = std::lower_bound(lines_.begin(), lines_.end(), key, [](const Line& line, const auto& wanted) {
    return std::tie(line.robot, line.sensor) < wanted;
  });
  return at != lines_.end() && std::tie(at->robot, at->sensor) == key ? &*at : nullptr;
}

bool SampleStream::takes(WorldNumber robot, const SensorSpec& sensor, const DueSample&) const {
  return find(robot, sensor.name) != nullptr;
}

void SampleStream::took(WorldNumber robot, const SensorSpec& sensor, const Sample& sample, Instant) {
  const Line* line = find(robot, sensor.name);
  if (!line) return;  // it has gone meanwhile
  payload_.clear();
  PackedFields out(payload_);
  out.map_of(4);
  out("index", sample.index), out("stamp_ns", sample.at), out("type", sensor.type), out("data", sample.data);
  send_(line->topic, payload_);
}

}  // namespace convoy::zmq
