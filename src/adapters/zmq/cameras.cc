#include "adapters/zmq/cameras.h"

#include <fmt/format.h>

#include "adapters/zmq/test_pattern.h"

namespace convoy::zmq {

// Those of robots that have left make room first.
void Cameras::follow(const control::Roster& roster) {
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
  for (const std::string& name : robot.panel.cameras) {
    Camera camera;
    camera.name = name, camera.topic = robot.name + "/camera/" + name + " ";
    for (int place = first_; place < kBlock && !camera.socket; ++place) {
      if (place == taken_ || places_.count(place) > 0) continue;
      SocketOptions options = block_.socket(SocketOptions::Kind::kPublish, place);
      options.queue = 1;                            // pictures are large, and old ones of no use
      auto made = Socket::open(context_, options);  // on a port that is taken: the next one
      if (!made) continue;
      camera.socket = std::make_unique<Socket>(std::move(*made));
      camera.place = place;
      places_.insert(place);
    }
    if (!camera.socket) {
      log_.line(LogLevel::kWarn, fmt::format("ZeroMQ: no port left for the camera '{}' of '{}'", name, robot.name));
      break;
    }
    out.push_back(std::move(camera));
  }
  return out;
}

std::vector<CameraPlace> Cameras::places_of(WorldNumber robot) const {
  std::vector<CameraPlace> out;
  const auto it = cameras_.find(robot);
  if (it == cameras_.end()) return out;
  for (const Camera& camera : it->second) out.push_back({camera.name, block_.address(camera.place)});
  return out;
}

void Cameras::show() {
  bool made = false;
  for (auto& [robot, cameras] : cameras_)
    for (Camera& camera : cameras) {
      (void)camera.subscriptions.take(*camera.socket);
      if (!camera.subscriptions.cover(camera.topic)) continue;
      if (!made) put_test_pattern(picture_, pictures_++);
      made = true;
      camera.socket->send(camera.topic, picture_);
      ++counters_.published;
    }
}

}  // namespace convoy::zmq
