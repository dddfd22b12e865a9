// A program's place in a domain of ROS 2: one node, and who else is there.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "adapters/ros2/graph_report.h"
#include "adapters/ros2/services.h"
#include "adapters/ros2/topics.h"
#include "apps/arguments.h"
#include "apps/ros2_domain.h"
#include "os/clock.h"
#include "os/signals.h"
#include "os/standard_streams.h"
#include "os/terminal.h"

namespace convoy::apps {

class Ros2Room {
 public:
  // Null, and `code`: it has been complained about.
  static std::unique_ptr<Ros2Room> enter(const Arguments& arguments, int& code);

  ros2::Domain& domain() { return *opened_.domain; }
  ros2::Node& node() { return *node_; }
  const std::string& text() const { return opened_.text; }  // "domain 0, on this network"
  bool interrupted() const { return interrupted_; }

  // Until it is `enough`, or s seconds are over, or Ctrl-C. True: it is enough.
  bool wait(double s, const std::function<bool()>& enough);
  // Until --spin-time is over: who is there is known then.
  void look_around() {
    (void)wait(spin_, [] { return false; });
  }
  std::vector<ros2::ReportedTopic> topics(ros2::TopicKind kind) const;
  // As soon as it is there, within --spin-time; nothing: it has been complained about, with what has a similar name.
  std::optional<ros2::ReportedTopic> find(ros2::TopicKind kind, const std::string& name);
  // "scan" is "/scan".
  static std::string full(const std::string& name) { return name.starts_with('/') ? name : "/" + name; }

 private:
  explicit Ros2Room(const Arguments& arguments) : log_(arguments.log_level), spin_(arguments.look.spin) {}

  os::StderrLog log_;
  double spin_;
  std::atomic<bool> interrupted_{false};
  OpenedDomain opened_;
  std::unique_ptr<ros2::Node> node_;
  os::Signals signals_{[this](int) { interrupted_ = true; }};
};

// The type that those who publish it have, or else those who subscribe to it; empty: it has been complained about, since
// there are several. `wanted`: it must be that one; may be empty.
std::string type_of(const ros2::ReportedTopic& topic, const std::string& wanted);

// What all who publish it offer, the last thousand messages: who asks for more hears nothing.
ros2::Qos offered_by_all(const ros2::ReportedTopic& topic);

}  // namespace convoy::apps
