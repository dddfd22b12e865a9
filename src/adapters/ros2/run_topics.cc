#include "adapters/ros2/run_topics.h"

#include <rosgraph_msgs/msg/clock.hpp>

#include "messages/geometry.h"
#include "messages/map.h"
#include "shapes/slice.h"
#include "world/world_model.h"

namespace convoy::ros2 {

namespace {

using rosgraph_msgs::msg::Clock;

constexpr double kMapHeight = 0.2;  // m; as convoy map draws them where it is asked for no other

}  // namespace

RunTopics::RunTopics(DoorHere& here, Node& node) : here_(here), node_(node) { listen(); }

void RunTopics::listen() {
  const auto hears = [this](const Received& sample) {
    if (!here_.domain.ours(sample.writer)) return;
    if (const auto clock = message_in<Clock>(here_.domain, sample.cdr)) heard_ = ros::instant_of(clock->clock);
  };
  if (auto made = node_.subscription("/clock", ros::TypeSupport::of<Clock>(), kLatched, hears))
    others_ = std::move(*made);
}

void RunTopics::open(const std::string& place) {
  if (place == kRoot) others_.reset();
  if (place == kRoot && heard_) catches_up_ = here_.now + kCatchesUp;
  Place& at = places_[place];
  if (auto made = node_.publisher(place + "clock", ros::TypeSupport::of<Clock>(), kLatched))
    at.clock = std::move(*made);
  if (here_.fleet->world().map().empty()) return;
  auto made = node_.publisher(place + "map", ros::TypeSupport::of<nav_msgs::msg::OccupancyGrid>(), kLatched);
  if (!made) return;
  at.map = std::move(*made);
  ros2::publish(*at.map, ros::occupancy_grid_of(map(), Instant{} + clock_start(*here_.fleet)));
}

// The world's map; of an MJCF world what its shapes make of it at a height, instead of boxes around them.
const MapData& RunTopics::map() {
  const World& world = here_.fleet->world();
  Scenery scenery = scenery_of(setup_of(*here_.fleet), world.model(kWorldModel));
  scenery.map = &world.map().data();
  if (scenery.world && !drawn_)
    if (auto drawn = map_of_scene(scenery, world.files(), kMapHeight, 0)) drawn_ = std::move(*drawn);
  return drawn_ ? *drawn_ : world.map().data();
}

void RunTopics::close(const std::string& place) {
  if (places_.erase(place) > 0 && place == kRoot) listen();
}

bool RunTopics::may_say_at_root(Instant stamp) const {
  return !doubt_ && stamp >= heard_.value_or(stamp) && (!catches_up_ || here_.now >= *catches_up_);
}

void RunTopics::say(Instant stamp) {
  last_ = stamp;
  Clock message;
  message.clock = ros::stamp_of(stamp);
  for (const auto& [place, at] : places_) {
    if (!at.clock || (place == kRoot && !may_say_at_root(stamp))) continue;
    if (at.clock->wanted()) ros2::publish(*at.clock, message);
    else at.clock->forget();  // it is latched, and who comes next must not begin in the past
  }
}

}  // namespace convoy::ros2
