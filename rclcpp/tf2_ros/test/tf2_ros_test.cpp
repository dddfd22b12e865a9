#include "node_rig.hpp"
#include "tf2_geometry_msgs/tf2_geometry_msgs.hpp"
#include "tf2_ros/buffer.h"
#include "tf2_ros/create_timer_ros.h"
#include "tf2_ros/message_filter.h"
#include "tf2_ros/static_transform_broadcaster.h"
#include "tf2_ros/transform_broadcaster.h"
#include "tf2_ros/transform_listener.h"

using namespace std::chrono_literals;
using geometry_msgs::msg::TransformStamped;

namespace {

TransformStamped transform(const char* parent, const char* child, rclcpp::Time stamp, double x) {
  TransformStamped t;
  t.header.frame_id = parent, t.child_frame_id = child, t.header.stamp = stamp;
  t.transform.translation.x = x;
  return t;
}

// Publishes every 10 ns that base moves by 1 m in that time.
struct Driver : rclcpp::Node {
  Driver() : Node("driver"), out(this) {
    timer = create_wall_timer(10ns, [this] {
      out.sendTransform(transform("map", "base", now(), 0.1 * static_cast<double>(now().nanoseconds())));
    });
  }
  tf2_ros::TransformBroadcaster out;
  rclcpp::TimerBase::SharedPtr timer;
};

struct Listener : rclcpp::Node {
  Listener(bool spin_thread = true) : Node("listener"), buffer(get_clock()), listener(buffer, this, spin_thread) {}
  tf2_ros::Buffer buffer;
  tf2_ros::TransformListener listener;
};

}  // namespace

// A user's own type, which is no message and has no toMsg().
struct Reach {
  double metres = 0;
};

template <>
template <>
inline void tf2::impl::Converter<true, false>::convert(const geometry_msgs::msg::Vector3& a, Reach& b) {
  b.metres = a.x;
}

TEST_CASE("a specialization of the converter takes the place of fromMsg()") {
  geometry_msgs::msg::Vector3 message;
  message.x = 3;
  Reach reach;
  tf2::convert(message, reach);
  CHECK(reach.metres == 3);
  tf2::Vector3 plain;
  tf2::impl::Converter<true, false>::convert(message, plain);
  CHECK(plain == tf2::Vector3(3, 0, 0));
}

TEST_CASE("who derives from the listener sees and may drop what comes") {
  NodeRig rig;
  struct Choosy : tf2_ros::TransformListener {
    Choosy(tf2::BufferCore& buffer, rclcpp::Node* node, NodeRig& rig) : TransformListener(buffer, node), rig(rig) {}
    void subscription_callback(tf2_msgs::msg::TFMessage::ConstSharedPtr message, bool is_static) override {
      rig.tell(std::string(is_static ? "static " : "") + message->transforms[0].child_frame_id);
      if (is_static) TransformListener::subscription_callback(message, is_static);
    }
    NodeRig& rig;
  };
  auto node = std::make_shared<rclcpp::Node>("n");
  tf2_ros::Buffer buffer(node->get_clock());
  const auto listener = std::make_unique<Choosy>(buffer, node.get(), rig);
  tf2_ros::TransformBroadcaster moving(node);
  tf2_ros::StaticTransformBroadcaster still(node);
  moving.sendTransform(transform("map", "base", node->now(), 1));
  still.sendTransform(transform("base", "lidar", node->now(), 1));
  REQUIRE(rig.run_until(1));
  CHECK(rig.story == Lines{"0: base", "0: static lidar"});
  CHECK(buffer.canTransform("base", "lidar", tf2::TimePointZero));
  CHECK(!buffer.canTransform("map", "base", tf2::TimePointZero));
}

TEST_CASE("a lookup with a timeout waits in simulated time until the transform is there") {
  NodeRig rig;
  auto driver = std::make_shared<Driver>();
  auto node = std::make_shared<Listener>();
  rclcpp::TimerBase::SharedPtr timer;
  timer = node->create_wall_timer(15ns, [&] {
    timer->cancel();
    const auto X = node->buffer.lookupTransform("map", "base", node->now(), rclcpp::Duration(100ns));
    rig.tell(std::to_string(X.transform.translation.x));
  });
  REQUIRE(rig.run_until(60));

  CHECK(rig.story == Lines{"20: 1.500000"});
}

TEST_CASE("a lookup gives up when its time is over, and at once without a timeout") {
  NodeRig rig;
  auto node = std::make_shared<Listener>();
  rclcpp::TimerBase::SharedPtr timer;
  timer = node->create_wall_timer(15ns, [&] {
    timer->cancel();
    CHECK_THROWS_AS(node->buffer.lookupTransform("map", "base", tf2::TimePointZero), tf2::LookupException);
    rig.tell("without");
    CHECK_THROWS_AS(node->buffer.lookupTransform("map", "base", tf2::TimePointZero, 100ns), tf2::LookupException);
    rig.tell("with");
    std::string why;
    CHECK_FALSE(node->buffer.canTransform("map", "base", rclcpp::Time(0), 50ns, &why));
    rig.tell(why);
  });
  REQUIRE(rig.run_until(1000));

  CHECK(rig.story == Lines{"15: without", "115: with",
                           "165: \"map\" passed to canTransform argument target_frame does not exist. "});
}

TEST_CASE("a listener in the caller's own group receives nothing while the caller waits") {
  NodeRig rig;
  auto driver = std::make_shared<Driver>();
  auto node = std::make_shared<Listener>(false);
  rclcpp::TimerBase::SharedPtr timer;
  timer = node->create_wall_timer(5ns, [&] {
    timer->cancel();
    rig.tell(node->buffer.canTransform("map", "base", tf2::TimePointZero, 30ns) ? "yes" : "no");
  });
  REQUIRE(rig.run_until(100));

  CHECK(rig.story == Lines{"35: no"});
  CHECK(node->buffer.canTransform("map", "base", tf2::TimePointZero));
}

TEST_CASE("static transforms reach who listens later, all that were ever sent, by one message") {
  NodeRig rig;
  auto early = std::make_shared<rclcpp::Node>("early");
  tf2_ros::StaticTransformBroadcaster out(early);
  out.sendTransform(transform("base", "laser", early->now(), 1));
  out.sendTransform(transform("base", "camera", early->now(), 2));
  out.sendTransform(transform("base", "laser", early->now(), 3));
  REQUIRE(rig.run_until(10));
  tf2_ros::Buffer buffer(early->get_clock());
  tf2_ros::TransformListener listener(buffer);
  REQUIRE(rig.run_until(20));

  CHECK(buffer.lookupTransform("base", "laser", tf2::TimePointZero).transform.translation.x == 3);
  CHECK(buffer.lookupTransform("camera", "laser", rclcpp::Time(7)).transform.translation.x == 1);
}

TEST_CASE("a transform that is refused is a warning of the listener's node") {
  NodeRig rig;
  auto node = std::make_shared<Listener>();
  tf2_ros::TransformBroadcaster out(node);
  out.sendTransform(transform("base", "base", node->now(), 1));
  REQUIRE(rig.run_until(0));

  REQUIRE(rig.log.size() == 1);
  CHECK(rig.log[0].find("30 listener: a transform of frame 'base'") == 0);
}

TEST_CASE("data goes to another frame at its own time") {
  NodeRig rig;
  auto node = std::make_shared<Listener>();
  tf2_ros::TransformBroadcaster out(*node);
  for (const int ns : {10, 20}) out.sendTransform(transform("map", "base", rclcpp::Time(ns), ns));
  REQUIRE(rig.run_until(0));
  geometry_msgs::msg::PoseStamped pose;
  pose.header.frame_id = "base", pose.header.stamp = rclcpp::Time(14), pose.pose.position.x = 100;

  const auto moved = node->buffer.transform(pose, "map");
  CHECK(moved.pose.position.x == doctest::Approx(114));
  CHECK(moved.header.frame_id == "map");
  CHECK(rclcpp::Time(moved.header.stamp).nanoseconds() == 14);
}

TEST_CASE("who waits for a transform is called when it comes, when time is over, or never when he cancels") {
  NodeRig rig;
  auto driver = std::make_shared<Driver>();
  auto node = std::make_shared<Listener>();
  const auto at = [](int ns) { return tf2_ros::fromRclcpp(rclcpp::Time(ns)); };
  CHECK_THROWS_AS(node->buffer.waitForTransform("map", "base", at(25), 50ns, [](auto&) {}),
                  tf2_ros::CreateTimerInterfaceException);
  node->buffer.setCreateTimerInterface(std::make_shared<tf2_ros::CreateTimerROS>(node->get_node_base_interface()));
  const auto tell = [&](const tf2_ros::TransformStampedFuture& future) {
    try {
      rig.tell(std::to_string(future.get().transform.translation.x));
    } catch (const tf2::TransformException& e) { rig.tell(e.what()); }
  };
  node->buffer.waitForTransform("map", "base", at(25), 50ns, tell);
  node->buffer.waitForTransform("map", "mars", at(25), 50ns, tell);
  node->buffer.cancel(node->buffer.waitForTransform("map", "base", at(35), 50ns, tell));
  REQUIRE(rig.run_until(100));

  CHECK(rig.story == Lines{"30: 2.500000", "50: timed out waiting for the transform from 'mars' to 'map'"});
  node->buffer.waitForTransform("map", "base", at(95), 50ns, tell);
  CHECK(rig.story.back() == "100: 9.500000");
}

TEST_CASE("a buffer with a node reports its frames as a service") {
  NodeRig rig;
  auto node = std::make_shared<rclcpp::Node>("n");
  tf2_ros::Buffer buffer(node->get_clock(), 10s, node);
  buffer.setTransform(transform("map", "base", rclcpp::Time(1), 0), "me");
  auto client = node->create_client<tf2_msgs::srv::FrameGraph>("/n/tf2_frames");
  client->async_send_request(std::make_shared<tf2_msgs::srv::FrameGraph::Request>(),
                             [&](rclcpp::Client<tf2_msgs::srv::FrameGraph>::SharedFuture future) {
                               rig.tell(future.get()->frame_yaml.substr(0, 21));
                             });
  REQUIRE(rig.run_until(0));
  CHECK(rig.story == Lines{"0: base:\n  parent: 'map'"});
}

// Poses through a filter that wants them in "map", and what became of them.
struct Filtered {
  explicit Filtered(NodeRig& rig, std::uint32_t queue, std::chrono::nanoseconds timeout)
      : node(std::make_shared<Listener>()),
        filter((node->buffer.setCreateTimerInterface(
                    std::make_shared<tf2_ros::CreateTimerROS>(node->get_node_base_interface())),
                source),
               node->buffer, "/map", queue, node, timeout) {
    filter.registerCallback([&rig](const Pose::ConstSharedPtr& m) { rig.tell("pose of " + at(*m)); });
    filter.registerFailureCallback([&rig](const Pose::ConstSharedPtr& m, tf2_ros::FilterFailureReason reason) {
      rig.tell("lost " + at(*m) + ": " + std::to_string(reason));
    });
  }
  using Pose = geometry_msgs::msg::PoseStamped;
  static std::string at(const Pose& m) { return std::to_string(rclcpp::Time(m.header.stamp).nanoseconds()); }
  void add(const char* frame, int ns) {
    auto m = std::make_shared<Pose>();
    m->header.frame_id = frame, m->header.stamp = rclcpp::Time(ns);
    source.add(m);
  }
  message_filters::PassThrough<Pose> source;
  std::shared_ptr<Listener> node;
  tf2_ros::MessageFilter<Pose> filter;
};

TEST_CASE("a filter lets a message through when its transform is there, at once if it is there already") {
  NodeRig rig;
  auto driver = std::make_shared<Driver>();
  Filtered filtered(rig, 10, tf2_ros::MessageFilter<Filtered::Pose>::kForever);
  filtered.add("base", 35);
  filtered.add("base", 15);
  REQUIRE(rig.run_until(60));
  filtered.add("base", 55);
  CHECK(rig.story == Lines{"20: pose of 15", "40: pose of 35", "60: pose of 55"});

  filtered.filter.setTolerance(rclcpp::Duration(0, 10));
  filtered.add("base", 55);
  filtered.filter.setTargetFrames({"map", "base"});
  filtered.add("base", 56);
  REQUIRE(rig.run_until(100));
  CHECK(rig.story.size() == 5);
  CHECK(rig.story.back() == "70: pose of 56");
}

TEST_CASE("a filter reports messages that it gives up: pushed out, too late, or of no frame") {
  NodeRig rig;
  auto driver = std::make_shared<Driver>();
  Filtered filtered(rig, 2, std::chrono::nanoseconds(50));
  filtered.add("", 1);
  filtered.add("mars", 2);
  filtered.add("venus", 3);
  filtered.add("base", 15);
  REQUIRE(rig.run_until(100));

  using namespace tf2_ros::filter_failure_reasons;
  const auto lost = [](int at, int which, int why) {
    return std::to_string(at) + ": lost " + std::to_string(which) + ": " + std::to_string(why);
  };
  CHECK(rig.story ==
        Lines{lost(0, 1, EmptyFrameID), lost(0, 2, QueueFull), "20: pose of 15", lost(50, 3, NoTransformFound)});
  filtered.add("mars", 99);
  filtered.filter.clear();
  REQUIRE(rig.run_until(300));
  CHECK(rig.story.size() == 4);
}
