// A run with a door to ROS 2, and a program of ROS 2 beside it, in virtual time: for tests.
//
//   DoorRig rig;
//   auto told = rig.call<srv::DeleteEntity>("/delete_entity", request);   // a typed reply
//   RawClient old(rig, "/spawn_entity", type, old_hash);                  // bytes, and any type hash
//
// Server, two hosts and the door are the real ones; the door is the first host's.
#pragma once

#include <doctest/doctest.h>

#include "adapters/ros2/door.h"
#include "adapters/ros2/memory_wire.h"
#include "adapters/ros2/names.h"
#include "testing/requests.h"
#include "testing/rig.h"

namespace convoy::ros2 {

// "alpha", a burger at the origin, and "beta", a waffle at x = 2, in an arena of 10 m.
inline Setup small_room() {
  Setup setup = testing::empty_arena(10, 1);
  setup.entities = {testing::robot("alpha", "turtlebot3_burger", 0, 0, 0, DriverKind::kNone),
                    testing::robot("beta", "turtlebot3_waffle", 2, 0, 0, DriverKind::kNone)};
  return setup;
}

struct DoorRigOptions {
  Setup setup = small_room();
  bool paused = true, free = false;
  Settings settings{.ns = "/"};
  Tick end = 0;
  std::unique_ptr<RobotImporter> importer{};
  const PhysicsFactory* physics = nullptr;  // absent: kinematic
  SoftwareFactory* software = nullptr;      // of all hosts
};

class DoorRig {
 public:
  explicit DoorRig(DoorRigOptions options = {})
      : domain_(*Domain::open(bus.opener(), {.run = "run"})),
        door(std::make_unique<Door>(domain_, Party{}, options.settings, 7, log, std::move(options.importer))),
        rig(options.setup, {.end = options.end,
                            .paused = options.paused,
                            .free = options.free,
                            .physics = options.physics,
                            .software = options.software,
                            .gateway = door.get()}),
        outside(*Domain::open(bus.opener(), {})),
        caller(std::make_unique<Node>(*outside, "/", "caller")) {
    REQUIRE(rig.run_until([&] { return !rig.run().gathering(); }));
  }
  ~DoorRig() { clients_.clear(), caller.reset(); }

  // Virtual seconds, unless it is true before; whether it is.
  bool until(const std::function<bool()>& truth, double limit_s = 30) {
    bool found = false;  // asked no more then
    return rig.run_until(
        [&] {
          outside->spin(rig.net.now());
          return found = found || truth();
        },
        limit_s);
  }
  template <class ServiceT>
  void send(const std::string& name, const typename ServiceT::Request& request,
            std::function<void(const typename ServiceT::Response&)> heard) {
    auto& client = clients_[name];
    if (!client) client = std::move(*caller->client(name, ros::ServiceSupport::of<ServiceT>()));
    REQUIRE_MESSAGE(until([&] { return client->ready(); }, 2), name);
    client->call(*ros::TypeSupport::of<typename ServiceT::Request>().to_cdr(&request), kNever,
                 [this, heard = std::move(heard)](Result<Bytes> reply) {
                   REQUIRE(reply);
                   const auto response = message_in<typename ServiceT::Response>(*outside, *reply);
                   REQUIRE(response);
                   heard(*response);
                 });
  }
  template <class ServiceT>
  typename ServiceT::Response call(const std::string& name,
                                   const typename ServiceT::Request& request = typename ServiceT::Request()) {
    std::optional<typename ServiceT::Response> out;
    send<ServiceT>(name, request, [&](const auto& response) { out = response; });
    REQUIRE_MESSAGE(until([&] { return out.has_value(); }), name);
    return *out;
  }
  std::uint64_t count(const std::string& name) const {
    for (const GatewayCount& one : door->counts())
      if (one.name == name) return one.count;
    return 0;
  }
  const World& world() { return rig.run().world(); }
  Vec3 place(const std::string& name) { return rig.state(name).pose.p; }

  struct Lines final : Log {
    void line(LogLevel, const std::string& text) override { lines.push_back(text); }
    std::vector<std::string> lines;
  };
  MemoryBus bus;
  Lines log;

 private:
  std::shared_ptr<Domain> domain_;

 public:
  std::unique_ptr<Door> door;
  testing::Rig rig;
  std::unique_ptr<Domain> outside;
  std::unique_ptr<Node> caller;

 private:
  std::map<std::string, std::unique_ptr<Client>> clients_;
};

// A client of a service that sends bytes, and says of itself what it likes.
class RawClient {
 public:
  struct Hashes {
    std::string request, response;  // of its types; empty: it does not say
  };
  RawClient(DoorRig& rig, const std::string& service, const ros::ServiceSupport& type, const Hashes& hashes)
      : rig_(rig), wire_(std::move(*rig.bus.open("enclave=/;"))) {
    reader_ = std::move(*wire_->make_reader(
        {dds_reply(service), dds_type(type.response.name()), {}, type_hash_datum(hashes.response)}));
    writer_ = std::move(*wire_->make_writer(
        {dds_request(service), dds_type(type.request.name()), {}, type_hash_datum(hashes.request)}));
    REQUIRE(rig.until([&] { return writer_->matched() > 0 && reader_->matched() > 0; }, 2));
  }
  ~RawClient() { reader_.reset(), writer_.reset(); }
  // The reply; empty: none came within a virtual second.
  Bytes call(ByteView request) {
    const Related from{reader_->guid(), 0};
    (void)writer_->write(request, &from);
    Received got;
    const auto mine = [&] { return reader_->take(got) && got.related.guid == reader_->guid(); };
    return rig_.until(mine, 1) ? got.cdr : Bytes();
  }

 private:
  DoorRig& rig_;
  std::unique_ptr<Wire> wire_;
  std::unique_ptr<WireReader> reader_;
  std::unique_ptr<WireWriter> writer_;
};

}  // namespace convoy::ros2
