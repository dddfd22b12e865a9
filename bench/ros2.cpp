// Peers of a run's door to ROS 2, in a process of their own: bench/ros2.py measures by them what docs/performance.md has.
//
//   bench_ros2 serve                                         answers /bench/echo at once: the baseline of a round trip
//   bench_ros2 call --service /GetEntityState --name scout   one call after the other: {"median_us": ..., "p99_us": ...}
//   bench_ros2 listen --robots 200 --pid P                   a reader of each robot's topics: what came, what was lost, CPU of P meanwhile
//   bench_ros2 listen --topic /robot_0/points --pid P        likewise of clouds
//   bench_ros2 discover --robots 200                         s until a new peer knows all their nodes, and their endpoints
//
// All in the domain of ROS_DOMAIN_ID, on this machine. `listen` and `serve` say "ready" when they are.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <geometry_msgs/msg/twist.hpp>
#include <nav_msgs/msg/odometry.hpp>
#include <rosgraph_msgs/msg/clock.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <sensor_msgs/msg/laser_scan.hpp>
#include <sensor_msgs/msg/point_cloud2.hpp>
#include <set>
#include <std_srvs/srv/trigger.hpp>
#include <tf2_msgs/msg/tf_message.hpp>
#include <ue_msgs/srv/get_entity_state.hpp>

#include "adapters/ros2/fastdds/participant.h"
#include "adapters/ros2/services.h"
#include "os/clock.h"

using namespace convoy;
using namespace convoy::ros2;

namespace {

struct Options {
  std::string what, service, name, topic, prefix = "robot_";
  int robots = 0, pid = 0, count = 2000;
  double seconds = 10;
};

class Quiet final : public Log {
 public:
  void line(LogLevel, const std::string&) override {}
};

std::unique_ptr<Domain> open_domain() {
  static Quiet log;
  const char* domain = std::getenv("ROS_DOMAIN_ID");
  ParticipantOptions participant;
  participant.domain = domain ? static_cast<std::uint32_t>(std::atoi(domain)) : 0;
  participant.name = "bench_ros2", participant.reach = Reach::kLocalhost;
  auto opened = Domain::open(
      [&](const std::string& user_data) {
        participant.user_data = user_data;
        return open_participant(participant, log);
      },
      {});
  if (opened) return std::move(*opened);
  fmt::print(stderr, "bench_ros2: {}\n", opened.error().message());
  std::exit(1);
}

template <class Enough>
bool spin(Domain& domain, Moment until, const Enough& enough) {
  for (Moment now = os::now(); now < until; now = os::now()) {
    domain.spin(now);
    if (enough()) return true;
    std::vector<pollfd> all;
    for (const int fd : domain.descriptors()) all.push_back({fd, POLLIN, 0});
    ::poll(all.data(), all.size(), 5);
  }
  return enough();
}

template <class T>
T of(Result<T> made) {
  if (made) return std::move(*made);
  fmt::print(stderr, "bench_ros2: {}\n", made.error().message());
  std::exit(1);
}

void say(const std::string& line) { fmt::print("{}\n", line), std::fflush(stdout); }

const auto kNobodyComes = std::chrono::seconds(120);

// -------------------------------------------------------------------------------------------------------- round trips

int serve_echo() {
  using std_srvs::srv::Trigger;
  const auto domain = open_domain();
  Node node(*domain, "/bench", "echo");
  std::unique_ptr<Service> service;
  service = of(serve<Trigger>(node, "echo", [&](const Trigger::Request&, const ServiceRequest& asked) {
    Trigger::Response answer;
    answer.success = true;
    reply(*service, asked.from, answer);
  }));
  say("ready");
  pollfd ended{STDIN_FILENO, POLLIN, 0};
  spin(*domain, kNever, [&] { return ::poll(&ended, 1, 0) != 0; });
  return 0;
}

template <class ServiceT>
int call(const Options& o, const typename ServiceT::Request& request) {
  const auto domain = open_domain();
  Node node(*domain, "/", "bench_caller");
  const auto client = of(node.client(o.service, ros::ServiceSupport::of<ServiceT>()));
  if (!spin(*domain, os::now() + kNobodyComes, [&] { return client->ready(); })) return 1;
  const Bytes cdr = of(ros::TypeSupport::of<typename ServiceT::Request>().to_cdr(&request));
  std::vector<double> us;
  for (int i = 0; i < o.count + 50; ++i) {
    bool done = false, well = false;
    const Moment begun = os::now();
    client->call(cdr, begun + kNobodyComes, [&](const Result<Bytes>& came) { done = true, well = came.has_value(); });
    spin(*domain, kNever, [&] { return done; });
    if (!well) return 1;
    if (i >= 50) us.push_back(seconds(os::now() - begun) * 1e6);
  }
  std::sort(us.begin(), us.end());
  say(fmt::format(R"({{"median_us": {:.1f}, "p99_us": {:.1f}, "least_us": {:.1f}}})", us[us.size() / 2],
                  us[us.size() * 99 / 100], us[0]));
  return 0;
}

int call(const Options& o) {
  if (o.name.empty()) return call<std_srvs::srv::Trigger>(o, std_srvs::srv::Trigger::Request());
  ue_msgs::srv::GetEntityState::Request request;
  request.name = o.name;
  return call<ue_msgs::srv::GetEntityState>(o, request);
}

// ------------------------------------------------------------------------------------------------------- many topics

std::vector<std::string> robots(const Options& o) {
  const auto digits = std::to_string(std::max(0, o.robots - 1)).size();  // as scenarios number them
  std::vector<std::string> out;
  for (int i = 0; i < o.robots; ++i) out.push_back(fmt::format("/{}{:0{}}", o.prefix, i, digits));
  return out;
}

double cpu_of(int pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::vector<std::string> words;
  for (std::size_t at = text.rfind(')') + 2; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at)), at = end + 1;
  }
  return words.size() < 13
             ? 0
             : (std::stod(words[11]) + std::stod(words[12])) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

// What readers have heard: how much, and what is missing among the numbers of each writer.
struct Heard {
  std::uint64_t messages = 0, bytes = 0, lost = 0;
  std::map<Guid, std::int64_t> last;
  void take(const Received& sample) {
    ++messages, bytes += sample.cdr.size();
    std::int64_t& before = last[sample.writer];
    if (before > 0 && sample.sequence > before + 1) lost += static_cast<std::uint64_t>(sample.sequence - before - 1);
    before = sample.sequence;
  }
};

int listen(const Options& o) {
  const auto domain = open_domain();
  Node node(*domain, "/", "bench_listener");
  Heard heard;
  std::int64_t clock_ns = 0;
  std::vector<std::unique_ptr<Subscription>> all;
  const auto add = [&](const std::string& topic, const ros::TypeSupport& type, const Qos& qos) {
    all.push_back(of(node.subscription(topic, type, qos, [&](const Received& sample) { heard.take(sample); })));
  };
  for (const std::string& robot : robots(o)) {
    add(robot + "/odom", ros::TypeSupport::of<nav_msgs::msg::Odometry>(), {});
    add(robot + "/tf", ros::TypeSupport::of<tf2_msgs::msg::TFMessage>(), {.depth = 100});
    add(robot + "/joint_states", ros::TypeSupport::of<sensor_msgs::msg::JointState>(), {});
    add(robot + "/scan", ros::TypeSupport::of<sensor_msgs::msg::LaserScan>(), kSensorData);
  }
  if (!o.topic.empty()) add(o.topic, ros::TypeSupport::of<sensor_msgs::msg::PointCloud2>(), {});
  const auto clock =
      of(node.subscription("/clock", ros::TypeSupport::of<rosgraph_msgs::msg::Clock>(), {.reliable = false, .depth = 1},
                           [&](const Received& sample) {
                             if (const auto m = message_in<rosgraph_msgs::msg::Clock>(*domain, sample.cdr))
                               clock_ns = std::int64_t{1'000'000'000} * m->clock.sec + m->clock.nanosec;
                           }));
  const auto matched = [&] {
    return std::all_of(all.begin(), all.end(), [](const auto& one) { return one->matched() > 0; });
  };
  Moment look{};
  const bool met = spin(*domain, os::now() + kNobodyComes, [&] {
    if (os::now() < look) return false;
    look = os::now() + std::chrono::milliseconds(100);
    return clock_ns > 0 && matched();
  });
  if (!met) return fmt::print(stderr, "bench_ros2: not all are matched\n"), 1;
  say("ready");
  const auto next = [&] { return std::chrono::seconds(1) + os::now(); };
  spin(*domain, next(), [] { return false; });  // the first ones are late
  const std::uint64_t lost = heard.lost;
  heard.messages = heard.bytes = 0;
  const std::int64_t from_ns = clock_ns;
  const double cpu = cpu_of(o.pid), own = cpu_of(::getpid());
  const Moment begun = os::now();
  spin(*domain, begun + std::chrono::milliseconds(static_cast<std::int64_t>(o.seconds * 1e3)), [] { return false; });
  const double sim_s = static_cast<double>(clock_ns - from_ns) * 1e-9, wall_s = seconds(os::now() - begun);
  say(fmt::format(
      R"({{"readers": {}, "messages": {}, "bytes": {}, "lost": {}, "sim_s": {:.3f}, "wall_s": {:.3f}, "cpu_s": {:.3f}, "own_cpu_s": {:.3f}}})",
      all.size(), heard.messages, heard.bytes, heard.lost - lost, sim_s, wall_s, cpu_of(o.pid) - cpu,
      cpu_of(::getpid()) - own));
  return 0;
}

// --------------------------------------------------------------------------------------------------------- discovery

int discover(const Options& o) {
  const Moment begun = os::now();
  const auto domain = open_domain();
  std::set<std::string> wanted;
  for (const std::string& robot : robots(o)) wanted.insert(robot + "/robot");
  std::uint64_t version = 0;
  double nodes_s = 0, endpoints_s = 0;
  std::size_t endpoints = 0;
  Moment quiet = kNever;
  spin(*domain, begun + kNobodyComes, [&] {
    const Moment now = os::now();
    if (domain->graph().version() != version) {
      version = domain->graph().version();
      if (nodes_s == 0) {
        const auto seen = domain->graph().nodes();
        if (std::includes(seen.begin(), seen.end(), wanted.begin(), wanted.end())) nodes_s = seconds(now - begun);
      }
      if (domain->graph().endpoints().size() != endpoints)
        endpoints = domain->graph().endpoints().size(), endpoints_s = seconds(now - begun);
      quiet = now + std::chrono::seconds(2);
    }
    return nodes_s > 0 && now > quiet;
  });
  if (nodes_s == 0) return 1;
  say(fmt::format(R"({{"nodes_s": {:.3f}, "endpoints_s": {:.3f}, "endpoints": {}}})", nodes_s, endpoints_s, endpoints));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  o.what = argc > 1 ? argv[1] : "";
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string key = argv[i], value = argv[i + 1];
    if (key == "--service") o.service = value;
    else if (key == "--name") o.name = value;
    else if (key == "--topic") o.topic = value;
    else if (key == "--prefix") o.prefix = value;
    else if (key == "--robots") o.robots = std::stoi(value);
    else if (key == "--pid") o.pid = std::stoi(value);
    else if (key == "--count") o.count = std::stoi(value);
    else if (key == "--seconds") o.seconds = std::stod(value);
  }
  if (o.what == "serve") return serve_echo();
  if (o.what == "call") return call(o);
  if (o.what == "listen") return listen(o);
  if (o.what == "discover") return discover(o);
  fmt::print(stderr, "bench_ros2 serve|call|listen|discover\n");
  return 2;
}
