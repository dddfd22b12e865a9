// A run of two robot clients with a door to ROS 2 each, in processes of their own or in one, and a program of ROS 2 beside
// them, in virtual time: for tests.
//
//   ClientsRig rig;
//   rig.kill(0), rig.forget(0);              // its process ends; then its lease in DDS
//   CHECK(rig.until([&] { return rig.writer_of("/clock") == 1; }));
//
// After each event it is noted whether a topic of one writer had two, and whether /clock went back.
#pragma once

#include <doctest/doctest.h>

#include <rosgraph_msgs/msg/clock.hpp>

#include "adapters/ros2/testing.h"
#include "messages/geometry.h"

namespace convoy::ros2 {

inline constexpr Duration kLimit = std::chrono::seconds(2);  // of liveness in these tests

struct ClientsRigOptions {
  bool one_process = false, paused = false;
  std::string ns = "/NetworkPC";  // of the services, before the client's number; "/": of both
  Duration liveness = kLimit;     // the server's
  testing::PathProfile path{};    // to the hosts
};

class ClientsRig {
 public:
  explicit ClientsRig(ClientsRigOptions options = {})
      : options_(std::move(options)),
        outside(*Domain::open(bus.opener(), {})),
        caller(std::make_unique<Node>(*outside, "/", "caller")) {
    testing::RigOptions of_run{
        .paused = options_.paused, .liveness = options_.liveness, .path = options_.path, .gateways = {add(1), add(2)}};
    rig = std::make_unique<testing::Rig>(small_room(), std::move(of_run));
    hear("/clock", ros::TypeSupport::of<rosgraph_msgs::msg::Clock>(), {}, [this](const Received& got) {
      const Instant at = ros::instant_of(message_in<rosgraph_msgs::msg::Clock>(*outside, got.cdr)->clock);
      clock_went_back = clock_went_back || at < clock;
      clock = at, ++clocks;
    });
    REQUIRE(until([&] { return !rig->run().gathering(); }));
  }
  ~ClientsRig() { heard_.clear(), caller.reset(); }

  // Virtual seconds, unless it is true before; whether it is.
  bool until(const std::function<bool()>& truth, double limit_s = 30) {
    bool found = false;  // asked no more then
    return rig->run_until(
        [&] {
          outside->spin(rig->net.now());
          for (const char* topic : {"/clock", "/map", "/alpha/odom", "/alpha/tf_static", "/beta/odom"})
            if (writers(topic).size() > 1) twice.insert(topic);
          return found = found || truth();
        },
        limit_s);
  }
  void pass(double seconds) {
    (void)until([] { return false; }, seconds);
  }

  // Whose writers of the topic there are: the clients' places, from 0; of several in one process the first.
  std::vector<std::size_t> writers(const std::string& topic) const {
    std::vector<std::size_t> out;
    for (const auto& [guid, one] : outside->graph().endpoints())
      if (one.writer && one.topic == dds_topic(topic)) out.push_back(place_of(guid));
    return out;
  }
  using Places = std::vector<std::size_t>;
  bool written_by(const std::string& topic, std::size_t client) const { return writers(topic) == Places{client}; }

  void kill(std::size_t client) { rig->net.kill(rig->seats[client]); }
  // What it had in DDS is gone: its lease is over.
  void forget(std::size_t client) { doors[client].reset(), domains_[client].reset(); }
  // host0 comes again; its place.
  std::size_t come_again() {
    Gateway* door = add(1);
    rig->add_host("host0", 0, door);
    return doors.size() - 1;
  }

  void hear(const std::string& topic, const ros::TypeSupport& type, const Qos& qos, Node::Hears hears) {
    heard_.push_back(std::move(*caller->subscription(topic, type, qos, std::move(hears))));
  }
  // The reply, or nothing after as many virtual seconds.
  template <class ServiceT>
  std::optional<typename ServiceT::Response> call(
      const std::string& name, const typename ServiceT::Request& request = typename ServiceT::Request(),
      double seconds = 3) {
    const auto client = std::move(*caller->client(name, ros::ServiceSupport::of<ServiceT>()));
    if (!until([&] { return client->ready(); }, seconds)) return std::nullopt;
    std::optional<Result<Bytes>> reply;
    const Moment end = rig->net.now() + Duration(static_cast<std::int64_t>(seconds * 1e9));
    client->call(*ros::TypeSupport::of<typename ServiceT::Request>().to_cdr(&request), end,
                 [&](Result<Bytes> got) { reply = std::move(got); });
    (void)until([&] { return reply.has_value(); }, seconds + 1);
    if (!reply || !*reply) return std::nullopt;
    return message_in<typename ServiceT::Response>(*outside, **reply);
  }

 private:
  std::size_t place_of(const Guid& guid) const {
    const auto at =
        std::find_if(guids_.begin(), guids_.end(), [&](const Guid& g) { return same_participant(g, guid); });
    return static_cast<std::size_t>(at - guids_.begin());
  }
  Gateway* add(std::uint32_t number) {
    const bool shared = options_.one_process && !domains_.empty();
    domains_.push_back(shared ? domains_.front()
                              : std::shared_ptr<Domain>(*Domain::open(bus.opener(), {.run = "run", .client = number})));
    guids_.push_back(domains_.back()->guid());
    Settings settings{.ns = options_.ns == "/" ? "/" : options_.ns + std::to_string(number), .number = number};
    settings.liveness = kLimit;
    doors.push_back(std::make_unique<Door>(domains_.back(), Party(doors.size()), settings, 7 + doors.size(), log));
    return doors.back().get();
  }

  ClientsRigOptions options_;

 public:
  MemoryBus bus;
  DoorRig::Lines log;

 private:
  std::vector<std::shared_ptr<Domain>> domains_;
  std::vector<Guid> guids_;

 public:
  std::vector<std::unique_ptr<Door>> doors;
  std::unique_ptr<Domain> outside;
  std::unique_ptr<Node> caller;
  std::unique_ptr<testing::Rig> rig;
  std::set<std::string> twice;  // topics that had two writers
  Instant clock{};              // as /clock was heard last
  std::size_t clocks = 0;
  bool clock_went_back = false;

 private:
  std::vector<std::unique_ptr<Subscription>> heard_;
};

}  // namespace convoy::ros2
