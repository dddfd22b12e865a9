#include "apps/ros2_room.h"

#include <fmt/format.h>

#include <set>

#include "apps/prepare.h"
#include "core/nearest.h"
#include "os/clock.h"

namespace convoy::apps {

std::unique_ptr<Ros2Room> Ros2Room::enter(const Arguments& arguments, int& code) {
  std::unique_ptr<Ros2Room> room(new Ros2Room(arguments));
  auto opened = open_domain(arguments.ros2, room->log_);
  if (!opened) {
    code = complain(opened.error().message(), kUsage);
    return nullptr;
  }
  room->opened_ = std::move(*opened);
  room->node_ = std::make_unique<ros2::Node>(*room->opened_.domain, "/", "convoy_look");
  return room;
}

bool Ros2Room::wait(double s, const std::function<bool()>& enough) {
  bool found = false;
  const Moment until = os::now() + Duration(static_cast<std::int64_t>(s * 1e9));
  spin_until(domain(), until, [&] { return (found = enough()) || interrupted_ || os::stdout_failed(); });
  return found;
}

std::vector<ros2::ReportedTopic> Ros2Room::topics(ros2::TopicKind kind) const {
  std::vector<ros2::ReportedTopic> all = ros2::report_of(opened_.domain->graph());
  std::erase_if(all, [&](const ros2::ReportedTopic& topic) { return topic.kind != kind; });
  return all;
}

std::optional<ros2::ReportedTopic> Ros2Room::find(ros2::TopicKind kind, const std::string& name) {
  std::optional<ros2::ReportedTopic> found;
  std::vector<std::string> names;
  std::uint64_t version = 0;
  (void)wait(spin_, [&] {
    if (std::exchange(version, domain().graph().version()) == domain().graph().version()) return false;
    names.clear();
    for (ros2::ReportedTopic& topic : topics(kind)) {
      names.push_back(topic.name);
      if (topic.name == full(name)) found = std::move(topic);
    }
    return found.has_value();
  });
  if (found || interrupted_) return found;
  const char* what = kind == ros2::TopicKind::kTopic ? "topic" : "service";
  const std::string near = nearest_name(full(name), names);
  (void)complain(
      fmt::format("no {} '{}' in {}{}", what, full(name), text(), near.empty() ? "" : "; did you mean '" + near + "'?"),
      kFailed);
  return std::nullopt;
}

ros2::Qos offered_by_all(const ros2::ReportedTopic& topic) {
  ros2::Qos qos{.depth = 1000};
  bool any = false, latched = true;
  for (const ros2::ReportedEnd& end : topic.ends)
    if (end.writer) any = true, qos.reliable &= end.qos.reliable, latched &= end.qos.transient_local;
  qos.transient_local = any && latched;
  return qos;
}

std::string type_of(const ros2::ReportedTopic& topic, const std::string& wanted) {
  std::set<std::string> written, all;
  for (const ros2::ReportedEnd& end : topic.ends) {
    all.insert(end.type);
    if (end.writer) written.insert(end.type);
  }
  if (written.empty()) written = all;
  if (!wanted.empty()) {
    if (all.contains(wanted)) return wanted;
    (void)complain(fmt::format("'{}' has the type {}", topic.name, fmt::join(all, ", ")), kFailed);
    return "";
  }
  if (written.size() == 1) return *written.begin();
  (void)complain(fmt::format("'{}' has several types: {}; --type chooses one", topic.name, fmt::join(written, ", ")),
                 kFailed);
  return "";
}

}  // namespace convoy::apps
