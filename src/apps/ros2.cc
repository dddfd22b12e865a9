#include "apps/ros2.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "adapters/ros2/door.h"
#include "adapters/ros2/fastdds/participant.h"
#include "adapters/ros2/names.h"
#include "apps/robot_reader.h"
#include "apps/ros2_domain.h"
#include "os/clock.h"
#include "os/machine.h"
#include "os/signals.h"

namespace convoy::apps {

namespace {

std::string environment(const char* name) {
  const char* given = std::getenv(name);
  return given ? given : "";
}

Result<std::uint32_t> domain_of(const Ros2Arguments& a) {
  if (a.domain) return *a.domain;
  const std::string text = environment("ROS_DOMAIN_ID");
  std::uint32_t out = 0;
  if (text.empty()) return out;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size() || out > ros2::kMaxDomain)
    return fail(ErrorCode::kInvalid,
                fmt::format("ROS_DOMAIN_ID is '{}': it is a number from 0 to {}", text, ros2::kMaxDomain));
  return out;
}

// As ROS 2's own middlewares read them.
Result<ros2::Reach> reach_of_environment() {
  if (environment("ROS_LOCALHOST_ONLY") == "1") return ros2::Reach::kLoopback;
  const std::string range = environment("ROS_AUTOMATIC_DISCOVERY_RANGE");
  if (range.empty() || range == "SUBNET" || range == "SYSTEM_DEFAULT") return ros2::Reach::kSubnet;
  if (range == "LOCALHOST") return ros2::Reach::kLocalhost;
  if (range == "OFF")
    return fail(ErrorCode::kInvalid, "ROS_AUTOMATIC_DISCOVERY_RANGE is OFF: nobody could find a robot");
  return fail(ErrorCode::kInvalid,
              "ROS_AUTOMATIC_DISCOVERY_RANGE is '" + range + "': it is SUBNET, LOCALHOST or SYSTEM_DEFAULT");
}

std::vector<std::string> peers_of_environment() {
  std::vector<std::string> out;
  const std::string text = environment("ROS_STATIC_PEERS");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(';', at), text.size());
    if (end > at) out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

const char* text_of(ros2::Reach reach) {
  switch (reach) {
    case ros2::Reach::kSubnet: return "on this network";
    case ros2::Reach::kLocalhost: return "on this machine";
    case ros2::Reach::kLoopback: return "on this machine, by its loopback alone";
  }
  return "";
}

Duration lease_of(const Ros2Arguments& a) { return Duration(static_cast<std::int64_t>(a.liveness * 1e9)); }

ros2::Settings settings_of(const Ros2Arguments& a) {
  ros2::Settings out;
  out.ns = a.ns, out.number = a.client, out.liveness = lease_of(a);
  out.nodes = !a.no_nodes, out.trajectory_controller = a.trajectory_controller;
  for (const std::string& one : a.obstacles)
    (one == "planning_scene" ? out.obstacles.planning_scene
     : one == "markers"      ? out.obstacles.markers
                             : out.obstacles.points) = true;
  out.state_rate = a.state_rate, out.two_x = a.simulation_interfaces == 2;
  out.tf_mode = a.tf_mode == "prefixed" ? ros2::TfMode::kPrefixed
                : a.tf_mode == "both"   ? ros2::TfMode::kBoth
                                        : ros2::TfMode::kNamespaced;
  return out;
}

}  // namespace

Result<std::string> ros2_place(const Ros2Arguments& a) {
  const auto domain = domain_of(a);
  if (!domain) return tl::unexpected(domain.error());
  const auto reach = reach_of_environment();
  if (!reach) return tl::unexpected(reach.error());
  return fmt::format("domain {}, {}", *domain, text_of(*reach));
}

Result<OpenedDomain> open_domain(const Ros2Arguments& a, Log& log) {
  const auto domain = domain_of(a);
  if (!domain) return tl::unexpected(domain.error());
  const auto reach = reach_of_environment();
  if (!reach) return tl::unexpected(reach.error());
  ros2::ParticipantOptions participant;
  participant.domain = *domain, participant.name = "convoy", participant.reach = *reach;
  participant.peers = peers_of_environment(), participant.lease = lease_of(a);
  ros2::DomainOptions options;
  options.run = a.run, options.client = a.run.empty() ? 0 : a.client;
  options.gids = a.distro == "humble" ? ros2::GidSize::kHumble : ros2::GidSize::kIron;
  const os::SignalsHeldBack held;  // those of a client are made later, and DDS's threads are none of theirs
  auto opened = ros2::Domain::open(
      [&](const std::string& user_data) {
        participant.user_data = user_data;
        return ros2::open_participant(participant, log);
      },
      options);
  if (!opened) return tl::unexpected(opened.error());
  return OpenedDomain{std::move(*opened), *ros2_place(a), *domain};
}

void spin_until(ros2::Domain& domain, Moment until, const std::function<bool()>& enough) {
  constexpr Duration kAtOnce = std::chrono::milliseconds(50);
  for (Moment now = os::now(); now < until; now = os::now()) {
    domain.spin(now);
    if (enough()) return;
    std::vector<pollfd> all;
    for (const int fd : domain.descriptors()) all.push_back({fd, POLLIN, 0});
    const Moment next = std::min({until, domain.deadline(), now + kAtOnce});
    const auto ms = std::max<std::int64_t>(0, nanos(next - now) / 1'000'000);
    ::poll(all.data(), all.size(), static_cast<int>(ms) + 1);
  }
}

Result<std::vector<std::unique_ptr<Gateway>>> open_ros2(std::span<const Ros2Arguments> clients, UsersSensors& sensors,
                                                        Log& log) {
  const auto first = std::min_element(clients.begin(), clients.end(),
                                      [](const auto& a, const auto& b) { return a.client < b.client; });
  auto opened = open_domain(*first, log);
  if (!opened) return tl::unexpected(opened.error());
  const std::shared_ptr<ros2::Domain> shared = std::move(opened->domain);
  const std::uint64_t nonce = os::drawn_number();
  std::vector<std::unique_ptr<Gateway>> out;
  for (const Ros2Arguments& client : clients) {
    auto ns = ros2::valid_namespace(client.ns);
    if (!ns) return tl::unexpected(ns.error());
    ros2::Settings settings = settings_of(client);
    settings.ns = *ns, settings.domain = opened->number;
    out.push_back(std::make_unique<ros2::Door>(shared, static_cast<ros2::Party>(out.size()), std::move(settings),
                                               nonce + out.size(), log, RobotReader::make(), &sensors));
    log.line(LogLevel::kInfo, fmt::format("ROS 2: {}, services in {}", opened->text, *ns));
  }
  return out;
}

}  // namespace convoy::apps
