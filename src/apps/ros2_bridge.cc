// convoy ros2-bridge: URLab's streams over ZeroMQ as topics of ROS 2, beside the simulation.
#include <fmt/format.h>
#include <poll.h>

#include <chrono>
#include <cstring>
#include <geometry_msgs/msg/transform_stamped.hpp>
#include <nav_msgs/msg/odometry.hpp>
#include <sensor_msgs/msg/image.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <set>
#include <std_msgs/msg/float64_multi_array.hpp>
#include <tf2_msgs/msg/tf_message.hpp>

#include "adapters/ros2/names.h"
#include "adapters/zmq/readings.h"
#include "adapters/zmq/socket.h"
#include "apps/prepare.h"
#include "apps/ros2_room.h"

namespace convoy::apps {

namespace {

using nav_msgs::msg::Odometry;
using sensor_msgs::msg::Image;
using sensor_msgs::msg::JointState;
using std_msgs::msg::Float64MultiArray;
using tf2_msgs::msg::TFMessage;

constexpr std::size_t kAtOnce = 10'000;  // messages of one socket, before others have their turn

builtin_interfaces::msg::Time stamp_of(double s) {
  builtin_interfaces::msg::Time out;
  const double whole = std::floor(s);
  out.sec = static_cast<std::int32_t>(whole), out.nanosec = static_cast<std::uint32_t>((s - whole) * 1e9);
  return out;
}

double wall_s() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

// What comes by parts and belongs together: handed over when a part comes again, or when all that are known have come.
template <class T>
class Step {
 public:
  using Parts = std::vector<std::pair<std::string, T>>;
  // `done` is called with a whole one.
  template <class Done>
  void take(const std::string& name, T value, const Done& done) {
    const auto end = [&] {
      for (const auto& [part, unused] : parts_) known_.insert(part);
      done(std::exchange(parts_, {}));
    };
    if (std::any_of(parts_.begin(), parts_.end(), [&](const auto& part) { return part.first == name; })) end();
    parts_.emplace_back(name, std::move(value));
    if (!known_.empty() && parts_.size() >= known_.size()) end();
  }

 private:
  Parts parts_;
  std::set<std::string> known_;
};

// One robot's topics; each comes with the first message of its kind.
class BridgedRobot {
 public:
  BridgedRobot(ros2::Node& node, std::string name, bool per_joint)
      : node_(node), name_(std::move(name)), ns_(ros2::as_name_part(name_)), per_joint_(per_joint) {}
  BridgedRobot(const BridgedRobot&) = delete;

  const std::string& name() const { return name_; }
  const std::string& ns() const { return ns_; }

  void take(const zmq::StreamTopic& topic, ByteView payload, std::uint32_t width, std::uint32_t height) {
    const std::string part(topic.part);
    if (topic.kind == "joint") {
      if (const auto joint = zmq::read_joint(payload)) take_joint(part, *joint);
    } else if (topic.kind == "sensor") {
      if (auto values = zmq::read_sensor(payload)) take_sensor(part, std::move(*values));
    } else if (topic.kind == "base_state") {
      if (const auto base = zmq::read_base(payload)) take_base(part, *base);
    } else if (topic.kind == "camera") {
      if (const auto picture = zmq::read_picture(payload, width, height)) take_picture(part, *picture);
    }
  }
  void told(zmq::InfoRead info) { info_ = std::move(info); }

  // As values by the names of actuators; those that it does not have are given to `unknown`.
  template <class Unknown>
  std::vector<zmq::ControlPair> controls_of(const JointState& command, const Unknown& unknown) const {
    const auto& values = !command.position.empty()   ? command.position
                         : !command.velocity.empty() ? command.velocity
                                                     : command.effort;
    constexpr std::string_view kJoint = "_joint";
    std::vector<zmq::ControlPair> out;
    for (std::size_t i = 0; i < std::min(command.name.size(), values.size()); ++i) {
      const std::string& name = command.name[i];
      const std::string shorter = name.ends_with(kJoint) ? name.substr(0, name.size() - kJoint.size()) : name;
      const auto at = std::find_if(info_.actuators.begin(), info_.actuators.end(),
                                   [&](const auto& one) { return one.first == name || one.first == shorter; });
      if (at == info_.actuators.end()) unknown(name);
      else out.push_back({at->second, static_cast<float>(values[i])});
    }
    return out;
  }
  // As a value for each actuator, in the order of the info message.
  std::vector<zmq::ControlPair> controls_of(const Float64MultiArray& values) const {
    std::vector<zmq::ControlPair> out;
    for (std::size_t i = 0; i < values.data.size(); ++i) {
      if (!info_.actuators.empty() && i >= info_.actuators.size()) break;
      const auto number = info_.actuators.empty() ? static_cast<std::int32_t>(i) : info_.actuators[i].second;
      out.push_back({number, static_cast<float>(values.data[i])});
    }
    return out;
  }

 private:
  template <class Message>
  void publish(const std::string& topic, const Message& message, const ros2::Qos& qos = {}) {
    auto& publisher = publishers_[topic];
    if (!publisher) {
      auto made = node_.publisher(topic.starts_with('/') ? topic : "/" + ns_ + "/" + topic,
                                  ros::TypeSupport::of<Message>(), qos);
      if (!made) return;
      publisher = std::move(*made);
    }
    if (publisher->wanted()) ros2::publish(*publisher, message);
  }

  void take_joint(const std::string& name, const zmq::JointRead& joint) {
    const auto tell = [&](const Step<zmq::JointRead>::Parts& joints) {
      JointState out;
      out.header.stamp = stamp_of(wall_s());
      for (const auto& [one, read] : joints)
        out.name.push_back(one), out.position.push_back(read.position), out.velocity.push_back(read.velocity),
            out.effort.push_back(read.acceleration);
      publish("joint_states", out);
    };
    if (per_joint_) tell({{name, joint}});
    else joints_.take(name, joint, tell);
  }

  void take_sensor(const std::string& name, std::vector<double> values) {
    Float64MultiArray one;
    one.data = values;
    publish("sensor/" + ros2::as_name_part(name), one);
    sensors_.take(name, std::move(values), [&](const Step<std::vector<double>>::Parts& sensors) {
      Float64MultiArray all;
      for (const auto& [sensor, numbers] : sensors) {
        auto& dimension = all.layout.dim.emplace_back();
        dimension.label = sensor;
        dimension.size = dimension.stride = static_cast<std::uint32_t>(numbers.size());
        all.data.insert(all.data.end(), numbers.begin(), numbers.end());
      }
      publish("sensor_data", all);
    });
  }

  void take_base(const std::string& joint, const zmq::BaseRead& base) {
    Odometry out;
    out.header.stamp = stamp_of(wall_s()), out.header.frame_id = "world";
    out.child_frame_id = ns_ + "/" + joint;
    const Pose& X = base.X_WB;
    auto& pose = out.pose.pose;
    pose.position.x = X.p.x, pose.position.y = X.p.y, pose.position.z = X.p.z;
    pose.orientation.w = X.q.w, pose.orientation.x = X.q.x, pose.orientation.y = X.q.y, pose.orientation.z = X.q.z;
    if (base.V_WB_B) {
      const auto& [v, w] = *base.V_WB_B;
      out.twist.twist.linear.x = v.x, out.twist.twist.linear.y = v.y, out.twist.twist.linear.z = v.z;
      out.twist.twist.angular.x = w.x, out.twist.twist.angular.y = w.y, out.twist.twist.angular.z = w.z;
    }
    publish("odom", out);
    TFMessage tf;
    auto& one = tf.transforms.emplace_back();
    one.header = out.header, one.child_frame_id = out.child_frame_id;
    one.transform.translation.x = X.p.x, one.transform.translation.y = X.p.y, one.transform.translation.z = X.p.z;
    one.transform.rotation = pose.orientation;
    publish("/tf", tf);
  }

  void take_picture(const std::string& camera, const zmq::PictureRead& picture) {
    const auto shown = info_.shows.find(camera);
    const std::string shows = shown == info_.shows.end() ? "bgra8" : shown->second;
    Image out;
    out.header.stamp = stamp_of(picture.stamp.captured > 0 ? picture.stamp.captured : wall_s());
    out.header.frame_id = ns_ + "_" + camera + "_optical_frame";
    out.width = picture.width, out.height = picture.height, out.step = 4 * picture.width;
    out.encoding = shows == "depth_cm" ? "32FC1" : shows == "bgra8" ? "bgra8" : "32SC1";
    out.data.assign(picture.pixels.begin(), picture.pixels.end());
    if (shows == "depth_cm") {
      for (std::size_t at = 0; at < out.data.size(); at += 4) {
        float depth = 0;
        std::memcpy(&depth, &out.data[at], 4);
        depth /= 100;  // m
        std::memcpy(&out.data[at], &depth, 4);
      }
    }
    publish("camera/" + ros2::as_name_part(camera) + "/image_raw", out, {.reliable = false, .depth = 2});
  }

  ros2::Node& node_;
  std::string name_, ns_;
  bool per_joint_;
  std::map<std::string, std::unique_ptr<ros2::Publisher>> publishers_;  // by topic
  Step<zmq::JointRead> joints_;
  Step<std::vector<double>> sensors_;
  zmq::InfoRead info_;
};

// "tcp://127.0.0.1:5555" -> "127.0.0.1:5555".
std::string address_of(const std::string& endpoint) {
  constexpr std::string_view kTcp = "tcp://";
  return endpoint.starts_with(kTcp) ? endpoint.substr(kTcp.size()) : endpoint;
}

// So many ports further; kInvalid.
Result<std::string> beside(const std::string& address, int ports) {
  const std::size_t colon = address.rfind(':');
  int port = 0;
  if (colon != address.npos)
    for (const char c : address.substr(colon + 1))
      port = c >= '0' && c <= '9' && port < 65536 ? 10 * port + (c - '0') : -70'000;
  if (port <= 0 || port + ports > 65535)
    return fail(ErrorCode::kInvalid, "'" + address + "' is no address with a port, as tcp://127.0.0.1:5555");
  return fmt::format("{}:{}", address.substr(0, colon), port + ports);
}

class Bridge {
 public:
  Bridge(Ros2Room& room, const BridgeArguments& a) : room_(room), a_(a) {}

  Status open() {
    const std::string main = address_of(a_.main);
    const auto control = a_.control.empty() ? beside(main, 1) : beside(address_of(a_.control), 0);
    const auto info = a_.info.empty() ? beside(main, 2) : beside(address_of(a_.info), 0);
    if (!control) return tl::unexpected(control.error());
    if (!info) return tl::unexpected(info.error());
    if (auto ok = listen(*info, 1000, true); !ok) return ok;
    if (auto ok = listen(main, 1000, false); !ok) return ok;
    for (const std::string& camera : a_.cameras) {
      const auto address = beside(address_of(camera), 0);
      if (!address) return tl::unexpected(address.error());
      if (auto ok = listen(*address, 4, false); !ok) return ok;
    }
    auto made = zmq::Socket::open(context_, {zmq::SocketOptions::Kind::kPublish, *control, false});
    if (!made) return tl::unexpected(made.error());
    control_.emplace(std::move(*made));
    return {};
  }

  // Until Ctrl-C.
  void run() {
    while (!room_.interrupted()) {
      std::vector<pollfd> all;
      for (const int fd : room_.domain().descriptors()) all.push_back({fd, POLLIN, 0});
      for (const Listener& one : listeners_) all.push_back({one.socket.descriptor(), POLLIN, 0});
      ::poll(all.data(), all.size(), 20);
      for (Listener& one : listeners_) drain(one);
      room_.domain().spin(os::now());
    }
  }

 private:
  struct Listener {
    zmq::Socket socket;
    bool info = false;
  };
  Status listen(const std::string& address, int queue, bool info) {
    auto made = zmq::Socket::open(context_, {zmq::SocketOptions::Kind::kListen, address, false, queue});
    if (!made) return tl::unexpected(made.error());
    listeners_.push_back({std::move(*made), info});
    return {};
  }

  void drain(Listener& from) {
    std::vector<Bytes> parts;
    for (std::size_t i = 0; i < kAtOnce && from.socket.receive(parts); ++i) {
      if (from.info && parts.size() == 1) {
        if (auto info = zmq::read_info(as_text(parts[0]))) {
          BridgedRobot& its = robot(info->robot);
          its.told(std::move(*info));
        }
      } else if (!from.info && parts.size() == 2) {
        const zmq::StreamTopic topic = zmq::read_stream_topic(as_text(parts[0]));
        constexpr std::string_view kKinds[] = {"joint", "sensor", "base_state", "camera"};
        if (!topic.part.empty() && std::find(std::begin(kKinds), std::end(kKinds), topic.kind) != std::end(kKinds))
          robot(std::string(topic.robot)).take(topic, parts[1], a_.width, a_.height);
      }
    }
  }

  BridgedRobot& robot(const std::string& name) {
    auto& found = robots_[name];
    if (found) return *found;
    found = std::make_unique<BridgedRobot>(room_.node(), name, a_.per_joint);
    BridgedRobot* its = found.get();
    hear<Float64MultiArray>(*its, "control",
                            [this, its](const Float64MultiArray& m) { send(*its, its->controls_of(m)); });
    hear<JointState>(*its, "joint_command", [this, its](const JointState& m) {
      send(*its, its->controls_of(m, [&](const std::string& joint) {
        if (unknown_.insert(its->name() + "/" + joint).second)
          os::print_error("convoy: {} has no actuator {}\n", os::escape_line(its->name(), 200),
                          os::escape_line(joint, 200));
      }));
    });
    os::print("robot {}, in /{}\n", os::escape_line(name, 200), its->ns());
    os::flush_stdout();
    return *its;
  }

  template <class Message, class Take>
  void hear(const BridgedRobot& robot, const char* topic, const Take& take) {
    auto made = room_.node().subscription("/" + robot.ns() + "/" + topic, ros::TypeSupport::of<Message>(), {},
                                          [this, take](const ros2::Received& got) {
                                            if (const auto m = ros2::message_in<Message>(room_.domain(), got.cdr))
                                              take(*m);
                                          });
    if (made) subscriptions_.push_back(std::move(*made));
    else os::print_error("convoy: {}\n", made.error().message());
  }

  void send(const BridgedRobot& robot, const std::vector<zmq::ControlPair>& controls) {
    if (controls.empty()) return;
    Bytes bytes;
    zmq::put_controls(bytes, controls);
    control_->send(robot.name() + "/control ", bytes);
  }

  Ros2Room& room_;
  const BridgeArguments& a_;
  zmq::Context context_;
  std::vector<Listener> listeners_;
  std::optional<zmq::Socket> control_;
  std::map<std::string, std::unique_ptr<BridgedRobot>> robots_;
  std::vector<std::unique_ptr<ros2::Subscription>> subscriptions_;
  std::set<std::string> unknown_;
};

}  // namespace

int ros2_bridge(const Arguments& a) {
  int code = kOk;
  const auto room = Ros2Room::enter(a, code);
  if (!room) return code;
  Bridge bridge(*room, a.ros2.bridge);
  if (const Status ok = bridge.open(); !ok) return complain(ok.error().message(), kUsage);
  bridge.run();
  return kInterrupted;
}

}  // namespace convoy::apps
