#include "adapters/ros2/robot_obstacles.h"

#include "adapters/ros2/door_here.h"
#include "core/pose.h"
#include "messages/map.h"
#include "world/world_model.h"

namespace convoy::ros2 {

namespace {

Obstacle placed(const std::shared_ptr<const ObstacleLooks::Look>& look, const Posture& posture, const Pose& X_FW) {
  std::vector<Pose> X_WL;
  place_links(*look->shapes, posture, X_WL);
  Obstacle out{X_FW * posture.X_WR, {}, look};
  const Pose X_OW = posture.X_WR.inverse();
  for (const ObstaclePart& part : look->parts) out.X_OP.push_back(X_OW * X_WL[part.link] * part.X_LP);
  return out;
}

bool carries(const World& world, WorldNumber robot, const Entity& entity) {
  for (WorldNumber at = entity.parent; at != kNoEntity;) {
    if (at == robot) return true;
    const Slot slot = world.slot_of(at);
    at = slot == kNoSlot ? kNoEntity : world.entity(slot).parent;
  }
  return false;
}

}  // namespace

std::unique_ptr<RobotObstacles> RobotObstacles::make(DoorHere& here, Node& node, WorldNumber robot, std::string frame) {
  const ObstacleTopics& asked = here.settings.obstacles;
  if (!asked.planning_scene && !asked.markers && !asked.points) return nullptr;
  std::unique_ptr<RobotObstacles> out(new RobotObstacles(here, robot, std::move(frame)));
  const auto open = [&](bool wanted, const char* topic, const ros::TypeSupport& type) {
    if (!wanted) return std::unique_ptr<Publisher>();
    auto made = node.publisher(topic, type);
    if (made) return std::move(*made);
    here.log.line(LogLevel::kWarn, "ROS 2: " + made.error().message());
    return std::unique_ptr<Publisher>();
  };
  out->scene_ = open(asked.planning_scene, "planning_scene", ros::TypeSupport::of<moveit_msgs::msg::PlanningScene>());
  out->markers_ = open(asked.markers, "obstacles", ros::TypeSupport::of<visualization_msgs::msg::MarkerArray>());
  out->points_ = open(asked.points, "obstacle_points", ros::TypeSupport::of<sensor_msgs::msg::PointCloud2>());
  return out;
}

// Somebody has come, or has a while ago.
bool RobotObstacles::tells_all() {
  const std::size_t before = std::exchange(listeners_, 0);
  for (const auto* one : {&scene_, &markers_, &points_})
    if (*one) listeners_ += (*one)->matched();
  const bool more = listeners_ > before;
  if (more) repeats_ = 3;
  if (repeats_ == 0 || (!more && here_.now < repeat_at_)) return false;
  --repeats_, repeat_at_ = here_.now + kToldAgain;
  return true;
}

Obstacles RobotObstacles::around() const {
  const World& world = here_.fleet->world();
  const Slot own = world.slot_of(robot_);
  const Pose X_WR = world.snapshot().state(own).pose, X_FW = frame_.empty() ? Pose() : X_WR.inverse();
  Obstacles out;
  Scenery scenery = scenery_of(setup_of(*here_.fleet), world.model(kWorldModel));
  scenery.map = &world.map().data();
  if (const auto look = here_.obstacles.of_scene(scenery, world.files())) out[kWorldObstacle] = placed(look, {}, X_FW);
  for (Slot slot : SlotRange(world.entities().size())) {
    const Entity& entity = world.entity(slot);
    const State& state = world.snapshot().state(slot);
    if (slot == own || norm(state.pose.p - X_WR.p) > kObstacleReach || carries(world, robot_, entity)) continue;
    const auto look = here_.obstacles.of(here_.shapes, world.models()[entity.model], world.files());
    if (!look) continue;
    const Posture posture{state.pose, file_frame(*look->shapes, state.pose, entity.pose), world.snapshot().tail(slot)};
    out[entity.name] = placed(look, posture, X_FW);
  }
  return out;
}

void RobotObstacles::tell(Instant now, bool rests) {
  const bool all = tells_all();
  if (listeners_ == 0) return;
  if (!all && !rests && now < next_) return;
  next_ = now + kObstaclePeriod;
  Obstacles obstacles = around();
  const Obstacles none;
  const Obstacles& known = all ? none : told_;
  ObstacleChanges changes = changes_of(known, obstacles);
  for (const auto& [name, obstacle] : told_)
    if (all && !obstacles.count(name)) changes.gone.push_back(name);
  if (changes.empty()) return;
  const std::string frame = frame_.empty() ? ros::kMapFrame : frame_;
  const Instant stamp = now + clock_start(*here_.fleet);
  if (scene_ && scene_->wanted()) publish(*scene_, planning_scene_of(changes, frame, stamp));
  if (markers_ && markers_->wanted()) publish(*markers_, markers_of(changes, told_, frame, stamp));
  if (points_ && points_->wanted()) publish(*points_, points_of(obstacles, frame, stamp));
  for (const std::string& name : changes.gone) told_.erase(name);
  for (const auto* some : {&changes.made, &changes.moved})
    for (const auto& [name, obstacle] : *some) told_[name] = *obstacle;
}

}  // namespace convoy::ros2
