// Samples of sensors, out: `N/sample/S` for the sensor S of robot N, and msgpack: {"index", "stamp_ns", "type", "data"}.
//
// It takes the samples that programs have subscribed to; no others are computed for it. Which these are is looked up
// between ticks, by keep_up(), so that its answer is the same all through a tick.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "adapters/zmq/block.h"
#include "agent/sample_taker.h"
#include "control/roster.h"

namespace convoy::zmq {

class SampleStream final : public SampleTaker {
 public:
  // Where each sample goes when it is delivered, by its topic.
  using Send = std::function<void(std::string_view topic, ByteView payload)>;
  explicit SampleStream(Send send) : send_(std::move(send)) {}

  // Between ticks: the robots of the roster, which the fleet has, and who has subscribed.
  void keep_up(const control::Roster& roster, const Fleet& fleet, const Subscriptions& subscriptions);

  bool takes(WorldNumber robot, const SensorSpec& sensor, const DueSample& due) const override;
  void took(WorldNumber robot, const SensorSpec& sensor, const Sample& sample, Instant now) override;

 private:
  struct Line {  // a topic that somebody has subscribed to
    WorldNumber robot = kNoEntity;
    std::string sensor, topic;
  };
  const Line* find(WorldNumber robot, const std::string& sensor) const;

  Send send_;
  std::vector<Line> lines_;  // by robot and sensor
  Bytes payload_;
};

}  // namespace convoy::zmq
