// The links of a robot as frames of ROS, which hang on one another and at last on its base.
//
// A frame has its link's name. These are no frames of their own: a link of the base's name and the world of a file with a
// fixed base, which are the base; what stands or moves freely beside the robot (Link::Base::kPlace, kFree) and what hangs
// on that, which is left out. A link of the base's name is taken to stand still in it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tf2_msgs/msg/tf_message.hpp>
#include <vector>

#include "convoy/time.h"
#include "messages/frames.h"
#include "shapes/shapes.h"

namespace convoy::ros {

// Where a link is, with each joint at its zero.
struct LinkFrame {
  std::uint32_t link = 0;  // of Shapes::links
  bool is_base = false;    // its frame is the base's, in which it is
  bool still = false;      // it never moves in its parent
  std::string parent;      // frame
  Pose X_PL;               // in that
};
// In the order of the links: parents first. `base`: the name of the base's frame.
std::vector<LinkFrame> link_frames(const Shapes& shapes, const std::string& base);

// Of those links that do or do not move in their parents, which are none of the base's frame.
std::vector<LinkFrame> links_that(bool move, std::vector<LinkFrame> frames);

// For /tf: each of these frames in its parent where the robot's joints are at these numbers (world/model.h: the first half of its
// tail, or all of it): what a robot_state_publisher makes of the joints, and what it cannot, such as ball joints.
tf2_msgs::msg::TFMessage link_transforms(const Shapes& shapes, std::span<const LinkFrame> links,
                                         std::span<const double> joints, const RobotFrames& frames, Instant stamp);
// The same, of all links.
tf2_msgs::msg::TFMessage link_transforms(const Shapes& shapes, std::span<const double> joints,
                                         const RobotFrames& frames, Instant stamp);

}  // namespace convoy::ros
