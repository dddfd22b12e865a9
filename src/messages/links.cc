#include "messages/links.h"

#include <optional>

#include "core/pose.h"
#include "messages/geometry.h"

namespace convoy::ros {

std::vector<LinkFrame> link_frames(const Shapes& shapes, const std::string& base) {
  // The frame in which each link is, and where in it; nothing: it is not of the robot.
  struct Home {
    std::string frame;
    Pose X_HL;
    Pose X_BH;          // of the frame in the base
    bool still = true;  // the link, in that frame
  };
  std::vector<std::optional<Home>> homes;
  std::vector<LinkFrame> out;
  for (std::uint32_t i = 0; i < shapes.links.size(); ++i) {
    const Link& link = shapes.links[i];
    std::optional<Home> on;
    switch (link.base) {
      case Link::Base::kLink: on = homes[link.parent]; break;
      case Link::Base::kRobot: on = Home{base, {}, {}}; break;
      case Link::Base::kPlace:
        if (shapes.fixed_base) on = Home{base, {}, {}};
        break;
      case Link::Base::kFree: break;
    }
    homes.emplace_back();
    if (!on) continue;
    LinkFrame frame{.link = i, .parent = on->frame, .X_PL = on->X_HL * link.X_PL};
    frame.X_PL.q = unit(frame.X_PL.q);
    const Pose X_BL = on->X_BH * frame.X_PL;
    frame.is_base = link.name == base || link.base == Link::Base::kPlace;
    if (frame.is_base) frame.parent = base, frame.X_PL = X_BL;
    frame.still = on->still && link.joints.empty();
    homes.back() = frame.is_base ? Home{base, X_BL, {}, frame.still} : Home{link.name, {}, X_BL, true};
    out.push_back(std::move(frame));
  }
  return out;
}

std::vector<LinkFrame> links_that(bool move, std::vector<LinkFrame> frames) {
  std::erase_if(frames, [&](const LinkFrame& frame) { return frame.is_base || frame.still == move; });
  return frames;
}

tf2_msgs::msg::TFMessage link_transforms(const Shapes& shapes, std::span<const double> joints,
                                         const RobotFrames& frames, Instant stamp) {
  return link_transforms(shapes, link_frames(shapes, frames.base), joints, frames, stamp);
}

tf2_msgs::msg::TFMessage link_transforms(const Shapes& shapes, std::span<const LinkFrame> links,
                                         std::span<const double> joints, const RobotFrames& frames, Instant stamp) {
  std::vector<Pose> X_RL;
  place_links(shapes, {.X_WR = {}, .X_WF = {}, .joints = joints}, X_RL);
  tf2_msgs::msg::TFMessage out;
  for (const LinkFrame& frame : links) {
    if (frame.is_base) continue;
    const Link& link = shapes.links[frame.link];
    const bool on_base = frame.parent == frames.base;
    const Pose X_PL = on_base ? X_RL[frame.link] : X_RL[link.parent].inverse() * X_RL[frame.link];
    out.transforms.push_back(
        transform_of({.parent = frames.full(frame.parent), .child = frames.full(link.name)}, X_PL, stamp));
  }
  return out;
}

}  // namespace convoy::ros
