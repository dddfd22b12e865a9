#include "adapters/web/foxglove_feed.h"

#include "record/foxglove/geometry.h"
#include "record/foxglove/grid.h"
#include "record/recording.h"

namespace convoy::web {

namespace {

constexpr std::size_t kTransformsInOne = 10'000;
constexpr const char* kLog = "/log";
constexpr std::size_t kMostNamedInLog = 20;  // that come or go at once and are named one by one

using Schema = std::shared_ptr<const ChannelSchema>;

Schema schema(FoxgloveMessage message) { return std::make_shared<const ChannelSchema>(schema_of(message)); }
SharedBytes shared(Bytes bytes) { return std::make_shared<const Bytes>(std::move(bytes)); }
std::uint64_t time_of(Instant at) { return static_cast<std::uint64_t>(nanos(at)); }

Bytes pose_message(Instant at, const Pose& X_WR) {
  Bytes out;
  Proto p(out);
  put_time(p, 1, at), p.text(2, "world"), put_pose(p, 3, X_WR);
  return out;
}

}  // namespace

void FoxgloveFeed::begin(const Setup& setup, const World& world, const std::string& version) {
  nlohmann::json facts{{"name", setup.name}, {"seed", std::to_string(setup.seed)}, {"version", version}};
  post_([facts](FoxgloveDesk& desk) { desk.begin(facts); });
  has_map_ = !world.map().empty();
  structure_.reset(), names_.clear(), anew_ = true, follows_ = false;
  scene_.begin(setup);
  if (!has_map_) return;
  Bytes grid;
  encode_grid(Instant{}, world.map().data(), grid);
  post_([map = shared(std::move(grid))](FoxgloveDesk& desk) { desk.publish(topic::kMap, 0, map, true); });
}

void FoxgloveFeed::want(const std::set<std::string>& topics) {
  wanted_ = topics;
  anew_ = true;                                           // somebody more gets what others have
  if (!wanted_.contains(topic::kScene)) scene_.forget();  // as the desk does
}

void FoxgloveFeed::set_run(bool paused, double speed) {
  post_([paused, speed](FoxgloveDesk& desk) { desk.clerk().set_run(paused, speed); });
  if (std::exchange(paused_, paused) != paused) log(last_time_, paused ? "paused" : "goes on");
}

void FoxgloveFeed::look(const World& world, Instant at, std::uint32_t run) {
  if (std::exchange(run_, run) != run) structure_.reset();
  if (structure_ != world.structure_hash()) follow(world, at);
  const bool scene = wanted_.contains(topic::kScene);
  if ((scene || wanted_.contains(topic::kTransforms)) && !std::exchange(follows_, true)) scene_.follow(world);
  if (scene) tell_scene(world, at);
  const bool anew = std::exchange(anew_, false);
  if (at == last_time_ && !anew) return;
  last_time_ = at;
  post_([time = time_of(at)](FoxgloveDesk& desk) { desk.set_time(time); });
  if (wanted_.contains(topic::kTransforms)) tell_frames(world, at);
  tell_poses(world, at);
}

void FoxgloveFeed::follow(const World& world, Instant at) {
  const bool first = names_.empty();
  structure_ = world.structure_hash();
  follows_ = false;
  std::map<WorldNumber, std::string> now;
  std::vector<std::string> told;
  for (const Entity& entity : world.entities()) {
    if (!names_.contains(entity.number)) told.push_back(entity.name + " appeared");
    now[entity.number] = entity.name;
  }
  for (const auto& [number, name] : names_)
    if (!now.contains(number)) told.push_back(name + " is gone");
  names_ = std::move(now);
  tell_channels(world);
  if (first) return;
  for (std::size_t i = 0; i < std::min(told.size(), kMostNamedInLog); ++i) log(at, told[i]);
  if (told.size() > kMostNamedInLog) log(at, "and " + std::to_string(told.size() - kMostNamedInLog) + " more");
}

void FoxgloveFeed::tell_channels(const World& world) {
  std::vector<FoxgloveChannel> all{{topic::kScene, schema(FoxgloveMessage::kSceneUpdate), false, "", "", ""},
                                   {topic::kTransforms, schema(FoxgloveMessage::kFrameTransforms), true, "", "", ""},
                                   {kLog, schema(FoxgloveMessage::kLog), false, "", "", ""}};
  if (has_map_) all.push_back({topic::kMap, schema(FoxgloveMessage::kGrid), false, "", "", ""});
  const Schema pose = schema(FoxgloveMessage::kPoseInFrame);
  std::map<std::string, Schema> by_type;
  std::size_t sensors = 0;
  robots_.clear();
  for (const Entity& entity : world.entities()) {
    if (robots_.size() < kMostPoses && categories_.of(world, entity) == "robot") {
      robots_.emplace_back(entity.number, "/" + entity.name + "/pose");
      all.push_back({robots_.back().second, pose, true, entity.name, "", ""});
    }
    for (const SensorSpec& sensor : entity.kind->sensors) {
      const auto kind = kind_of_sensor(sensor.type);
      if (!kind || !sensor.library.empty() || sensors >= kMostSensors) continue;
      Schema& its = by_type[sensor.type];
      if (!its) its = std::make_shared<const ChannelSchema>(schema_of(*kind));
      std::string name = "/" + entity.name + "/" + sensor.name;
      if (sensor.name == "pose" && !robots_.empty() && robots_.back().second == name) continue;  // one topic of a name
      all.push_back({std::move(name), its, true, entity.name, sensor.name, sensor.type});
      ++sensors;
    }
  }
  post_([all = std::move(all)](FoxgloveDesk& desk) { desk.set_channels(all); });
}

void FoxgloveFeed::tell_scene(const World& world, Instant at) {
  FoxgloveSceneChange change = scene_.change(at, world);
  if (change.empty()) return;
  post_([time = time_of(at), change = std::move(change)](FoxgloveDesk& desk) { desk.change_scene(time, change); });
}

void FoxgloveFeed::tell_frames(const World& world, Instant at) {
  transforms_.clear();
  scene_.frames(world, wanted_, transforms_);
  for (std::size_t from = 0; from < transforms_.size(); from += kTransformsInOne) {
    Bytes bytes;
    const std::size_t count = std::min(kTransformsInOne, transforms_.size() - from);
    encode_frame_transforms(at, std::span(transforms_).subspan(from, count), bytes);
    post_([time = time_of(at), message = shared(std::move(bytes))](FoxgloveDesk& desk) {
      desk.publish(topic::kTransforms, time, message);
    });
  }
}

void FoxgloveFeed::tell_poses(const World& world, Instant at) {
  std::vector<std::pair<std::string, SharedBytes>> all;
  for (const auto& [number, name] : robots_)
    if (const Slot slot = world.slot_of(number); slot != kNoSlot && wanted_.contains(name))
      all.emplace_back(name, shared(pose_message(at, world.snapshot().state(slot).pose)));
  if (all.empty()) return;
  post_([time = time_of(at), all = std::move(all)](FoxgloveDesk& desk) {
    for (const auto& [name, message] : all) desk.publish(name, time, message);
  });
}

void FoxgloveFeed::log(Instant at, const std::string& text) {
  if (!wanted_.contains(kLog)) return;
  constexpr std::int64_t kInfo = 2;  // foxglove.Log's level
  Bytes bytes;
  Proto p(bytes);
  put_time(p, 1, at), p.integer(2, kInfo), p.text(3, text), p.text(4, "convoy");
  post_([time = time_of(at), message = shared(std::move(bytes))](FoxgloveDesk& desk) {
    desk.publish(kLog, time, message);
  });
}

}  // namespace convoy::web
