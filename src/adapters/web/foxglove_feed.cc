#include "adapters/web/foxglove_feed.h"

#include "record/foxglove/geometry.h"
#include "record/foxglove/grid.h"
#include "record/foxglove/readings.h"
#include "record/recording.h"
#include "record/scene_writer.h"

namespace convoy::web {

namespace {

constexpr std::size_t kTransformsInOne = 10'000;
constexpr const char* kLog = "/log";
constexpr std::size_t kMostNamedInLog = 20;  // that come or go at once and are named one by one

using Schema = std::shared_ptr<const ChannelSchema>;

Schema schema(FoxgloveMessage message) { return std::make_shared<const ChannelSchema>(schema_of(message)); }
SharedBytes shared(Bytes bytes) { return std::make_shared<const Bytes>(std::move(bytes)); }
std::uint64_t time_of(Instant at) { return static_cast<std::uint64_t>(nanos(at)); }

// Of a type of docs/sensors.md, with no values; nothing: a type of a user's library, which is not shown.
std::optional<SampleData> kind_of_sensor(const std::string& type) {
  const std::pair<const char*, SampleData> kinds[] = {{"scan", Scan{}},
                                                      {"points", Cloud{}},
                                                      {"range", RangeReading{}},
                                                      {"radar", RadarScan{}},
                                                      {"camera", CameraReading{}},
                                                      {"imu", ImuSample{}},
                                                      {"mag", MagneticReading{}},
                                                      {"fix", Fix{}},
                                                      {"pose", PoseReading{}},
                                                      {"odom", OdometryReading{}},
                                                      {"contact", Touches{}},
                                                      {"overlap", Overlaps{}},
                                                      {"joint_states", JointsReading{}},
                                                      {"battery", BatteryReading{}},
                                                      {"keyboard", KeysReading{}},
                                                      {"joy", StickReading{}},
                                                      {"mujoco", EngineReading{}}};
  for (const auto& [name, kind] : kinds)
    if (type == name) return kind;
  return std::nullopt;
}

// What a camera shows on topics behind its own.
std::vector<std::pair<std::string, FoxgloveMessage>> beside_camera(const SensorSpec& camera) {
  CameraModel model;
  if (!camera.parameters.empty() && !load(camera.parameters, model)) return {};
  std::vector<std::pair<std::string, FoxgloveMessage>> out{{"calibration", FoxgloveMessage::kCameraCalibration}};
  bool first = !model.color;
  for (const auto& [taken, name] :
       {std::pair(model.depth, "depth"), {model.numbers, "instances"}, {model.classes, "classes"}})
    if (taken && !std::exchange(first, false)) out.emplace_back(name, FoxgloveMessage::kCompressedImage);
  return out;
}

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
  watched_.clear(), samples_.clear(), watch_anew_ = true;
  scene_.begin(setup);
  if (!has_map_) return;
  Bytes grid;
  encode_grid(Instant{}, world.map().data(), grid);
  post_([map = shared(std::move(grid))](FoxgloveDesk& desk) { desk.publish(topic::kMap, 0, map, true); });
}

void FoxgloveFeed::want(const std::set<std::string>& topics) {
  wanted_ = topics;
  watch_anew_ = true;
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
  std::vector<FoxgloveChannel> all{{topic::kScene, schema(FoxgloveMessage::kSceneUpdate), false, ""},
                                   {topic::kTransforms, schema(FoxgloveMessage::kFrameTransforms), true, ""},
                                   {kLog, schema(FoxgloveMessage::kLog), false, ""}};
  if (has_map_) all.push_back({topic::kMap, schema(FoxgloveMessage::kGrid), false, ""});
  const Schema pose = schema(FoxgloveMessage::kPoseInFrame);
  std::map<std::string, Schema> by_type;
  std::size_t sensors = 0;
  robots_.clear(), sensors_.clear();
  watch_anew_ = true;
  for (const Entity& entity : world.entities()) {
    if (robots_.size() < kMostPoses && categories_.of(world, entity) == "robot") {
      robots_.emplace_back(entity.number, "/" + entity.name + "/pose");
      all.push_back({robots_.back().second, pose, true, entity.name});
    }
    for (const SensorSpec& sensor : entity.kind->sensors) {
      const auto kind = kind_of_sensor(sensor.type);
      if (!kind || !sensor.library.empty() || sensors >= kMostSensors) continue;
      Schema& its = by_type[sensor.type];
      if (!its) its = std::make_shared<const ChannelSchema>(schema_of(*kind));
      std::string name = "/" + entity.name + "/" + sensor.name;
      if (sensor.name == "pose" && !robots_.empty() && robots_.back().second == name) continue;  // one topic of a name
      const std::string its_name = entity.name + "/" + sensor.name;
      if (sensor.type == "camera")
        for (const auto& [what, message] : beside_camera(sensor)) {
          sensors_[name + "/" + what] = its_name;
          all.push_back({name + "/" + what, schema(message), true, entity.name});
        }
      sensors_[name] = its_name;
      all.push_back({std::move(name), its, true, entity.name});
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

std::optional<std::vector<SensorChoice>> FoxgloveFeed::take_watched() {
  if (!std::exchange(watch_anew_, false)) return {};
  std::set<std::string> now;
  for (const std::string& topic : wanted_)
    if (const auto known = sensors_.find(topic); known != sensors_.end() && now.size() < kMostSensors)
      now.insert(known->second);
  if (std::exchange(watched_, now) == now) return {};
  std::vector<SensorChoice> out;
  for (const std::string& name : now) out.push_back({name, kSampleEvery});
  return out;
}

bool FoxgloveFeed::take(ByteView payload, const World& world) {
  SamplePieces pieces;
  std::vector<SampleCollector::Whole> whole;
  if (!load(payload, pieces) || !samples_.take(pieces, whole)) return false;
  for (const SampleCollector::Whole& sample : whole) tell(world, sample);
  return true;
}

// What the viewer's world does not have yet, or any more, is not shown.
void FoxgloveFeed::tell(const World& world, const SampleCollector::Whole& sample) {
  const Slot slot = world.slot_of(sample.name.robot);
  if (slot == kNoSlot || sample.name.sensor >= world.entity(slot).kind->sensors.size()) return;
  const Entity& entity = world.entity(slot);
  const SensorSpec& spec = entity.kind->sensors[sample.name.sensor];
  const std::string topic = "/" + entity.name + "/" + spec.name, frame = sensor_frame(entity.name, spec);
  const ReadingHeader header{sample.at, frame};
  std::vector<std::pair<std::string, SharedBytes>> all;
  if (wanted_.contains(topic)) {
    Bytes message;
    encode(sample.data, header, message);
    all.emplace_back(topic, shared(std::move(message)));
  }
  for (Companion& more : companions_of(sample.data, header))
    if (wanted_.contains(topic + "/" + more.name))
      all.emplace_back(topic + "/" + more.name, shared(std::move(more.message)));
  post_([time = time_of(sample.at), all = std::move(all)](FoxgloveDesk& desk) {
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
