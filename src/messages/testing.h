// What tests of samples share: a sensor of each type, and its sample as one would hear it.
#pragma once

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include "messages/sample_topics.h"

namespace convoy::ros::testing {

inline constexpr Instant kStamp = instant(3'000'000'007);

inline SensorSpec sensor_of(const std::string& type, const std::string& name = "front") {
  SensorSpec out;
  out.name = name, out.type = type;
  return out;
}
// Of Convoy's own types.
inline std::vector<SampleTopic> topics_of_spec(const SensorSpec& spec, const RobotFrames& frames = {}) {
  const SensorType* type = find_sensor_type(spec.type);
  REQUIRE(type);
  return topics_of(spec, *type, frames);
}
inline Sample sample_of(SampleData data) {
  Sample out;
  out.data = std::move(data), out.period = std::chrono::milliseconds(100);
  return out;
}

// The message in these bytes.
template <class Message>
Message read(const std::vector<std::uint8_t>& cdr) {
  Message out;
  const Status read = TypeSupport::of<Message>().from_cdr(cdr, &out);
  REQUIRE_MESSAGE(read.has_value(), (read ? "" : read.error().message()));
  return out;
}

// The sample of a sensor "front" of that type at kStamp, of a robot "scout", as it comes out of its only topic's bytes.
template <class Message>
Message heard(const std::string& type, SampleData data, const std::string& prefix = {}) {
  const std::vector<SampleTopic> topics = topics_of_spec(sensor_of(type), {.prefix = prefix});
  REQUIRE(topics.size() == 1);
  CHECK(topics[0].name == "front");
  CHECK(topics[0].type == TypeSupport::of<Message>());
  std::vector<std::uint8_t> cdr{1, 2, 3};
  REQUIRE(topics[0].encode(sample_of(std::move(data)), kStamp, cdr));
  return read<Message>(cdr);
}

}  // namespace convoy::ros::testing
