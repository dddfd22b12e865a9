#include <geometry_msgs/msg/point_stamped.hpp>

#include "diagnostic_updater/diagnostic_status_wrapper.hpp"
#include "diagnostic_updater/publisher.hpp"
#include "node_rig.hpp"

using diagnostic_msgs::msg::DiagnosticArray;
using diagnostic_updater::DiagnosticStatusWrapper;
using namespace std::chrono_literals;

namespace {

// Every status that is published, as "ns name level text", with its values if there are any.
struct Received {
  explicit Received(NodeRig& rig) : node(std::make_shared<rclcpp::Node>("heard")) {
    subscription = node->create_subscription<DiagnosticArray>("/diagnostics", 100, [&rig](const DiagnosticArray& all) {
      for (const auto& status : all.status) {
        std::string line = status.name + " " + std::to_string(status.level) + " " + status.message;
        for (const auto& pair : status.values) line += ", " + pair.key + "=" + pair.value;
        rig.tell(line);
      }
    });
  }
  std::shared_ptr<rclcpp::Node> node;
  rclcpp::Subscription<DiagnosticArray>::SharedPtr subscription;
};

constexpr std::int64_t kSecond = 1'000'000'000;

}  // namespace

TEST_CASE("a status is summed up, merged and given values") {
  DiagnosticStatusWrapper s;
  s.summaryf(0, "%d of %d", 1, 2);
  CHECK((s.level == 0 && s.message == "1 of 2"));
  s.mergeSummary(1, "warm");
  CHECK((s.level == 1 && s.message == "warm"));
  s.mergeSummaryf(2, "%s", "hot");
  s.mergeSummary(0, "fine");
  CHECK((s.level == 2 && s.message == "warm; hot"));
  s.add("n", 3);
  s.add("on", true);
  s.add("name", "x");
  s.addf("share", "%.2f", 0.5);
  REQUIRE(s.values.size() == 4);
  CHECK((s.values[0].value == "3" && s.values[1].value == "True" && s.values[2].value == "x" &&
         s.values[3].value == "0.50"));
  s.clearSummary();
  CHECK((s.level == 0 && s.message.empty()));
}

TEST_CASE("tasks run each period and are published together, in their order") {
  NodeRig rig;
  Received received(rig);
  auto node = std::make_shared<rclcpp::Node>("dut");
  diagnostic_updater::Updater updater(node, 2.0);
  updater.setHardwareID("none");
  int runs = 0;
  updater.add("battery", [&](DiagnosticStatusWrapper& s) { s.summary(++runs > 1 ? 1 : 0, "ok"), s.add("runs", runs); });
  updater.add("mute", [](DiagnosticStatusWrapper&) {});
  REQUIRE(rig.run_until(4 * kSecond));
  CHECK(rig.story == Lines{"0: dut: battery 0 Node starting up", "0: dut: mute 0 Node starting up",
                           "2000000000: dut: battery 0 ok, runs=1", "2000000000: dut: mute 2 No message was set",
                           "4000000000: dut: battery 1 ok, runs=2", "4000000000: dut: mute 2 No message was set"});

  rig.story.clear();
  CHECK(updater.removeByName("mute"));
  CHECK_FALSE(updater.removeByName("mute"));
  updater.setPeriod(1.0);
  updater.broadcast(2, "stop");
  updater.force_update();
  REQUIRE(rig.run_until(5 * kSecond));
  CHECK(rig.story == Lines{"4000000000: dut: battery 2 stop", "4000000000: dut: battery 1 ok, runs=3",
                           "5000000000: dut: battery 1 ok, runs=4"});
}

TEST_CASE("the period and the names are parameters; a missing hardware id is reported once") {
  NodeRig rig({"--ros-args", "-p", "diagnostic_updater.period:=0.5", "-p", "diagnostic_updater.use_fqn:=true", "-r",
               "__ns:=/r1"});
  Received received(rig);
  auto node = std::make_shared<rclcpp::Node>("dut");
  diagnostic_updater::Updater updater(node), second(node);
  CHECK(updater.getPeriod().nanoseconds() == kSecond / 2);
  updater.add("a", [](DiagnosticStatusWrapper& s) { s.summary(0, "ok"); });
  REQUIRE(rig.run_until(kSecond));
  CHECK(rig.story.back() == "1000000000: /r1/dut: a 0 ok");
  int warnings = 0;
  for (const std::string& line : rig.log)
    warnings += line.find("r1.dut: diagnostic_updater: no hardware id") != line.npos;
  CHECK(warnings == 2);  // once each
}

TEST_CASE("a topic is watched: how often it is published, and how old it is") {
  NodeRig rig;
  Received received(rig);
  auto node = std::make_shared<rclcpp::Node>("dut");
  diagnostic_updater::Updater updater(node);
  updater.setHardwareID("none");
  using Point = geometry_msgs::msg::PointStamped;
  double low = 4, high = 4;
  diagnostic_updater::DiagnosedPublisher<Point> out(node->create_publisher<Point>("out", 10), updater,
                                                    {&low, &high, 0.1, 1}, {-0.1, 0.5});
  std::chrono::nanoseconds age = 0ns;
  auto timer = node->create_wall_timer(250ms, [&] {
    auto m = std::make_unique<Point>();
    m->header.stamp = node->now() - rclcpp::Duration(age);
    out.publish(std::move(m));
  });
  const auto last = [&](std::int64_t until) {
    REQUIRE(rig.run_until(until));
    const std::string text = rig.story.back();
    return text.substr(0, text.find(", Duration"));
  };
  // The update of an instant is before what is published in it: its timer is older.
  CHECK(last(kSecond + 1) ==
        "1000000000: dut: /out topic status 1 Frequency too low., Events in window=3, Events since startup=3");
  CHECK(
      last(2 * kSecond + 1) ==
      "2000000000: dut: /out topic status 0 , Events in window=4, Events since startup=7");  // no text when all is well
  age = 600ms;
  CHECK(last(3 * kSecond + 1).find("2 Timestamps too far in past seen.") != std::string::npos);
  timer->cancel();
  REQUIRE(rig.run_until(4 * kSecond + 1));
  CHECK(last(5 * kSecond + 1) ==
        "5000000000: dut: /out topic status 2 No events recorded.; No data since last update., "
        "Events in window=0, Events since startup=12");
}
