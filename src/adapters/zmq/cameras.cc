#include "adapters/zmq/cameras.h"

#include <fmt/format.h>

#include <algorithm>

namespace convoy::zmq {

// Those of robots that have left make room first.
void Cameras::keep_up(const control::Roster& roster) {
  std::erase_if(cameras_, [&](const auto& one) {
    if (roster.find(one.first)) return false;
    for (const Camera& camera : one.second) places_.erase(camera.place);
    return true;
  });
  for (const control::RobotEntry& robot : roster.all())
    if (cameras_.count(robot.number) == 0) cameras_.emplace(robot.number, open(robot));
}

std::vector<Cameras::Camera> Cameras::open(const control::RobotEntry& robot) {
  std::vector<Camera> out;
  for (const control::RobotEntry::Camera& of_robot : robot.cameras) {
    Camera camera;
    for (int place = kCameraPort; place < kBlock && !camera.socket; ++place) {
      if (place == kCallsPort || places_.count(place) > 0) continue;
      SocketOptions options = block_.socket(SocketOptions::Kind::kPublish, place);
      options.queue = 1;                            // pictures are large, and old ones of no use
      auto made = Socket::open(context_, options);  // on a port that is taken: the next one
      if (!made) continue;
      camera.socket = std::make_unique<Socket>(std::move(*made));
      camera.place = place;
      places_.insert(place);
    }
    if (!camera.socket) {
      log_.line(LogLevel::kWarn,
                fmt::format("ZeroMQ: no port left for the camera '{}' of '{}'", of_robot.name, robot.name));
      break;
    }
    camera.told = {.name = of_robot.name,
                   .topic = camera_topic(robot.name, of_robot.name),
                   .endpoint = block_.address(camera.place),
                   .width = of_robot.model.width,
                   .height = of_robot.model.height,
                   .shows = shown_by(of_robot.model)};
    out.push_back(std::move(camera));
  }
  return out;
}

void Cameras::take_subscriptions() {
  for (auto& [robot, cameras] : cameras_)
    for (Camera& camera : cameras)
      if (camera.subscriptions.take(*camera.socket)) camera.wanted = camera.subscriptions.cover(camera.told.topic);
}

std::vector<CameraPlace> Cameras::places_of(WorldNumber robot) const {
  std::vector<CameraPlace> out;
  const auto it = cameras_.find(robot);
  if (it == cameras_.end()) return out;
  for (const Camera& camera : it->second) out.push_back(camera.told);
  return out;
}

const Cameras::Camera* Cameras::find(WorldNumber robot, std::string_view camera) const {
  const auto of_robot = cameras_.find(robot);
  if (of_robot == cameras_.end()) return nullptr;
  const auto& all = of_robot->second;
  const auto at = std::find_if(all.begin(), all.end(), [&](const Camera& c) { return c.told.name == camera; });
  return at == all.end() ? nullptr : &*at;
}

Cameras::Camera* Cameras::find(WorldNumber robot, std::string_view camera) {
  return const_cast<Camera*>(static_cast<const Cameras*>(this)->find(robot, camera));
}

std::optional<CameraPlace> Cameras::stream(const CameraName& name, std::optional<bool> on) {
  Camera* camera = find(name.robot, name.sensor);
  if (!camera) return {};
  if (on) camera->told.on = *on;
  return camera->told;
}

bool Cameras::takes(WorldNumber robot, const SensorSpec& sensor, const DueSample&) const {
  const Camera* camera = find(robot, sensor.name);
  return camera && camera->wanted && camera->told.on;
}

void Cameras::took(WorldNumber robot, const SensorSpec& sensor, const Sample& sample, Instant) {
  if (Camera* camera = find(robot, sensor.name)) send(*camera, sample);
}

void Cameras::send(Camera& camera, const Sample& sample) {
  const auto* picture = std::get_if<CameraReading>(&sample.data);
  if (!picture) return;
  PictureStamp stamp{.index = sample.index, .simulated = seconds(sample.at)};
  if (options_.unix_time) stamp.captured = options_.unix_time();
  put_picture(payload_, options_.header, stamp, *picture);
  camera.socket->send(camera.told.topic, payload_);
  ++counters_.published;
}

void Cameras::repeat(const Fleet& fleet) {
  if (fleet.ahead()) return;
  std::vector<CameraName> wanted;
  std::vector<Camera*> cameras;
  for (auto& [robot, all] : cameras_)
    for (Camera& camera : all)
      if (camera.wanted && camera.told.on) wanted.push_back({robot, camera.told.name}), cameras.push_back(&camera);
  if (wanted.empty()) return;
  const std::vector<Result<Sample>> seen = pictures_of(fleet, wanted);
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (seen[i]) send(*cameras[i], *seen[i]);
}

}  // namespace convoy::zmq
