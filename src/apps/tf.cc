#include "apps/tf.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tf2/LinearMath/Matrix3x3.hpp>
#include <tf2/buffer_core.hpp>
#include <tf2_msgs/msg/tf_message.hpp>
#include <thread>

#include <convoy_ros_types/type_support.h>
#include "apps/nodes_look.h"
#include "apps/prepare.h"
#include "apps/tf_source.h"
#include "os/clock.h"
#include "os/signals.h"
#include "os/standard_streams.h"

namespace convoy::apps {

namespace {

using Json = nlohmann::ordered_json;

constexpr auto kPoll = std::chrono::milliseconds(200);

// The nodes of a running server: two watchers, asked in turn.
int listen_inside(const Arguments& a, const TakeFrames& take, const std::function<bool()>& enough) {
  const std::string names[] = {a.look.tf_topic, a.look.tf_topic + "_static"};
  const NodesReply all = look(a, 0, 0, "");
  if (all.code != kOk) return all.code;
  std::vector<std::string> there;
  for (const Json& t : all.data["topics"])
    if (t["type"] == "tf2_msgs/msg/TFMessage") there.push_back(t["name"]);
  if (std::none_of(there.begin(), there.end(), [&](const auto& name) { return name == names[0] || name == names[1]; }))
    return complain(fmt::format("no topic '{}'; {}", names[0],
                                there.empty() ? "no node of the run tells of frames"
                                              : fmt::format("frames are told on {}", fmt::join(there, ", "))),
                    kFailed);
  std::atomic<bool> interrupted{false};
  const os::Signals signals([&](int) { interrupted = true; });
  const std::uint64_t watchers[] = {new_watcher(), new_watcher()};
  const auto type = ros::TypeSupport::of<tf2_msgs::msg::TFMessage>();
  for (bool over = false; !over && !interrupted && !os::stdout_failed();) {
    for (int i : {1, 0}) {
      const NodesReply now = look(a, 1, watchers[i], names[i]);
      if (now.code != kOk) return now.code;
      for (const Json& m : now.data["messages"]) {
        tf2_msgs::msg::TFMessage message;
        if (type.from_yaml(m["yaml"].get<std::string>(), &message))
          take(message, i == 1, m["agent"].get<std::string>());
      }
    }
    over = enough();
    if (!over) std::this_thread::sleep_for(kPoll);
  }
  for (int i : {0, 1}) (void)look(a, 2, watchers[i], names[i]);
  return interrupted ? kInterrupted : kOk;
}

int listen(const Arguments& a, const TakeFrames& take, const std::function<bool()>& enough) {
  return a.look.ros2 ? listen_ros2(a, take, enough) : listen_inside(a, take, enough);
}

// What was heard of a frame.
struct Frame {
  std::set<std::string> parents, by;
  std::uint64_t messages = 0;
  bool is_static = false;
  double newest = 0;  // s
};

double seconds_of(const builtin_interfaces::msg::Time& t) { return t.sec + t.nanosec * 1e-9; }

void print_below(const std::map<std::string, Frame>& frames, const std::string& name, int depth, double s,
                 std::set<std::string>& shown) {
  std::string about;
  if (const auto at = frames.find(name); at != frames.end()) {
    const Frame& f = at->second;
    about = f.is_static ? "  static"
                        : fmt::format("  {:.1f} Hz, newest {:.3f}", static_cast<double>(f.messages) / s, f.newest);
    if (!f.by.empty()) about += fmt::format(", by {}", fmt::join(f.by, ", "));
  }
  os::print("{:{}}{}{}\n", "", 2 * depth, name, about);
  if (!shown.insert(name).second) return;  // a circle
  for (const auto& [child, frame] : frames)
    if (frame.parents.contains(name)) print_below(frames, child, depth + 1, s, shown);
}

}  // namespace

int tf_tree(const Arguments& a) {
  std::map<std::string, Frame> frames;  // by child
  const auto take = [&](const tf2_msgs::msg::TFMessage& message, bool is_static, const std::string& by) {
    for (const auto& t : message.transforms) {
      Frame& f = frames[t.child_frame_id];
      f.parents.insert(t.header.frame_id);
      if (!by.empty()) f.by.insert(by);  // not known yet
      f.is_static |= is_static, ++f.messages, f.newest = std::max(f.newest, seconds_of(t.header.stamp));
    }
  };
  const Moment began = os::now();
  const int code = listen(a, take, [&] { return seconds(os::now() - began) >= a.look.spin; });
  if (code != kOk) return code;
  if (frames.empty())
    return complain(
        fmt::format("nothing was told on '{0}' and '{0}_static' within {1:g} s", a.look.tf_topic, a.look.spin),
        kFailed);
  std::set<std::string> roots, shown;
  for (const auto& [child, frame] : frames)
    for (const std::string& parent : frame.parents)
      if (!frames.contains(parent)) roots.insert(parent);
  if (a.json) {
    Json list = Json::array();
    for (const auto& [child, f] : frames)
      list.push_back({{"frame", child},
                      {"parents", f.parents},
                      {"by", f.by},
                      {"static", f.is_static},
                      {"messages", f.messages},
                      {"newest", f.newest}});
    os::print("{}\n", Json{{"frames", list}, {"roots", roots}}.dump());
  } else {
    const double s = seconds(os::now() - began);
    for (const std::string& root : roots) print_below(frames, root, 0, s, shown);
  }
  bool bad = false;
  for (const auto& [child, f] : frames) {
    std::string problem;
    if (f.parents.size() > 1) problem = fmt::format("has several parents: {}", fmt::join(f.parents, ", "));
    else if (!a.json && !shown.contains(child)) problem = "hangs in a circle";
    if (problem.empty()) continue;
    bad = true;
    if (!a.json) os::print("PROBLEM  {} {}\n", child, problem);
  }
  return bad ? kFailed : kOk;
}

int tf_echo(const Arguments& a) {
  tf2::BufferCore buffer;
  const auto take = [&](const tf2_msgs::msg::TFMessage& message, bool is_static, const std::string& by) {
    for (const auto& t : message.transforms) buffer.setTransform(t, by, is_static);
  };
  std::uint64_t printed = 0;
  const Moment began = os::now();
  Moment next = began;
  std::string why;
  const auto enough = [&] {
    const Moment now = os::now();
    if (now < next) return false;
    if (!buffer.canTransform(a.look.target, a.look.source, tf2::TimePointZero, &why))
      return printed == 0 && seconds(now - began) >= a.look.spin;
    const auto found = buffer.lookupTransform(a.look.target, a.look.source, tf2::TimePointZero);
    const auto& p = found.transform.translation;
    const auto& q = found.transform.rotation;
    double roll = 0, pitch = 0, yaw = 0;
    tf2::Matrix3x3(tf2::Quaternion(q.x, q.y, q.z, q.w)).getRPY(roll, pitch, yaw);
    if (a.json)
      os::print("{}\n", Json{{"at", seconds_of(found.header.stamp)},
                             {"translation", {p.x, p.y, p.z}},
                             {"rotation", {q.x, q.y, q.z, q.w}}}
                            .dump());
    else
      os::print(
          "at {:.3f}\n  translation  {:.6f} {:.6f} {:.6f}\n  quaternion   {:.6f} {:.6f} {:.6f} {:.6f} (x y z w)\n"
          "  roll pitch yaw  {:.6f} {:.6f} {:.6f}\n",
          seconds_of(found.header.stamp), p.x, p.y, p.z, q.x, q.y, q.z, q.w, roll, pitch, yaw);
    os::flush_stdout();
    next = now + Duration(static_cast<std::int64_t>(1e9 / a.look.rate));
    return ++printed == a.look.count;
  };
  const int code = listen(a, take, enough);
  if (code == kOk && printed == 0)
    return complain(fmt::format("'{}' is not known in '{}': {}", a.look.source, a.look.target, why), kFailed);
  return code;
}

}  // namespace convoy::apps
