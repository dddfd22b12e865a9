#include "messages/sample_topics.h"

#include <variant>

#include "messages/samples.h"

namespace convoy::ros {
namespace {

using Bytes = std::vector<std::uint8_t>;

Status of_another_kind(const std::string& topic) {
  return fail(ErrorCode::kInvalid, "the sample is not of the topic's kind", topic);
}

template <class Message>
Status write(const Message& message, Bytes& cdr) {
  return TypeSupport::of<Message>().to_cdr(&message, cdr);
}

// What all topics of one sensor share.
struct Source {
  std::string frame, prefix;
  Heading heading(Instant stamp) const { return {.stamp = stamp, .frame = frame, .prefix = prefix}; }
};

template <class Kind>
SampleTopic topic_of(const std::string& name, const Source& source) {
  using Message = typename Kind::Message;
  return {name, TypeSupport::of<Message>(), source.frame, [name, source](const Sample& s, Instant stamp, Bytes& cdr) {
            cdr.clear();
            const auto* data = std::get_if<typename Kind::Data>(&s.data);
            if (!data) return of_another_kind(name);
            Message message;
            make(*data, s.period, source.heading(stamp), message);
            return write(message, cdr);
          }};
}

SampleTopic image_topic(const std::string& name, const ImageKind& kind, const Source& source) {
  using sensor_msgs::msg::Image;
  return {name, TypeSupport::of<Image>(), source.frame,
          [name, &kind, source](const Sample& s, Instant stamp, Bytes& cdr) {
            cdr.clear();
            Image message;
            head(source.heading(stamp), message);
            const auto* reading = std::get_if<CameraReading>(&s.data);
            if (!reading || !fill(*reading, kind, message)) return of_another_kind(name);
            return write(message, cdr);
          }};
}

SampleTopic info_topic(const std::string& name, const Source& source) {
  using sensor_msgs::msg::CameraInfo;
  return {name, TypeSupport::of<CameraInfo>(), source.frame,
          [name, source](const Sample& s, Instant stamp, Bytes& cdr) {
            cdr.clear();
            const auto* reading = std::get_if<CameraReading>(&s.data);
            if (!reading) return of_another_kind(name);
            CameraInfo message;
            head(source.heading(stamp), message);
            fill(reading->lens, message);
            return write(message, cdr);
          }};
}

}  // namespace

std::vector<SampleTopic> topics_of(const SensorSpec& spec, const SensorType& type, const RobotFrames& frames) {
  const Source source{sensor_frame(spec, type, frames), frames.prefix};
  std::vector<SampleTopic> out;
  if (type.like == std::string_view(kCameraKind)) {
    const auto images = images_of(spec);
    if (!images) return out;
    for (const ImageKind* kind : *images) out.push_back(image_topic(spec.name + "/" + kind->topic, *kind, source));
    out.push_back(info_topic(spec.name + "/camera_info", source));
    return out;
  }
  visit_kind(type.like, [&](auto kind) { out.push_back(topic_of<decltype(kind)>(spec.name, source)); });
  return out;
}

}  // namespace convoy::ros
