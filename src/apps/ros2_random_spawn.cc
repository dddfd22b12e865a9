// convoy ros2 random-spawn: spawns robots at random places through one client of a run, and drives each about, as a program of
// ROS 2 does: over DDS, by the client's services and the robots' cmd_vel.
#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <geometry_msgs/msg/twist.hpp>
#include <numbers>
#include <ue_msgs/srv/get_entity_state.hpp>
#include <ue_msgs/srv/spawn_entity.hpp>

#include "adapters/ros2/graph_report.h"
#include "adapters/ros2/services.h"
#include "apps/random_spawn.h"
#include "apps/ros2_domain.h"
#include "core/random.h"
#include "os/clock.h"
#include "os/machine.h"
#include "os/signals.h"
#include "os/standard_streams.h"
#include "os/terminal.h"

namespace convoy::apps {

namespace {

using geometry_msgs::msg::Twist;
using ue_msgs::srv::GetEntityState;
using ue_msgs::srv::SpawnEntity;

constexpr int kTries = 20;                           // places for one robot: some stand in a wall
constexpr Duration kKept = std::chrono::seconds(2);  // how long a robot drives one way
constexpr Duration kBetweenCommands = std::chrono::milliseconds(100);

Duration duration_of(double s) { return std::chrono::milliseconds(static_cast<std::int64_t>(s * 1e3)); }

Random random_of(std::uint64_t seed) { return {stream_key(seed ? seed : os::drawn_number(), 0, "random_spawn"), 0}; }

double drawn(Random& random, const Range& range) { return random.uniform(range.low, range.high); }

// What there is in place of a service that nobody serves.
std::string instead(const ros2::RemoteGraph& graph) {
  std::vector<std::string> there;
  for (const ros2::ReportedTopic& topic : ros2::report_of(graph)) {
    const bool served = std::any_of(topic.ends.begin(), topic.ends.end(), [](const auto& end) { return !end.writer; });
    if (topic.kind == ros2::TopicKind::kRequest && served && topic.name.ends_with("/SpawnEntity"))
      there.push_back(topic.name);
  }
  if (!there.empty()) return fmt::format("there is {}", fmt::join(there, ", "));
  if (graph.participants().empty()) return "nobody else is there";
  return fmt::format("{} participants are there, and none serves a SpawnEntity", graph.participants().size());
}

// The services of one client, asked in turn.
class Spawner {
 public:
  Spawner(OpenedDomain& opened, ros2::Node& node, const RandomSpawn& plan, Duration timeout,
          const std::atomic<bool>& stopped)
      : opened_(opened),
        node_(node),
        plan_(plan),
        timeout_(timeout),
        stopped_(stopped),
        random_(random_of(plan.seed)) {}

  // kUnavailable: nobody serves them within the timeout; kInvalid: the namespace is no name of ROS.
  Status find() {
    const std::string place =
        plan_.ns.empty() || plan_.ns == "/" ? "/" : (plan_.ns[0] == '/' ? "" : "/") + plan_.ns + "/";
    auto spawns = node_.client(place + "SpawnEntity", ros::ServiceSupport::of<SpawnEntity>());
    auto tells = node_.client(place + "GetEntityState", ros::ServiceSupport::of<GetEntityState>());
    if (!spawns) return tl::unexpected(spawns.error());
    if (!tells) return tl::unexpected(tells.error());
    spawns_ = std::move(*spawns), tells_ = std::move(*tells);
    wait(os::now() + timeout_, [&] { return spawns_->ready() && tells_->ready(); });
    if (stopped_) return fail(ErrorCode::kState, "interrupted");
    if (spawns_->ready() && tells_->ready()) return {};
    return fail(ErrorCode::kUnavailable,
                fmt::format("nobody serves {}SpawnEntity in {}, within {:g} s; {}", place, opened_.text,
                            seconds(timeout_), instead(opened_.domain->graph())));
  }

  // Where it is in the world; nothing: it is not there.
  Result<std::optional<geometry_msgs::msg::Point>> place_of(const std::string& name) {
    GetEntityState::Request request;
    request.name = name;
    const auto reply = ask<GetEntityState>(*tells_, request);
    if (!reply) return tl::unexpected(reply.error());
    if (!reply->success) return std::nullopt;
    return reply->state.pose.position;
  }

  // Where it is then; what is there already stays. kState: no place is free.
  Result<geometry_msgs::msg::Point> spawn(const std::string& name, Log& log) {
    std::string refused = "it is not there afterwards";
    for (int tries = 0; tries <= kTries; ++tries) {
      const auto found = place_of(name);
      if (!found) return tl::unexpected(found.error());
      if (*found) return **found;
      if (tries == kTries) break;
      const auto reply = ask<SpawnEntity>(*spawns_, anywhere(name));
      if (!reply) return tl::unexpected(reply.error());
      if (reply->success) continue;
      refused = os::escape_line(reply->status_message, 300);
      log.line(LogLevel::kInfo, name + ": " + refused);
    }
    return fail(ErrorCode::kState, fmt::format("no place for {} in {} tries: {}", name, kTries, refused));
  }

  // Drives all of them for that long, or until it is stopped.
  Status drive(const std::vector<std::string>& names) {
    std::vector<std::unique_ptr<ros2::Publisher>> drives;
    for (const std::string& name : names) {
      auto made = node_.publisher("/" + ros2::as_name_part(name) + "/cmd_vel", ros::TypeSupport::of<Twist>());
      if (!made) return tl::unexpected(made.error());
      drives.push_back(std::move(*made));
    }
    const Moment end = plan_.duration > 0 ? os::now() + duration_of(plan_.duration) : kNever;
    std::vector<Twist> twists(names.size());
    for (Moment now = os::now(), changes = now; now < end && !stopped_; now = os::now()) {
      if (now >= changes) {
        for (Twist& one : twists)
          one.linear.x = drawn(random_, plan_.linear), one.angular.z = drawn(random_, plan_.angular);
        changes = now + kKept;
      }
      for (std::size_t i = 0; i < drives.size(); ++i) ros2::publish(*drives[i], twists[i]);
      wait(std::min(end, now + kBetweenCommands), [] { return false; });
    }
    return {};
  }

 private:
  template <class Enough>
  void wait(Moment until, const Enough& enough) {
    spin_until(*opened_.domain, until, [&] { return stopped_.load() || enough(); });
  }

  template <class ServiceT>
  Result<typename ServiceT::Response> ask(ros2::Client& client, const typename ServiceT::Request& request) {
    const auto cdr = ros::TypeSupport::of<typename ServiceT::Request>().to_cdr(&request);
    if (!cdr) return tl::unexpected(cdr.error());
    std::optional<Result<Bytes>> reply;
    const Moment until = os::now() + timeout_;
    client.call(*cdr, until, [&](Result<Bytes> came) { reply = std::move(came); });
    spin_until(*opened_.domain, kNever, [&] { return reply.has_value(); });
    if (!*reply) return tl::unexpected(reply->error());
    typename ServiceT::Response out;
    if (const auto read =
            ros::TypeSupport::of<typename ServiceT::Response>().from_cdr(**reply, &out, ros::Rest::kIgnored);
        !read)
      return tl::unexpected(read.error());
    return out;
  }

  SpawnEntity::Request anywhere(const std::string& name) {
    SpawnEntity::Request out;
    out.xml = plan_.models[random_.below(plan_.models.size())];
    out.state.name = name;
    out.state.pose.position.x = drawn(random_, plan_.x), out.state.pose.position.y = drawn(random_, plan_.y);
    const double yaw = random_.uniform(-std::numbers::pi, std::numbers::pi);
    out.state.pose.orientation.z = std::sin(yaw / 2), out.state.pose.orientation.w = std::cos(yaw / 2);
    return out;
  }

  OpenedDomain& opened_;
  ros2::Node& node_;
  const RandomSpawn& plan_;
  Duration timeout_;
  const std::atomic<bool>& stopped_;
  Random random_;
  std::unique_ptr<ros2::Client> spawns_, tells_;
};

Status spawn_and_drive(Spawner& spawner, const std::vector<std::string>& names, Log& log) {
  if (const auto found = spawner.find(); !found) return found;
  for (const std::string& name : names) {
    const auto place = spawner.spawn(name, log);
    if (!place) return tl::unexpected(place.error());
    os::print("{} is at {:.2f}, {:.2f}\n", name, place->x, place->y);
    os::flush_stdout();
  }
  if (const auto driven = spawner.drive(names); !driven) return driven;
  for (const std::string& name : names) {
    const auto place = spawner.place_of(name);
    if (!place) return tl::unexpected(place.error());
    if (*place) os::print("{} came to {:.2f}, {:.2f}\n", name, (*place)->x, (*place)->y);
    else os::print("{} is gone\n", name);
  }
  return {};
}

}  // namespace

int ros2_random_spawn(const Arguments& arguments) {
  RandomSpawn plan = arguments.ros2.spawn;
  for (const std::string& text : arguments.ros2.parameters)
    if (const auto set = set_parameter(plan, text); !set)
      return complain(os::escape_line(set.error().message()), kUsage);
  os::StderrLog log(arguments.log_level);
  std::atomic<bool> stopped{false};
  const os::Signals signals([&](int) { stopped = true; });
  auto opened = open_domain(arguments.ros2, log);
  if (!opened) return complain(opened.error().message(), kUsage);
  ros2::Node node(*opened->domain, "/", "random_spawn");
  Spawner spawner(*opened, node, plan, duration_of(arguments.ros2.timeout), stopped);
  const auto done = spawn_and_drive(spawner, names_of(plan), log);
  if (stopped) return kInterrupted;
  return done ? kOk : complain(done.error().message(), done.error().code == ErrorCode::kInvalid ? kUsage : kFailed);
}

}  // namespace convoy::apps
