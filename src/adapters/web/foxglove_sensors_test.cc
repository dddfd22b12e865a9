#include "adapters/web/foxglove_sensors.h"

#include <doctest/doctest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "core/json_fields.h"

namespace foxglove_sensors_test {

using namespace convoy;
using namespace convoy::web;

namespace {

Moment at(std::int64_t ms) { return Moment{} + std::chrono::milliseconds(ms); }

proto::Reply answer(std::uint64_t index, std::int64_t stamp_ns, const std::string& data) {
  proto::Reply out;
  out.set_json(nlohmann::json{{"index", index}, {"stamp_ns", stamp_ns}, {"data", nlohmann::json::parse(data)}}.dump());
  return out;
}

}  // namespace

TEST_CASE("an answer is the message that a recording has of the sample") {
  Scan scan;
  scan.angle_min = -1, scan.angle_max = 1, scan.angle_increment = 1, scan.range_max = 3;
  scan.ranges = {0.5F, std::numeric_limits<float>::infinity(), 1.25F};
  ImuSample imu;
  imu.orientation = {0.5, 0.5, 0.5, 0.5}, imu.linear_acceleration = {0, 0, 9.81};
  Cloud cloud;
  cloud.width = 1, cloud.points = {{1, 2, 3, 0.5F, 7, 0.25F}};
  const std::pair<const char*, SampleData> all[] = {{"scan", scan}, {"imu", imu}, {"points", cloud}};
  for (const auto& [type, sample] : all) {
    CAPTURE(type);
    Bytes recorded;
    encode(sample, {instant(40), "scout/eye_link"}, recorded);
    FoxgloveSensors dut;
    dut.due({"/scout/eye"}, at(0));
    std::string data;
    JsonFields(data).put(sample);
    const auto got = dut.take("/scout/eye", type, answer(1, 40, data), "scout/eye_link");
    REQUIRE(got.has_value());
    CHECK(got->time_ns == 40);
    CHECK(got->message == recorded);
  }
}

TEST_CASE("a sensor is asked again when it has answered and some time has passed, and a sample is told once") {
  FoxgloveSensors dut;
  const std::set<std::string> wanted{"/a/scan", "/b/scan"};
  using Topics = std::vector<std::string>;
  CHECK(dut.due(wanted, at(0)) == Topics{"/a/scan", "/b/scan"});
  CHECK(dut.due(wanted, at(1000)).empty());
  const std::string data = R"({"ranges": [1]})";
  CHECK(dut.take("/a/scan", "scan", answer(3, 40, data), "a/scan_link"));
  CHECK(dut.due(wanted, at(1000)) == Topics{"/a/scan"});
  CHECK(!dut.take("/a/scan", "scan", answer(3, 40, data), "a/scan_link"));
  CHECK(dut.due(wanted, at(1100)).empty());
  CHECK(dut.due({"/a/scan"}, at(1200)) == Topics{"/a/scan"});
}

TEST_CASE("an answer that is malformed, or a refusal, is no reading") {
  for (const char* data : {R"([])", R"(7)", R"({"ranges": 1})", R"({"ranges": ["x"]})", R"({"angle_min": {}})"}) {
    CAPTURE(data);
    FoxgloveSensors dut;
    dut.due({"/a/scan"}, at(0));
    CHECK(!dut.take("/a/scan", "scan", answer(1, 40, data), "f"));
  }
  FoxgloveSensors dut;
  dut.due({"/a/scan"}, at(0));
  proto::Reply refusal;
  refusal.set_error(2);
  CHECK(!dut.take("/a/scan", "scan", refusal, "f"));
  CHECK(!kind_of_sensor("gas"));
}

}  // namespace foxglove_sensors_test
