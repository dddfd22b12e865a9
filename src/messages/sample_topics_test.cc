#include "messages/sample_topics.h"

#include <cstring>

#include <doctest/doctest.h>
#include "core/fields.h"
#include "messages/samples.h"
#include "messages/testing.h"

namespace messages_sample_topics_test {

using namespace convoy;
using namespace convoy::ros;
using testing::kStamp;
using testing::read;
using testing::sample_of;
using testing::sensor_of;
using testing::topics_of_spec;

namespace {

SensorSpec camera(const CameraModel& model) {
  SensorSpec out = sensor_of("camera");
  out.parameters = save(model);
  return out;
}

CameraReading two_pixels() {
  CameraReading out;
  out.lens = {.width = 2, .height = 1, .fx = 3, .fy = 4, .cx = 0.5, .cy = 0.25, .distortion = {1, 2, 3, 4, 5}};
  out.color = {1, 2, 3, 4, 5, 6};
  out.depth = {1.5f, 2.5f};
  out.numbers = {7, kSceneNumber};
  out.classes = {1, 3};
  return out;
}

std::vector<std::string> names_of(const std::vector<SampleTopic>& topics) {
  std::vector<std::string> out;
  for (const SampleTopic& topic : topics) out.push_back(topic.name);
  return out;
}

}  // namespace

TEST_CASE("a camera has a topic for each image that it takes, and one for its lens") {
  CHECK(names_of(topics_of_spec(sensor_of("camera"))) ==
        std::vector<std::string>{"front/image_raw", "front/camera_info"});
  CHECK(names_of(topics_of_spec(camera({.color = false, .depth = true, .numbers = true, .classes = true}))) ==
        std::vector<std::string>{"front/depth", "front/instances", "front/classes", "front/camera_info"});
}

TEST_CASE("a camera's images and lens are in its optical frame, byte by byte") {
  const auto topics = topics_of_spec(camera({.depth = true, .numbers = true, .classes = true}), {.prefix = "scout/"});
  REQUIRE(topics.size() == 5);
  const Sample sample = sample_of(two_pixels());
  std::vector<sensor_msgs::msg::Image> images;
  std::vector<std::uint8_t> cdr;
  for (std::size_t i = 0; i < 4; ++i) {
    REQUIRE(topics[i].encode(sample, kStamp, cdr));
    images.push_back(read<sensor_msgs::msg::Image>(cdr));
  }
  REQUIRE(topics[4].encode(sample, kStamp, cdr));
  const auto info = read<sensor_msgs::msg::CameraInfo>(cdr);

  for (const auto& image : images) {
    CHECK(image.header.frame_id == "scout/front_optical_frame");
    CHECK(image.header.stamp.nanosec == 7);
    CHECK(image.width == 2);
    CHECK(image.height == 1);
    CHECK(image.data.size() == image.step);
  }
  CHECK(images[0].encoding == "rgb8");
  CHECK(images[0].data == std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6});
  CHECK(images[1].encoding == "32FC1");
  float depth = 0;
  std::memcpy(&depth, images[1].data.data() + 4, sizeof depth);
  CHECK(depth == 2.5f);
  CHECK(images[2].encoding == "32SC1");
  CHECK(images[2].data == std::vector<std::uint8_t>{7, 0, 0, 0, 255, 255, 255, 255});
  CHECK(images[3].data[4] == 3);
  CHECK(info.header.frame_id == "scout/front_optical_frame");
  CHECK(info.distortion_model == "plumb_bob");
  CHECK(info.d == std::vector<double>{1, 2, 3, 4, 5});
  CHECK(info.k == std::array<double, 9>{3, 0, 0.5, 0, 4, 0.25, 0, 0, 1});
  CHECK(info.p == std::array<double, 12>{3, 0, 0.5, 0, 0, 4, 0.25, 0, 0, 0, 1, 0});
  CHECK(info.r[4] == 1);
}

TEST_CASE("an image that a camera no longer takes is refused, its lens is not") {
  const auto topics = topics_of_spec(camera({.depth = true}));
  CameraReading reading = two_pixels();
  reading.depth.clear();
  CameraReading short_one = two_pixels();
  short_one.color.pop_back();
  std::vector<std::uint8_t> cdr{1};

  CHECK(!topics[1].encode(sample_of(reading), kStamp, cdr));
  CHECK(cdr.empty());
  CHECK(!topics[0].encode(sample_of(short_one), kStamp, cdr));
  CHECK(topics[0].encode(sample_of(reading), kStamp, cdr));
  CHECK(topics[2].encode(sample_of(reading), kStamp, cdr));
}

TEST_CASE("a sample of another kind is refused, by every topic of every type") {
  for (const SensorType& type : sensor_types())
    for (const SampleTopic& topic : topics_of_spec(sensor_of(type.name))) {
      CAPTURE(topic.name);
      std::vector<std::uint8_t> cdr{1, 2};
      CHECK(!topic.encode(sample_of(NoReading{}), kStamp, cdr));
      CHECK(cdr.empty());
      const bool is_scan = type.name == std::string_view("scan");
      CHECK(topic.encode(sample_of(Scan{}), kStamp, cdr).has_value() == is_scan);
    }
}

TEST_CASE("what nobody can make a message of has no topic") {
  SensorSpec broken = sensor_of("camera");
  broken.parameters = {1, 2, 3};
  SensorType unlike = *find_sensor_type("scan");
  unlike.like = "sonar";

  CHECK(topics_of_spec(broken).empty());
  CHECK(topics_of(sensor_of("scan"), unlike, {}).empty());
}

TEST_CASE("a type of a library's has the topic of the type that it is like") {
  SensorType users = *find_sensor_type("points");
  users.name = "my_lidar";

  const auto topics = topics_of(sensor_of("my_lidar", "roof"), users, {.prefix = "a/"});

  REQUIRE(topics.size() == 1);
  CHECK(topics[0].name == "roof");
  CHECK(topics[0].frame == "a/roof_link");
  CHECK(topics[0].type.name() == "sensor_msgs/msg/PointCloud2");
}

}  // namespace messages_sample_topics_test
