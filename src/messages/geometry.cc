#include "messages/geometry.h"

#include <limits>

#include "core/pose.h"

namespace convoy::ros {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

template <class Message>
Vec3 vector_of(const Message& m) {
  return {m.x, m.y, m.z};
}

}  // namespace

builtin_interfaces::msg::Time stamp_of(Instant t) {
  using Seconds = std::numeric_limits<std::int32_t>;
  std::int64_t seconds = nanos(t) / kSecond, rest = nanos(t) % kSecond;
  if (rest < 0) --seconds, rest += kSecond;
  builtin_interfaces::msg::Time out;
  if (seconds > Seconds::max()) out.sec = Seconds::max(), out.nanosec = std::numeric_limits<std::uint32_t>::max();
  else if (seconds < Seconds::min()) out.sec = Seconds::min(), out.nanosec = 0;
  else out.sec = static_cast<std::int32_t>(seconds), out.nanosec = static_cast<std::uint32_t>(rest);
  return out;
}

Instant instant_of(const builtin_interfaces::msg::Time& stamp) { return instant(stamp.sec * kSecond + stamp.nanosec); }

geometry_msgs::msg::Pose message_of(const Pose& X) {
  geometry_msgs::msg::Pose out;
  put(X.p, out.position), put(X.q, out.orientation);
  return out;
}

geometry_msgs::msg::Twist message_of(const Twist& V) {
  geometry_msgs::msg::Twist out;
  put(V.v, out.linear), put(V.w, out.angular);
  return out;
}

Pose pose_of(const geometry_msgs::msg::Pose& message) {
  const auto& q = message.orientation;
  return {vector_of(message.position), unit(Quat{q.w, q.x, q.y, q.z})};
}

Twist twist_of(const geometry_msgs::msg::Twist& message) {
  return {vector_of(message.linear), vector_of(message.angular)};
}

geometry_msgs::msg::TransformStamped transform_of(const FramePair& frames, const Pose& X_PC, Instant stamp) {
  geometry_msgs::msg::TransformStamped out;
  out.header.stamp = stamp_of(stamp), out.header.frame_id = frames.parent, out.child_frame_id = frames.child;
  put(X_PC.p, out.transform.translation), put(X_PC.q, out.transform.rotation);
  return out;
}

}  // namespace convoy::ros
