// convoy topic list, info, echo, hz, bw and pub with --ros2.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include <convoy_ros/types.hpp>
#include "apps/prepare.h"
#include "apps/ros2_look.h"
#include "apps/ros2_room.h"
#include "os/clock.h"

namespace convoy::apps {

namespace {

using Json = nlohmann::ordered_json;
using ros2::TopicKind;

constexpr std::size_t kShown = 128;  // elements of a list, characters of a text, without --full-length

// A topic that is listened to, until that is enough; `take` gets each message.
class Listening {
 public:
  using Take = std::function<void(const ros2::Received&)>;
  // False: it has been complained about.
  bool begin(Ros2Room& room, const Arguments& a, Take take) {
    const auto topic = room.find(TopicKind::kTopic, a.look.topic);
    if (!topic) return false;
    const std::string type = type_of(*topic, a.look.type);
    if (type.empty()) return false;
    auto support = ros::find_type(type);
    if (!support) return (void)complain(support.error().message(), kFailed), false;
    support_ = *support;
    auto made = room.node().subscription(topic->name, *support_, offered_by_all(*topic), std::move(take));
    if (!made) return (void)complain(made.error().message(), kFailed), false;
    subscription_ = std::move(*made);
    return true;
  }
  const ros::TypeSupport& type() const { return *support_; }

 private:
  std::optional<ros::TypeSupport> support_;
  std::unique_ptr<ros2::Subscription> subscription_;
};

int ended(const Ros2Room& room) { return room.interrupted() ? kInterrupted : kOk; }

constexpr double kForever = 1e9;  // s

Json ends_of(const ros2::ReportedTopic& topic, bool writers) {
  Json out = Json::array();
  for (const ros2::ReportedEnd& end : topic.ends)
    if (end.writer == writers)
      out.push_back({{"node", end.node},
                     {"type", end.type},
                     {"hash", end.hash},
                     {"reliable", end.qos.reliable},
                     {"transient_local", end.qos.transient_local}});
  return out;
}

}  // namespace

int ros2_topic_list(const Arguments& a) {
  int code = kOk;
  const auto room = Ros2Room::enter(a, code);
  if (!room) return code;
  room->look_around();
  Json lines = Json::array();
  std::size_t name = 0, type = 0;
  for (const ros2::ReportedTopic& topic : room->topics(TopicKind::kTopic)) {
    std::vector<std::string> types;
    std::size_t writers = 0;
    for (const ros2::ReportedEnd& end : topic.ends) {
      if (std::find(types.begin(), types.end(), end.type) == types.end()) types.push_back(end.type);
      writers += end.writer ? 1 : 0;
    }
    const std::string text = fmt::format("{}", fmt::join(types, ", "));
    name = std::max(name, topic.name.size()), type = std::max(type, text.size());
    lines.push_back({{"name", topic.name},
                     {"type", text},
                     {"publishers", writers},
                     {"subscriptions", topic.ends.size() - writers}});
  }
  if (a.json) {
    os::print("{}\n", Json{{"topics", lines}}.dump());
    return ended(*room);
  }
  for (const Json& l : lines)
    os::print("{:<{}}  {:<{}}  {} publishers, {} subscriptions\n", l["name"].get<std::string>(), name,
              l["type"].get<std::string>(), type, l["publishers"].get<std::size_t>(),
              l["subscriptions"].get<std::size_t>());
  return ended(*room);
}

int ros2_topic_info(const Arguments& a) {
  int code = kOk;
  const auto room = Ros2Room::enter(a, code);
  if (!room) return code;
  room->look_around();
  const auto topic = room->find(TopicKind::kTopic, a.look.topic);
  if (!topic) return room->interrupted() ? kInterrupted : kFailed;
  const Json out{
      {"name", topic->name}, {"publishers", ends_of(*topic, true)}, {"subscriptions", ends_of(*topic, false)}};
  if (a.json) {
    os::print("{}\n", out.dump());
    return kOk;
  }
  os::print("{}\n", topic->name);
  for (const char* what : {"publishers", "subscriptions"})
    for (const Json& end : out[what]) {
      const auto node = end["node"].get<std::string>(), hash = end["hash"].get<std::string>();
      os::print("{:<13}  {}  {}  {}, {}{}\n", what, node.empty() ? "(no node)" : node, end["type"].get<std::string>(),
                end["reliable"] ? "reliable" : "best effort", end["transient_local"] ? "transient local" : "volatile",
                hash.empty() ? "" : ", " + hash);
    }
  for (const std::string& line : topic->problems) os::print("PROBLEM  {}\n", line);
  return kOk;
}

int ros2_topic_echo(const Arguments& a) {
  int code = kOk;
  const auto room = Ros2Room::enter(a, code);
  if (!room) return code;
  std::uint64_t printed = 0;
  Listening listening;
  const auto take = [&](const ros2::Received& sample) {
    if (a.look.count > 0 && printed == a.look.count) return;
    ros::AnyMessage message(listening.type());
    if (const Status read = listening.type().from_cdr(sample.cdr, message.get(), ros::Rest::kIgnored); !read)
      return (void)complain("a message that is none: " + read.error().message(), kOk);
    ros::YamlOptions options;
    if (!a.look.full) options.elements = options.characters = kShown;
    const std::string yaml = listening.type().to_yaml(message.get(), options);
    if (a.json) os::print("{}\n", Json{{"node", room->domain().graph().node_of(sample.writer)}, {"yaml", yaml}}.dump());
    else os::print("{}---\n", yaml);
    os::flush_stdout();
    ++printed;
  };
  if (!listening.begin(*room, a, take)) return room->interrupted() ? kInterrupted : kFailed;
  (void)room->wait(kForever, [&] { return a.look.count > 0 && printed >= a.look.count; });
  return ended(*room);
}

namespace {

// Of the messages of one line.
struct Pace {
  std::uint64_t messages = 0, bytes = 0, least_bytes = 0, most_bytes = 0;
  Moment first{}, last{};
  double least = 0, most = 0, sum = 0, squares = 0;  // s between two
  void take(Moment now, std::size_t size) {
    if (messages > 0) {
      const double gap = seconds(now - last);
      least = messages == 1 ? gap : std::min(least, gap), most = std::max(most, gap);
      sum += gap, squares += gap * gap;
    } else {
      first = now, least_bytes = size;
    }
    last = now, ++messages, bytes += size;
    least_bytes = std::min<std::uint64_t>(least_bytes, size), most_bytes = std::max<std::uint64_t>(most_bytes, size);
  }
  double gaps() const { return static_cast<double>(messages) - 1; }
  double hz() const { return messages > 1 && sum > 0 ? gaps() / sum : 0; }
  double spread() const {
    return messages > 1 ? std::sqrt(std::max(0.0, squares / gaps() - (sum / gaps()) * (sum / gaps()))) : 0;
  }
};

// A line each window, until there are as many as wanted.
int measure(const Arguments& a, const std::function<void(const Pace&, double s)>& print) {
  int code = kOk;
  const auto room = Ros2Room::enter(a, code);
  if (!room) return code;
  Pace pace;
  Listening listening;
  const auto take = [&](const ros2::Received& sample) { pace.take(room->domain().now(), sample.cdr.size()); };
  if (!listening.begin(*room, a, take)) return room->interrupted() ? kInterrupted : kFailed;
  std::uint64_t lines = 0;
  Moment began = os::now();
  (void)room->wait(kForever, [&] {
    const double s = seconds(os::now() - began);
    if (s < a.look.window) return false;
    print(pace, s);
    os::flush_stdout();
    pace = {}, began = os::now();
    return a.look.count > 0 && ++lines >= a.look.count;
  });
  return ended(*room);
}

}  // namespace

int ros2_topic_hz(const Arguments& a) {
  return measure(a, [&](const Pace& p, double s) {
    if (a.json)
      os::print("{}\n", Json{{"hz", p.hz()},
                             {"messages", p.messages},
                             {"s", s},
                             {"least_s", p.least},
                             {"most_s", p.most},
                             {"spread_s", p.spread()}}
                            .dump());
    else
      os::print("{:.3f} Hz: {} messages in {:.3f} s; between two {:.4f} to {:.4f} s, standard deviation {:.5f} s\n",
                p.hz(), p.messages, s, p.least, p.most, p.spread());
  });
}

int ros2_topic_bw(const Arguments& a) {
  return measure(a, [&](const Pace& p, double s) {
    const double rate = static_cast<double>(p.bytes) / s;
    if (a.json)
      os::print("{}\n", Json{{"bytes_per_s", rate},
                             {"messages", p.messages},
                             {"bytes", p.bytes},
                             {"s", s},
                             {"least_bytes", p.least_bytes},
                             {"most_bytes", p.most_bytes}}
                            .dump());
    else
      os::print("{:.0f} bytes a second: {} messages in {:.3f} s, of {} to {} bytes\n", rate, p.messages, s,
                p.least_bytes, p.most_bytes);
  });
}

int ros2_topic_pub(const Arguments& a) {
  int code = kOk;
  const auto room = Ros2Room::enter(a, code);
  if (!room) return code;
  std::string type = a.look.type;
  if (type.empty()) {
    const auto topic = room->find(TopicKind::kTopic, a.look.topic);
    if (!topic) return room->interrupted() ? kInterrupted : kFailed;
    if ((type = type_of(*topic, "")).empty()) return kFailed;
  }
  const auto support = ros::find_type(type);
  if (!support) return complain(support.error().message(), kFailed);
  ros::AnyMessage message(*support);
  if (const Status read = support->from_yaml(a.look.value.empty() ? "{}" : a.look.value, message.get()); !read)
    return complain(read.error().message(), kUsage);
  const auto cdr = support->to_cdr(message.get());
  if (!cdr) return complain(cdr.error().message(), kUsage);
  const ros2::Qos qos{.transient_local = a.look.latched, .depth = a.look.latched ? 1 : 10};
  auto publisher = room->node().publisher(Ros2Room::full(a.look.topic), *support, qos);
  if (!publisher) return complain(publisher.error().message(), kUsage);
  if (!room->wait(a.look.spin, [&] { return (*publisher)->wanted(); })) {
    if (room->interrupted()) return kInterrupted;
    if (!a.look.latched)
      return complain(fmt::format("nobody subscribes to '{}' as {} in {}, within {:g} s", Ros2Room::full(a.look.topic),
                                  type, room->text(), a.look.spin),
                      kFailed);
  }
  const Moment began = os::now();
  std::uint64_t sent = 0;
  const auto due = [&] { return seconds(os::now() - began) >= static_cast<double>(sent) / a.look.rate; };
  while (!room->interrupted() && (a.look.times == 0 || sent < a.look.times)) {
    if (!room->wait(kForever, due)) break;
    (*publisher)->publish(*cdr);
    ++sent;
    if (a.json) os::print("{}\n", Json{{"published", sent}}.dump());
    else os::print("published {}\n", sent);
    os::flush_stdout();
  }
  // Latched: for whoever comes, until Ctrl-C; else until it has arrived.
  if (a.look.latched) (void)room->wait(kForever, [] { return false; });
  else (void)room->wait(1, [&] { return (*publisher)->acknowledged(); });
  return a.look.times == 0 || a.look.latched || sent < a.look.times ? ended(*room) : kOk;
}

}  // namespace convoy::apps
