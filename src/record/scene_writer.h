// What viewers show of a recording: the map, the scene, what robots look like, and where all of it is.
//
//   /map     foxglove.Grid             the occupancy map, once
//   /scene   foxglove.SceneUpdate      the static scene in the frame "world"; of each entity's links those that are seen,
//                                      each fixed to its frame, or its robot's: as they come, and go
//   /tf      foxglove.FrameTransforms  entities in the frame "world", their links and recorded sensors in what they hang
//                                      on: frames "robot", "robot/link", "robot/sensor_link"
//
// Frames of links are rounded to a millionth (of a metre, or of a quaternion). A viewer that goes to some instant of a
// file takes the last message of each topic before it: so all frames stand in each /tf, and the scene is one message
// where it fits.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "record/foxglove/scene.h"
#include "record/foxglove/transforms.h"
#include "record/recording_writer.h"
#include "sensing/camera.h"
#include "shapes/shape_book.h"
#include "world/setup.h"
#include "world/world.h"

namespace convoy {

inline constexpr Duration kFramesEvery = std::chrono::milliseconds(100);  // of simulated time, unless asked otherwise

struct ViewDetail {
  enum class Scene : std::uint8_t {
    kNone,    // neither map nor scene
    kRigid,   // links are fixed to their robot's frame, in the posture in which it came
    kMoving,  // links have frames of their own
  };
  Scene scene = Scene::kMoving;
  std::optional<Duration> frames;  // of simulated time from one /tf to the next; nothing: as the recorder has it
  friend bool operator==(const ViewDetail&, const ViewDetail&) = default;
};

// Of a camera its optical frame, in which viewers want pictures.
inline std::string sensor_frame(const std::string& robot, const SensorSpec& sensor) {
  return robot + "/" + sensor.name + (sensor.type == "camera" ? "_optical_frame" : "_link");
}
// Where that is in the sensor's link.
inline Pose sensor_frame_pose(const SensorSpec& sensor) {
  return sensor.type == "camera" ? optical_frame(sensor.X_LS) : sensor.X_LS;
}

class SceneWriter {
 public:
  // The file outlives it. `frames`: if the detail leaves that open; 0: as often as it is told.
  SceneWriter(RecordingWriter& file, const Setup& setup, const ViewDetail& detail, Duration frames);

  // Of which sensors there are frames; before the first boundary.
  using Wanted = std::function<bool(const std::string& robot, const SensorSpec& sensor)>;
  void set_sensors(Wanted wanted) { wanted_ = std::move(wanted); }

  // What there is at an instant of the run, edits included.
  void follow(Instant now, const World& world);
  // Where it is, if that is due, after follow(). `X_WR`: by slot; none: as in the world.
  void place(Instant now, const World& world, std::span<const Pose> X_WR = {});

 private:
  // An entity with links that have frames.
  struct Figure {
    struct Sensor {
      std::string frame, parent;
      Pose X_PS;
    };
    std::shared_ptr<const Model> model;
    std::shared_ptr<const EntityKind> kind;
    std::shared_ptr<const Shapes> shapes;
    std::vector<std::string> frames;  // of its links
    std::vector<Sensor> sensors;
    bool there = false;
  };

  void write_map(Instant now, const World& world);
  void add_scene(Instant now, const World& world);
  static bool is_of(const Figure& figure, const Entity& entity, const std::shared_ptr<const Model>& model);
  Figure make(const Entity& entity, const World& world);
  void add(const Figure& figure, const Entity& entity, Instant now, const World& world);
  void remove(const Figure& figure, Instant now);
  void put(std::string_view id, std::string_view frame, const Shapes& shapes, std::span<const PlacedShape> placed,
           Instant now);
  bool moving() const { return detail_.scene == ViewDetail::Scene::kMoving || wanted_; }
  void send(Instant now);
  void place(const Figure& figure, const Entity& entity, const Pose& X_WR, std::span<const double> joints);

  RecordingWriter& file_;
  ViewDetail detail_;
  std::vector<BoxShape> boxes_;
  std::vector<CylinderShape> cylinders_;
  std::optional<RecordingWriter::Line> map_line_, scene_line_;
  RecordingWriter::Line frames_line_;
  Wanted wanted_;
  SceneLimits limits_;
  ShapeBook book_;
  std::optional<SceneUpdate> update_;
  std::map<std::string, Figure> figures_;  // by the entity's name
  std::vector<const Figure*> by_slot_;
  std::optional<std::uint64_t> structure_;  // of the world that these are of
  std::uint64_t due_ns_ = 0;
  std::vector<FrameTransform> transforms_;
  std::vector<Pose> X_WL_;
  Bytes scratch_;
};

}  // namespace convoy
