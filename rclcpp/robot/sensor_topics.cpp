#include "sensor_topics.hpp"

#include <algorithm>

#include "core/check.h"
#include "messages/frames.h"
#include "messages/samples.h"

namespace convoy::ros {

template <class Kind>
void SensorTopics::open(rclcpp::Node& node, One& one) {
  using Message = typename Kind::Message;
  auto publisher = node.create_publisher<Message>(one.name, rclcpp::SystemDefaultsQoS());
  one.topics = {&publisher->kernel().topic()};
  EXPECTS(one.topics.front()->type().name() == one.type->message);
  one.publish = [publisher](const Sample& sample, const Heading& heading) {
    const auto* data = std::get_if<typename Kind::Data>(&sample.data);
    if (!data) return;
    auto message = std::make_unique<Message>();
    make(*data, sample.period, heading, *message);
    publisher->publish(std::move(message));
  };
}

// <camera>/image_raw, depth, instances and classes as it takes them, and <camera>/camera_info with each.
void SensorTopics::open_camera(rclcpp::Node& node, One& one, const SensorSpec& spec) {
  using sensor_msgs::msg::CameraInfo;
  using sensor_msgs::msg::Image;
  using Send = std::function<void(const CameraReading&, const Heading&)>;
  const auto images = images_of(spec);
  if (!images) return;  // its robot has said so
  std::vector<Send> sends;
  for (const ImageKind* kind : *images) {
    auto publisher = node.create_publisher<Image>(one.name + "/" + kind->topic, rclcpp::SystemDefaultsQoS());
    one.topics.push_back(&publisher->kernel().topic());
    sends.push_back([publisher, kind](const CameraReading& reading, const Heading& heading) {
      auto message = std::make_unique<Image>();
      head(heading, *message);
      if (fill(reading, *kind, *message)) publisher->publish(std::move(message));
    });
  }
  auto info = node.create_publisher<CameraInfo>(one.name + "/camera_info", rclcpp::SystemDefaultsQoS());
  one.topics.push_back(&info->kernel().topic());
  sends.push_back([info](const CameraReading& reading, const Heading& heading) {
    auto message = std::make_unique<CameraInfo>();
    head(heading, *message);
    fill(reading.lens, *message);
    info->publish(std::move(message));
  });
  one.publish = [sends](const Sample& sample, const Heading& heading) {
    const auto* reading = std::get_if<CameraReading>(&sample.data);
    for (const Send& send : sends)
      if (reading) send(*reading, heading);
  };
}

SensorTopics::SensorTopics(rclcpp::Node& node, const std::vector<SensorSpec>& sensors, const std::string& base,
                           const SensorBook* types) {
  const SensorBook own;
  const SensorBook& known = types ? *types : own;
  const RobotFrames frames{.base = base};
  for (const SensorSpec& spec : sensors) {
    One& one = all_.emplace_back();
    one.type = known.type_of(spec).value_or(nullptr);
    one.name = spec.name;
    if (!one.type) continue;
    one.frame = sensor_frame(spec, *one.type, frames);
    if (one.type->like == std::string_view(kCameraKind)) {
      open_camera(node, one, spec);
      continue;
    }
    const bool has_message = visit_kind(one.type->like, [&](auto kind) { open<decltype(kind)>(node, one); });
    EXPECTS(has_message);  // each type has one
  }
  if (sensors.empty()) return;
  frames_ = node.create_publisher<tf2_msgs::msg::TFMessage>("/tf_static", rclcpp::QoS(1).transient_local());
  frames_->publish(std::make_unique<tf2_msgs::msg::TFMessage>(
      sensor_frames(sensors, known, frames, instant(node.now().nanoseconds()))));
}

bool SensorTopics::takes(std::string_view sensor) const {
  for (const One& one : all_)
    if (one.name == sensor)
      return std::any_of(one.topics.begin(), one.topics.end(), [](const auto* topic) { return topic->has_takers(); });
  return false;
}

void SensorTopics::publish(const Sample& sample, Instant start) {
  const One& one = all_[sample.sensor];
  if (one.publish) one.publish(sample, {.stamp = sample.at + start.time_since_epoch(), .frame = one.frame});
}

}  // namespace convoy::ros
