// Calls about cameras: what they show, and which streams are on.
#include <set>

#include "adapters/zmq/articulation.h"
#include "adapters/zmq/operations.h"
#include "core/json_fields.h"
#include "core/nearest.h"

namespace convoy::zmq {

using control::RobotEntry;

Json show(const CameraReading& picture) {
  Json out{{"lens", Json::parse(to_json(picture.lens))}};
  const auto bytes = [](const auto& values) {
    const auto* from = reinterpret_cast<const std::uint8_t*>(values.data());
    return Json::binary(std::vector<std::uint8_t>(from, from + values.size() * sizeof values[0]));
  };
  if (!picture.color.empty()) out["color"] = bytes(picture.color);
  if (!picture.depth.empty()) out["depth"] = bytes(picture.depth);
  if (!picture.numbers.empty()) out["numbers"] = bytes(picture.numbers);
  if (!picture.classes.empty()) out["classes"] = bytes(picture.classes);
  return out;
}

namespace {

// Those of these robots that have that name, "camera" or "robot/camera".
Checked<std::vector<CameraName>> cameras_named(const Call& call, std::span<const WorldNumber> robots,
                                               const std::string& wanted) {
  std::vector<CameraName> out;
  std::vector<std::string> known;
  for (WorldNumber number : robots) {
    const RobotEntry* robot = call.control.roster().find(number);
    if (!robot) continue;
    for (const RobotEntry::Camera& camera : robot->cameras) {
      known.push_back(robot->name + "/" + camera.name);
      if (wanted == camera.name || wanted == known.back()) out.push_back({number, camera.name});
    }
  }
  if (!out.empty()) return out;
  const std::string near = nearest_name(wanted, known);
  return refuse("bad_value", "no robot of this session has a camera '" + wanted.substr(0, 140) + "'" +
                                 (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

}  // namespace

Checked<std::vector<CameraName>> read_cameras(const Call& call, std::span<const WorldNumber> robots) {
  std::vector<CameraName> out;
  const Json* field = field_of(call.request, "include_cameras");
  if (!field) return out;
  if (field->is_boolean()) {
    if (!field->get<bool>()) return out;
    for (WorldNumber number : robots)
      if (const RobotEntry* robot = call.control.roster().find(number))
        for (const RobotEntry::Camera& camera : robot->cameras) out.push_back({number, camera.name});
    return out;
  }
  if (!field->is_array()) return refuse("bad_value", "include_cameras is true, false or a list of names");
  std::set<std::string> named;  // each once: a request has room for a hundred thousand times the same picture
  for (const Json& name : *field) {
    if (!name.is_string()) return refuse("bad_value", "include_cameras is true, false or a list of names");
    if (!named.insert(name.get<std::string>()).second)
      return refuse("bad_value", "the camera '" + name.get<std::string>().substr(0, 140) + "' is named twice");
    auto some = cameras_named(call, robots, name.get<std::string>());
    if (!some) return tl::unexpected(some.error());
    out.insert(out.end(), some->begin(), some->end());
  }
  return out;
}

Checked<Json> pictures(control::ControlCore& control, const Fleet& fleet, std::span<const CameraName> cameras) {
  Json out = Json::object();
  const std::vector<Result<Sample>> seen = pictures_of(fleet, cameras);
  for (std::size_t i = 0; i < cameras.size(); ++i) {
    const RobotEntry* robot = control.roster().find(cameras[i].robot);
    if (!robot) continue;
    if (!seen[i]) return refuse("not_ready", robot->name + "/" + cameras[i].sensor + ": " + seen[i].error().message());
    Json one{{"index", seen[i]->index}, {"stamp_ns", nanos(seen[i]->at)}};
    one.update(show(std::get<CameraReading>(seen[i]->data)));
    out[robot->name][cameras[i].sensor] = std::move(one);
  }
  return out;
}

void set_camera_streaming(Call& call) {
  const Json* wanted = field_of(call.request, "cameras");
  if (!wanted || !wanted->is_object())
    return call.reply.refuse({"missing_field", "set_camera_streaming has a map cameras"});
  std::vector<WorldNumber> all;
  for (const RobotEntry& robot : call.control.roster().all()) all.push_back(robot.number);
  struct Switch {
    CameraName camera;
    std::optional<bool> on;
  };
  std::vector<Switch> switches;
  for (const auto& [name, value] : wanted->items()) {
    const Json* on = value.is_object() ? field_of(value, "zmq") : &value;
    if (on && !on->is_boolean())
      return call.reply.refuse({"bad_value", "of each camera it says true or false, or {zmq: true or false}"});
    auto cameras = cameras_named(call, all, name);
    if (!cameras) return call.reply.refuse(cameras.error());
    for (CameraName& camera : *cameras)
      switches.push_back({std::move(camera), on ? std::optional(on->get<bool>()) : std::nullopt});
  }
  Json out = Json::object();
  for (const Switch& one : switches) {
    const RobotEntry* robot = call.control.roster().find(one.camera.robot);
    const auto place = call.options.stream_camera ? call.options.stream_camera(one.camera, one.on) : std::nullopt;
    if (!robot || !place) continue;  // it has no port
    out[robot->name + "/" + one.camera.sensor] = {
        {"endpoint", place->endpoint}, {"topic", place->topic},   {"zmq", place->on},
        {"width", place->width},       {"height", place->height}, {"shows", name_of(place->shows)}};
  }
  call.reply.ok({{"cameras", std::move(out)}});
}

}  // namespace convoy::zmq
