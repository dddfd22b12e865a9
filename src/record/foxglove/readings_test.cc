#include "record/foxglove/readings.h"

#include <cmath>
#include <limits>

#include "record/foxglove/testing.h"

namespace readings_test {

using namespace convoy;
using testing::WireMessage;

namespace {

constexpr ReadingHeader kHeader{instant(3'000'000'007), "scout/scan_link"};

Bytes encoded(const SampleData& data) {
  Bytes out{1, 2, 3};
  encode(data, kHeader, out);
  return out;
}

template <class T>
T at(const Bytes& bytes, std::size_t offset) {
  T out{};
  REQUIRE(offset + sizeof out <= bytes.size());
  std::memcpy(&out, bytes.data() + offset, sizeof out);
  return out;
}

}  // namespace

TEST_CASE("a scan has a double a beam, and what is nothing stays infinite") {
  constexpr float kNothing = std::numeric_limits<float>::infinity();
  const Scan scan{.angle_min = -1, .angle_max = 1, .angle_increment = 1, .ranges = {0.5f, kNothing, -kNothing}};

  WireMessage dut(encoded(scan));

  CHECK(schema_of(SampleData(scan)).name == "foxglove.LaserScan");
  CHECK(dut.message(1).one(1).number == 3);
  CHECK(dut.message(1).one(2).number == 7);
  CHECK(dut.one(2).text() == "scout/scan_link");
  CHECK(dut.one(4).real() == -1);
  CHECK(dut.one(5).real() == 1);
  const Bytes ranges = dut.one(6).bytes;
  REQUIRE(ranges.size() == 24);
  CHECK(at<double>(ranges, 0) == 0.5);
  CHECK(at<double>(ranges, 8) == std::numeric_limits<double>::infinity());
  CHECK(at<double>(ranges, 16) == -std::numeric_limits<double>::infinity());
}

TEST_CASE("a cloud has the columns of our PointCloud2, one behind the other") {
  Cloud cloud;
  cloud.width = 2;
  cloud.points = {{1, 2, 3, 0.5f, 7, 0.25f}, {4, 5, 6, 1, 8, 0}};

  WireMessage dut(encoded(cloud));

  CHECK(dut.one(4).number == 22);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < dut.count(5); ++i) names.push_back(dut.message(5, i).one(1).text());
  CHECK(names == std::vector<std::string>{"x", "y", "z", "intensity", "ring", "time"});
  CHECK(dut.message(5, 4).one(2).number == 16);
  CHECK(dut.message(5, 5).one(2).number == 18);
  const Bytes data = dut.one(6).bytes;
  REQUIRE(data.size() == 44);
  CHECK(at<float>(data, 8) == 3);
  CHECK(at<std::uint16_t>(data, 16) == 7);
  CHECK(at<float>(data, 18) == 0.25f);
  CHECK(at<float>(data, 22) == 4);
}

TEST_CASE("a radar's returns are points before it") {
  RadarScan radar;
  radar.returns = {{.range = 2, .azimuth = 0, .elevation = 0, .speed = -1, .amplitude = 0.5}};

  WireMessage dut(encoded(radar));

  CHECK(dut.one(4).number == 20);
  const Bytes data = dut.one(6).bytes;
  CHECK(at<float>(data, 0) == 2);
  CHECK(at<float>(data, 4) == 0);
  CHECK(at<float>(data, 12) == -1);
  CHECK(at<float>(data, 16) == 0.5f);
}

TEST_CASE("a fix and a pose have their own messages") {
  Fix fix;
  fix.at.latitude = 47.5, fix.at.longitude = 8.25, fix.at.altitude = 400;
  fix.covariance[8] = 4;
  WireMessage place(encoded(fix));
  CHECK(place.one(1).real() == 47.5);
  CHECK(place.one(2).real() == 8.25);
  CHECK(place.one(3).real() == 400);
  CHECK(at<double>(place.one(4).bytes, 64) == 4);
  CHECK(place.one(5).number == 3);
  CHECK(place.message(6).one(1).number == 3);
  CHECK(place.one(7).text() == "scout/scan_link");

  WireMessage pose(encoded(PoseReading{"world", {{1, 2, 3}, {}}, {}}));
  CHECK(pose.one(2).text() == "world");
  CHECK(pose.message(3).message(1).one(3).real() == 3);
}

TEST_CASE("an IMU's sample is CDR with each number on a multiple of its size") {
  ImuSample imu;
  imu.orientation = {0.5, 0.25, 0, -1}, imu.linear_acceleration = {0, 0, 9.81}, imu.angular_velocity_variance = 2;

  const Bytes dut = encoded(imu);

  CHECK(schema_of(SampleData(imu)).encoding == "ros2msg");
  CHECK(schema_of(SampleData(imu)).message_encoding == "cdr");
  CHECK(Bytes(dut.begin(), dut.begin() + 4) == Bytes{0, 1, 0, 0});
  CHECK(at<std::int32_t>(dut, 4) == 3);
  CHECK(at<std::uint32_t>(dut, 8) == 7);
  CHECK(at<std::uint32_t>(dut, 12) == 16);  // of the frame's name and its end
  CHECK(dut[31] == 0);
  constexpr std::size_t kTurn = 4 + 32;  // 28 bytes so far, to a multiple of 8
  CHECK(at<double>(dut, kTurn) == 0.25);
  CHECK(at<double>(dut, kTurn + 24) == 0.5);
  constexpr std::size_t kRates = kTurn + 32 + 72, kForces = kRates + 24 + 72;
  CHECK(at<double>(dut, kRates + 24 + 32) == 2);
  CHECK(at<double>(dut, kForces + 16) == 9.81);
  CHECK(dut.size() == kForces + 24 + 72);
}

TEST_CASE("a range is CDR, too: a byte, then floats behind three of padding") {
  const Bytes dut = encoded(RangeReading{.range = 1.5, .range_min = 0.5, .range_max = 4, .field = 0.25});

  CHECK(at<std::uint8_t>(dut, 4 + 28) == 0);
  CHECK(at<float>(dut, 4 + 32) == 0.25f);
  CHECK(at<float>(dut, 4 + 44) == 1.5f);
  CHECK(dut.size() == 4 + 52);
}

TEST_CASE("what a robot knows from inside is JSON, behind its stamp and frame") {
  BatteryReading battery;
  battery.share = 0.5, battery.voltage = std::numeric_limits<double>::infinity();
  const Bytes dut = encoded(battery);

  CHECK(schema_of(SampleData(battery)).message_encoding == "json");
  CHECK(schema_of(SampleData(battery)).encoding == "jsonschema");
  CHECK(
      std::string(dut.begin(), dut.end()) ==
      R"({"stamp_ns":3000000007,"frame":"scout/scan_link","share":0.5,"voltage":"inf","current":0,"charge":0,"capacity":0})");
}

}  // namespace readings_test
