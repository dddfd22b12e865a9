#include "adapters/zmq/sample_stream.h"

#include <doctest/doctest.h>

#include <deque>

#include "adapters/zmq/values.h"
#include "control/stage.h"

namespace sample_stream_test {

using namespace convoy;
using namespace convoy::zmq;

namespace {

// What peers have sent to a publishing socket.
struct Peers {
  bool receive(std::vector<Bytes>& parts) {
    if (sent.empty()) return false;
    parts = {std::move(sent.front())};
    sent.pop_front();
    return true;
  }
  void subscribe(std::string_view prefix, bool to = true) {
    Bytes message{static_cast<std::uint8_t>(to)};
    message.insert(message.end(), prefix.begin(), prefix.end());
    sent.push_back(std::move(message));
  }
  std::deque<Bytes> sent;
};

// A robot "survey" with a pose and keys, and one of the same sensors whose name begins with that one's.
struct Hall {
  Hall() {
    EntitySpec spec;
    spec.name = "survey", spec.model = "turtlebot3_burger";
    for (const char* type : {"pose", "keyboard"}) {
      SensorSpec sensor;
      sensor.name = sensor.type = type;
      spec.sensors.push_back(sensor);
    }
    setup.models = built_in_models();
    setup.tick = std::chrono::milliseconds(10);
    setup.entities = {spec, spec};
    setup.entities[1].name = "survey2", setup.entities[1].pose.p.x = 3;
    World world = *World::make(setup);
    for (Slot slot : SlotRange(2)) world.set_owner(slot, Owner(1));
    fleet = std::make_unique<Fleet>(std::move(world), setup, Owner(1), executor, AgentParts{engines});
    fleet->take_up();
    roster.follow(*fleet);
  }
  void follow() {
    subscriptions.take(peers);
    dut.keep_up(roster, *fleet, subscriptions);
  }
  const EntitySpec& robot(int i) const { return setup.entities[static_cast<std::size_t>(i)]; }
  // "survey/pose" for each that is taken.
  std::vector<std::string> taken() const {
    std::vector<std::string> out;
    for (int i = 0; i < 2; ++i)
      for (const SensorSpec& sensor : robot(i).sensors)
        if (dut.takes(fleet->world().entity(slot(i)).number, sensor, {}))
          out.push_back(robot(i).name + "/" + sensor.name);
    return out;
  }
  static Slot slot(int i) { return Slot(static_cast<std::uint32_t>(i)); }

  Setup setup;
  SerialExecutor executor;
  SlidesFactory engines;
  std::unique_ptr<Fleet> fleet;
  control::Roster roster;
  Peers peers;
  Subscriptions subscriptions;
  std::vector<std::pair<std::string, Json>> sent;
  SampleStream dut{[this](std::string_view topic, ByteView payload) {
    sent.emplace_back(topic, decode(payload, Encoding::kMsgpack).value());
  }};
};

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("samples are taken whose topics a subscription covers, from the next look at them on") {
  Hall hall;
  hall.follow();
  CHECK(hall.taken() == Words{});

  hall.peers.subscribe("survey/sample/pose");
  CHECK(hall.taken() == Words{});
  hall.follow();
  CHECK(hall.taken() == Words{"survey/pose"});

  hall.peers.subscribe("survey2/sample/");
  hall.follow();
  CHECK(hall.taken() == Words{"survey/pose", "survey2/pose", "survey2/keyboard"});
  hall.peers.subscribe("survey2/sample/", false), hall.peers.subscribe("survey/sample/pose", false);
  hall.peers.subscribe("survey/joint/");
  hall.follow();
  CHECK(hall.taken() == Words{});
  hall.peers.subscribe("");
  hall.follow();
  CHECK(hall.taken().size() == 4);
}

TEST_CASE("a sample goes out under its topic with its number, stamp, type and data, while somebody listens") {
  Hall hall;
  const WorldNumber second = hall.fleet->world().entity(Hall::slot(1)).number;
  const SensorSpec& keys = hall.robot(1).sensors[1];
  Sample sample;
  sample.sensor = 1, sample.index = 300, sample.at = instant(1'500'000'000), sample.data = KeysReading{.held = 5};
  hall.dut.took(second, keys, sample, sample.at);
  CHECK(hall.sent.empty());

  hall.peers.subscribe("survey2/sample/keyboard");
  hall.follow();
  hall.dut.took(second, keys, sample, sample.at);

  REQUIRE(hall.sent.size() == 1);
  CHECK(hall.sent[0].first == "survey2/sample/keyboard");
  CHECK(hall.sent[0].second ==
        Json{{"index", 300}, {"stamp_ns", 1'500'000'000}, {"type", "keyboard"}, {"data", {{"held", 5}}}});
}

}  // namespace sample_stream_test
