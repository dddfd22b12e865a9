#include "apps/tf_source.h"

#include "apps/prepare.h"
#include "apps/ros2_room.h"

namespace convoy::apps {

int listen_ros2(const Arguments& a, const TakeFrames& take, const std::function<bool()>& enough) {
  int code = kOk;
  const auto room = Ros2Room::enter(a, code);
  if (!room) return code;
  const auto type = ros::TypeSupport::of<tf2_msgs::msg::TFMessage>();
  const std::string topic = Ros2Room::full(a.look.tf_topic);
  std::unique_ptr<ros2::Subscription> made[2];
  for (const bool is_static : {false, true}) {
    const ros2::Qos qos{.transient_local = is_static, .depth = 1000};
    auto one = room->node().subscription(
        topic + (is_static ? "_static" : ""), type, qos, [&, is_static](const ros2::Received& sample) {
          if (const auto message = ros2::message_in<tf2_msgs::msg::TFMessage>(room->domain(), sample.cdr))
            take(*message, is_static, room->domain().graph().node_of(sample.writer));
        });
    if (!one) return complain(one.error().message(), kUsage);
    made[is_static ? 1 : 0] = std::move(*one);
  }
  (void)room->wait(1e9, enough);
  return room->interrupted() ? kInterrupted : kOk;
}

}  // namespace convoy::apps
