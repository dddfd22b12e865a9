#include "adapters/ros2/graph_report.h"

#include <doctest/doctest.h>

namespace convoy::ros2 {

namespace {

constexpr const char* kScan = "sensor_msgs::msg::dds_::LaserScan_";

struct Room {
  std::uint8_t made = 0;
  RemoteGraph graph;

  Guid add(bool writer, const std::string& topic, const std::string& type, Qos qos = {},
           const std::string& hash = "RIHS01_a") {
    Guid guid{};
    guid[11] = 1, guid[14] = ++made;
    graph.take(Discovery{Discovery::Kind::kEndpoint, {}, {guid, writer, topic, type, type_hash_datum(hash), qos}});
    return guid;
  }
  std::vector<std::string> problems() const {
    std::vector<std::string> out;
    for (const ReportedTopic& topic : report_of(graph))
      out.insert(out.end(), topic.problems.begin(), topic.problems.end());
    return out;
  }
};

}  // namespace

TEST_CASE("ends that meet are no problem") {
  Room room;
  room.add(true, "rt/scan", kScan, {.transient_local = true});
  room.add(false, "rt/scan", kScan, kSensorData);
  room.add(false, "rt/scan", kScan, {}, "");
  room.add(true, "some/thing/else", "T");

  const auto report = report_of(room.graph);
  REQUIRE(report.size() == 1);
  CHECK(report[0].name == "/scan");
  CHECK(report[0].ends.size() == 3);
  CHECK(report[0].ends[0].writer);
  CHECK(report[0].ends[0].type == "sensor_msgs/msg/LaserScan");
  CHECK(report[0].problems.empty());
}

TEST_CASE("each reason why two do not meet is named") {
  Room effort, durability, type, hash;
  effort.add(true, "rt/scan", kScan, kSensorData), effort.add(false, "rt/scan", kScan);
  durability.add(true, "rt/scan", kScan), durability.add(false, "rt/scan", kScan, kLatched);
  type.add(true, "rt/scan", "a::msg::dds_::A_"), type.add(false, "rt/scan", kScan);
  hash.add(true, "rt/scan", kScan, {}, "RIHS01_b"), hash.add(false, "rt/scan", kScan);
  const auto holds = [](const Room& room, const std::string& text) {
    const auto problems = room.problems();
    return problems.size() == 1 && problems[0].find(text) != std::string::npos;
  };
  CHECK(holds(effort, "best effort, and reliable is wanted"));
  CHECK(holds(durability, "volatile, and transient local is wanted"));
  CHECK(holds(type, "a/msg/A, and sensor_msgs/msg/LaserScan is wanted"));
  CHECK(holds(hash, "different definitions of sensor_msgs/msg/LaserScan"));
}

TEST_CASE("a topic of two types, each with its own ends, is none") {
  Room room;
  for (const char* type : {"a::msg::dds_::A_", kScan})
    room.add(true, "rt/cmd_vel", type), room.add(false, "rt/cmd_vel", type);
  CHECK(room.problems().empty());
}

TEST_CASE("a node that takes two types of a topic misses none of them as long as one comes") {
  Room room;
  const Guid a = room.add(false, "rt/cmd_vel", "a::msg::dds_::A_"), b = room.add(false, "rt/cmd_vel", kScan);
  room.add(true, "rt/cmd_vel", kScan);
  ParticipantEntities told{participant_of(a), {{"/scout", "robot", {a, b}, {}}}};
  room.graph.take(told);
  CHECK(room.problems().empty());

  const Guid other = room.add(false, "rt/cmd_vel", "a::msg::dds_::A_");
  told.nodes.push_back({"/scout", "listener", {other}, {}});
  room.graph.take(told);
  REQUIRE(room.problems().size() == 1);
  CHECK(room.problems()[0].find("does not reach /scout/listener") != std::string::npos);
}

}  // namespace convoy::ros2
