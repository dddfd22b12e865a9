#include <angles/angles.h>
#include <geometry_msgs/msg/point_stamped.hpp>

#include "message_filters/cache.h"
#include "message_filters/subscriber.h"
#include "message_filters/sync_policies/approximate_time.h"
#include "message_filters/time_synchronizer.h"
#include "node_rig.hpp"

using geometry_msgs::msg::PointStamped;
using Ptr = std::shared_ptr<const PointStamped>;
using Source = message_filters::PassThrough<PointStamped>;

namespace {

Ptr at(int ns) {
  auto m = std::make_shared<PointStamped>();
  m->header.stamp = rclcpp::Time(ns);
  return m;
}
std::string ns(const Ptr& m) { return std::to_string(rclcpp::Time(m->header.stamp).nanoseconds()); }

template <class Policy>
struct Pair {
  explicit Pair(const Policy& policy) : sync(policy, a, b) {
    sync.registerCallback([this](const Ptr& x, const Ptr& y) { sets.push_back(ns(x) + "+" + ns(y)); });
  }
  Source a, b;
  message_filters::Synchronizer<Policy> sync;
  Lines sets;
};
using Exact = message_filters::sync_policies::ExactTime<PointStamped, PointStamped>;
using Near = message_filters::sync_policies::ApproximateTime<PointStamped, PointStamped>;

}  // namespace

TEST_CASE("equal stamps make a set, which ends the hope of older ones") {
  Pair<Exact> pair(Exact(2));
  for (const int t : {1, 2, 3}) pair.a.add(at(t));
  for (const int t : {1, 3, 2}) pair.b.add(at(t));  // 1 has been pushed out

  CHECK(pair.sets == Lines{"3+3"});
  pair.a.add(at(4));
  pair.b.add(at(4));
  CHECK(pair.sets.back() == "4+4");
}

TEST_CASE("near stamps make a set as soon as no closer one can come") {
  Pair<Near> pair(Near(10));
  pair.a.add(at(100));
  pair.b.add(at(110));
  CHECK(pair.sets.empty());  // one of a at 110 would be closer
  pair.a.add(at(200));
  CHECK(pair.sets == Lines{"100+110"});
  pair.b.add(at(195));
  pair.a.add(at(300));
  pair.b.add(at(290));
  pair.a.add(at(400));
  pair.b.add(at(390));
  CHECK(pair.sets == Lines{"100+110", "200+195", "300+290"});
}

TEST_CASE("of two candidates the closer one is taken, and equal stamps at once") {
  Pair<Near> pair(Near(10));
  pair.a.add(at(100));
  pair.a.add(at(148));
  pair.b.add(at(150));
  pair.a.add(at(200));
  CHECK(pair.sets == Lines{"148+150"});
  pair.b.add(at(200));
  CHECK(pair.sets.back() == "200+200");
}

TEST_CASE("sets wider than the longest interval are none, and a promised rate decides earlier") {
  Near narrow(10);
  narrow.setMaxIntervalDuration(std::chrono::nanoseconds(20));
  Pair<Near> pair(narrow);
  for (const int t : {100, 200, 300}) pair.a.add(at(t)), pair.b.add(at(t + 50));
  CHECK(pair.sets.empty());

  Near promised(10);
  promised.setInterMessageLowerBound(std::chrono::nanoseconds(90));
  Pair<Near> regular(promised);
  regular.a.add(at(100));
  regular.b.add(at(110));
  CHECK(regular.sets == Lines{"100+110"});
}

TEST_CASE("a full queue drops its oldest message and the search goes on") {
  Pair<Near> pair(Near(2));
  for (const int t : {10, 20, 30, 40}) pair.a.add(at(t));
  for (const int t : {12, 31, 41, 51}) pair.b.add(at(t));  // for 12 the 10 was lost, and 30 is no substitute
  for (const int t : {50, 60}) pair.a.add(at(t));
  CHECK(pair.sets == Lines{"30+31", "40+41", "50+51"});
}

TEST_CASE("subscribers feed a synchronizer, and stop when they unsubscribe") {
  NodeRig rig;
  auto node = std::make_shared<rclcpp::Node>("n");
  message_filters::Subscriber<PointStamped> left(node, "left"), right(node.get(), "right", rmw_qos_profile_sensor_data);
  message_filters::TimeSynchronizer<PointStamped, PointStamped> sync(left, right, 10);
  sync.registerCallback(
      std::bind([&](const Ptr& a, const Ptr&) { rig.tell(ns(a)); }, std::placeholders::_1, std::placeholders::_2));
  auto to_left = node->create_publisher<PointStamped>("left", 10),
       to_right = node->create_publisher<PointStamped>("right", 10);
  const auto send = [&](int t) {
    to_left->publish(*at(t)), to_right->publish(*at(t));
    REQUIRE(rig.run_until(0));
  };
  send(1);
  right.unsubscribe();
  send(2);
  right.subscribe();
  send(3);
  CHECK(rig.story == Lines{"0: 1", "0: 3"});
}

TEST_CASE("a cache gives its messages by time") {
  Source source;
  message_filters::Cache<PointStamped> cache(source, 4);
  for (const int t : {10, 20, 40, 30, 50}) source.add(at(t));
  const auto text = [](const std::vector<Ptr>& some) {
    std::string out;
    for (const Ptr& m : some) out += ns(m) + " ";
    return out;
  };
  const auto time = [](int t) { return rclcpp::Time(std::int64_t{t}, RCL_ROS_TIME); };
  CHECK(text(cache.getInterval(time(0), time(40))) == "20 30 40 ");
  CHECK(text(cache.getSurroundingInterval(time(25), time(35))) == "20 30 40 ");
  CHECK(ns(cache.getElemBeforeTime(time(40))) == "30");
  CHECK(ns(cache.getElemAfterTime(time(40))) == "50");
  CHECK(cache.getElemAfterTime(time(50)) == nullptr);
}

TEST_CASE("angles are normalised and their distance is the short way") {
  using doctest::Approx;
  CHECK(angles::normalize_angle(3.5 * angles::kPi) == Approx(-0.5 * angles::kPi));
  CHECK(angles::normalize_angle_positive(-0.5) == Approx(2 * angles::kPi - 0.5));
  CHECK(angles::shortest_angular_distance(3, -3) == Approx(2 * angles::kPi - 6));
  CHECK(angles::two_pi_complement(1) == Approx(1 - 2 * angles::kPi));
}
