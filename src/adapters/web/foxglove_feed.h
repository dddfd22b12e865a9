// What Foxglove's clients see of a run, as the messages that a recording of it would have (docs/recording.md): made in the
// viewer's thread, where the world is, of those topics alone that somebody is subscribed to.
//
//   /scene, /tf, /map   as in recordings       /ROBOT/pose     foxglove.PoseInFrame, of the first robots
//   /log                what comes and goes    /ROBOT/SENSOR   samples that the server sends, as a recording has them
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "adapters/web/foxglove_desk.h"
#include "adapters/web/foxglove_scene.h"
#include "record/foxglove/transforms.h"
#include "roles/entity_details.h"
#include "run/sample_frames.h"
#include "world/setup.h"
#include "world/world.h"

namespace convoy::web {

inline constexpr std::size_t kMostPoses = 200;                           // robots with a channel for their pose
inline constexpr std::size_t kMostSensors = 500;                         // sensors with a channel
inline constexpr Duration kSampleEvery = std::chrono::milliseconds(33);  // simulated; of one sensor, about

class FoxgloveFeed {
 public:
  // Has the work done where the desk lives, in order.
  using Post = std::function<void(std::function<void(FoxgloveDesk&)>)>;
  explicit FoxgloveFeed(Post post) : post_(std::move(post)) {}

  // A run has begun; `version` is this program's, for people.
  void begin(const Setup& setup, const World& world, const std::string& version);
  void want(const std::set<std::string>& topics);
  // Of which sensors samples are wanted, by robot and name; if these are others than at the last call.
  std::optional<std::vector<SensorChoice>> take_watched();
  // A Samples frame of the server. False: it makes no sense.
  bool take(ByteView payload, const World& world);
  // The world as it is at that instant of the run.
  void look(const World& world, Instant at, std::uint32_t run);
  void set_run(bool paused, double speed);

 private:
  void follow(const World& world, Instant at);
  void tell_channels(const World& world);
  void tell_scene(const World& world, Instant at);
  void tell_frames(const World& world, Instant at);
  void tell_poses(const World& world, Instant at);
  void tell(const World& world, const SampleCollector::Whole& sample);
  void log(Instant at, const std::string& text);

  Post post_;
  std::set<std::string> wanted_;
  Categories categories_;
  FoxgloveScene scene_;
  bool has_map_ = false, anew_ = true, follows_ = false;  // follows_: the scene is up to date
  std::optional<std::uint64_t> structure_;
  std::uint32_t run_ = 0;
  std::map<WorldNumber, std::string> names_;                 // of all entities, at the last look
  std::vector<std::pair<WorldNumber, std::string>> robots_;  // that have a channel for their pose
  std::map<std::string, std::string> sensors_;               // "robot/sensor", by the topics with what it shows
  std::set<std::string> watched_;                            // of these
  bool watch_anew_ = true;
  SampleCollector samples_;
  std::vector<FrameTransform> transforms_;
  Instant last_time_{};
  bool paused_ = false;
};

}  // namespace convoy::web
