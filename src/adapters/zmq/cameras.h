// Cameras of robots, out: a socket each, on which every picture leaves as it is delivered.
//
// It takes the pictures that programs have subscribed to; no others are drawn for it. Which these are is looked up between
// ticks, so that its answer is the same all through a tick.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/zmq/block.h"
#include "adapters/zmq/layout.h"
#include "agent/fleet_looks.h"
#include "agent/sample_taker.h"
#include "control/roster.h"
#include "core/ports.h"

namespace convoy::zmq {

struct CameraOptions {
  PictureHeader header = PictureHeader::kNone;
  double (*unix_time)() = nullptr;  // s; may be absent
};

class Cameras final : public SampleTaker {
 public:
  // Uses the block's places from kCameraPort on, but that of calls. The context outlives it.
  Cameras(Context& context, const Block& block, CameraOptions options, StreamsCounters& counters, Log& log)
      : context_(context), block_(block), options_(options), counters_(counters), log_(log) {}

  void keep_up(const control::Roster& roster);
  // Between ticks: who listens.
  void take_subscriptions();
  // Where they are, for the robot's info.
  std::vector<CameraPlace> places_of(WorldNumber robot) const;
  // While no tick comes: everything as it is now.
  void repeat(const Fleet& fleet);

  // Switches a camera's stream; its place, or nothing: there is no such camera here.
  std::optional<CameraPlace> stream(const CameraName& camera, std::optional<bool> on);

  bool takes(WorldNumber robot, const SensorSpec& sensor, const DueSample& due) const override;
  void took(WorldNumber robot, const SensorSpec& sensor, const Sample& sample, Instant now) override;

 private:
  struct Camera {
    CameraPlace told;
    int place = 0;  // in the block
    std::unique_ptr<Socket> socket;
    Subscriptions subscriptions{};
    bool wanted = false;  // by who has subscribed
  };
  std::vector<Camera> open(const control::RobotEntry& robot);
  Camera* find(WorldNumber robot, std::string_view camera);
  const Camera* find(WorldNumber robot, std::string_view camera) const;
  void send(Camera& camera, const Sample& sample);

  Context& context_;
  const Block& block_;
  CameraOptions options_;
  StreamsCounters& counters_;
  Log& log_;
  std::map<WorldNumber, std::vector<Camera>> cameras_;  // of each robot of the roster
  std::set<int> places_;                                // in use
  Bytes payload_;
};

}  // namespace convoy::zmq
