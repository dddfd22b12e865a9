#include "adapters/web/foxglove_feed.h"

#include <doctest/doctest.h>

#include <limits>

#include "record/foxglove/readings.h"
#include "record/foxglove/testing.h"
#include "world/edits/edits.h"
#include "world/state.h"

namespace foxglove_feed_test {

using namespace convoy;
using namespace convoy::web;
using convoy::testing::WireMessage;

namespace {

Setup hall() {
  Setup setup;
  setup.name = "hall", setup.models = built_in_models();
  setup.map.width = 40, setup.map.height = 20, setup.map.resolution = 0.25, setup.map.cells.assign(800, 0);
  for (const char* name : {"one", "two"}) {
    EntitySpec e;
    e.name = name, e.model = "turtlebot3_burger", e.pose.p = {1, 1, 0};
    setup.entities.push_back(e);
  }
  SensorSpec sensor;
  sensor.name = "eye", sensor.type = "scan", sensor.link = "base_link";
  setup.entities[0].sensors.push_back(sensor);
  sensor.name = "nose", sensor.type = "gas", sensor.library = "gas.so";
  setup.entities[0].sensors.push_back(sensor);
  return setup;
}

// A feed whose desk has one client, that takes everything.
struct Rig final : PagePort, PageBackend {
  Setup setup = hall();
  World world = *World::make(setup);
  FoxgloveDesk desk{Keys({{"all", Access::kEdit}}, {}), "s", *this, *this};
  FoxgloveFeed feed{[this](const std::function<void(FoxgloveDesk&)>& work) { work(desk); }};
  std::map<std::string, std::uint32_t> channels;
  std::map<std::uint32_t, std::vector<Bytes>> got;  // by subscription, which has the number of its channel
  int times = 0;

  Rig() {
    desk.opened(1, {1, kFoxgloveV1, "all"});
    feed.begin(setup, world, "test");
    look(0);
  }
  void look(int ms) { feed.look(world, instant(ms * 1'000'000), 0); }
  void edit(const Edit& edit) {
    REQUIRE(world.check(edit).has_value());
    world.apply(edit, instant(0));
    world.settle();
  }
  void subscribe(const std::string& topic) {
    const nlohmann::json one{{"id", channels.at(topic)}, {"channelId", channels.at(topic)}};
    desk.text(1, nlohmann::json{{"op", "subscribe"}, {"subscriptions", {one}}}.dump());
  }
  std::vector<Bytes> taken(const std::string& topic) { return std::exchange(got[channels.at(topic)], {}); }

  void send(PageId, const WebMessage& message) override {
    if (message.text) {
      const auto json = nlohmann::json::parse(as_text(*message.bytes));
      if (json["op"] == "advertise")
        for (const auto& one : json["channels"]) channels[one["topic"]] = one["id"];
      return;
    }
    const Bytes& b = *message.bytes;
    if (b[0] == 1) got[b[1]].emplace_back(b.begin() + 13, b.end());
    if (b[0] == 2) ++times;
  }
  std::size_t backlog(PageId) const override { return 0; }
  void close(PageId, CloseCode, std::string_view) override {}
  std::map<std::string, std::uint64_t> refused() const override { return {}; }
  void joined(PageId) override {}
  void left(PageId, const std::string&, bool) override {}
  void ask(PageId, std::uint64_t, proto::Request) override {}
  void wants(const std::set<std::string>& topics) override { feed.want(topics); }
};

std::vector<std::string> texts(WireMessage update, std::uint64_t field, std::uint64_t of) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < update.count(field); ++i) out.push_back(update.message(field, i).one(of).text());
  return out;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("channels are named as in recordings, with those of robots and of sensors that are known") {
  Rig rig;
  Names names;
  for (const auto& [topic, id] : rig.channels) names.push_back(topic);
  CHECK(names == Names{"/log", "/map", "/one/eye", "/one/pose", "/scene", "/tf", "/two/pose"});
}

TEST_CASE("what is not wanted is not made, and who comes later gets the map and the scene") {
  Rig rig;
  rig.look(10);
  CHECK(rig.got.empty());
  CHECK(rig.times > 0);
  rig.subscribe("/map"), rig.subscribe("/scene");
  CHECK(rig.taken("/map").size() == 1);
  rig.look(20);
  const std::vector<Bytes> scene = rig.taken("/scene");
  REQUIRE(scene.size() == 1);
  CHECK(texts(WireMessage(scene[0]), 2, 3) == Names{"one/base_link", "one/wheel_left_link", "one/wheel_right_link",
                                                    "two/base_link", "two/wheel_left_link", "two/wheel_right_link",
                                                    "world"});
  CHECK(WireMessage(scene[0]).count(1) == 1);
  rig.look(30);
  CHECK(rig.taken("/scene").empty());

  rig.subscribe("/log");
  EntitySpec third = rig.setup.entities[1];
  third.name = "three";
  rig.edit(Spawn{third, kNobody}), rig.edit(Delete{WorldNumber(1)});
  rig.look(40);
  const std::vector<Bytes> other = rig.taken("/scene"), log = rig.taken("/log");
  REQUIRE(other.size() == 1);
  CHECK(texts(WireMessage(other[0]), 1, 3) == Names{"one/base_link", "one/wheel_left_link", "one/wheel_right_link"});
  CHECK(texts(WireMessage(other[0]), 2, 3) ==
        Names{"three/base_link", "three/wheel_left_link", "three/wheel_right_link"});
  REQUIRE(log.size() == 2);
  CHECK(WireMessage(log[0]).one(3).text() == "three appeared");
  CHECK(WireMessage(log[1]).one(3).text() == "one is gone");
  CHECK(rig.channels.contains("/three/pose"));
}

TEST_CASE("frames and poses come with each new instant, and a sensor's frame while it is wanted") {
  Rig rig;
  rig.subscribe("/tf"), rig.subscribe("/two/pose");
  rig.look(10), rig.look(10);
  const std::vector<Bytes> frames = rig.taken("/tf"), pose = rig.taken("/two/pose");
  REQUIRE((frames.size() == 1 && pose.size() == 1));
  const Names names = texts(WireMessage(frames[0]), 1, 3);
  CHECK(names == Names{"one", "one/base_link", "one/wheel_left_link", "one/wheel_right_link", "two", "two/base_link",
                       "two/wheel_left_link", "two/wheel_right_link"});
  CHECK(WireMessage(pose[0]).message(3).message(1).one(1).real() == 1);
  rig.subscribe("/one/eye");
  rig.look(10);  // it stands still, and somebody more wants it
  const std::vector<Bytes> more = rig.taken("/tf");
  REQUIRE(more.size() == 1);
  CHECK(texts(WireMessage(more[0]), 1, 3).at(4) == "one/eye_link");
}

TEST_CASE("samples of sensors that are subscribed to are asked for by name, and told as a recording has them") {
  Rig rig;
  CHECK_FALSE(rig.feed.take_watched());  // nothing is
  rig.subscribe("/one/eye");
  auto watched = rig.feed.take_watched();
  REQUIRE(watched.has_value());
  CHECK(*watched == std::vector<SensorChoice>{{"one/eye", kSampleEvery}});
  CHECK_FALSE(rig.feed.take_watched());

  Scan scan;
  scan.angle_min = -1, scan.angle_max = 1, scan.angle_increment = 1, scan.range_max = 3;
  scan.ranges = {0.5F, std::numeric_limits<float>::infinity(), 1.25F};
  SamplePieces pieces;
  cut({WorldNumber(1), 0, 7}, {instant(40), {}}, scan, pieces.pieces);
  cut({WorldNumber(2), 0, 7}, {instant(40), {}}, scan, pieces.pieces);  // it has no such sensor
  cut({WorldNumber(9), 0, 7}, {instant(40), {}}, scan, pieces.pieces);
  for (const Bytes& frame : encode_samples(pieces)) CHECK(rig.feed.take(frame, rig.world));
  Bytes recorded;
  encode(scan, {instant(40), "one/eye_link"}, recorded);
  CHECK(rig.taken("/one/eye") == std::vector<Bytes>{recorded});
  CHECK_FALSE(rig.feed.take(as_bytes("nonsense"), rig.world));

  rig.desk.closed(1);
  watched = rig.feed.take_watched();
  REQUIRE(watched.has_value());
  CHECK(watched->empty());
}

TEST_CASE("a camera has its calibration and its further images on topics of their own") {
  Rig rig;
  CameraModel model;
  model.width = 8, model.height = 4, model.depth = true, model.classes = true;
  EntitySpec e;
  e.name = "late", e.model = "turtlebot3_burger";
  SensorSpec camera;
  camera.name = "cam", camera.type = "camera", camera.link = "base_link", camera.parameters = save(model);
  e.sensors.push_back(camera);
  rig.edit(Spawn{e, kNobody});
  rig.look(10);
  for (const char* topic : {"/late/cam", "/late/cam/calibration", "/late/cam/depth", "/late/cam/classes"})
    CHECK(rig.channels.contains(topic));
  CHECK_FALSE(rig.channels.contains("/late/cam/instances"));
  rig.subscribe("/late/cam/depth"), rig.subscribe("/late/cam/calibration");
  CHECK(rig.feed.take_watched() == std::vector<SensorChoice>{{"late/cam", kSampleEvery}});

  CameraReading reading;
  reading.lens = lens_of(model);
  reading.color = Bytes(8 * 4 * 3, 100), reading.depth.assign(8 * 4, 2.5F), reading.classes.assign(8 * 4, 3);
  SamplePieces pieces;
  cut({WorldNumber(3), 0, 0}, {instant(50), {}}, reading, pieces.pieces);
  for (const Bytes& frame : encode_samples(pieces)) CHECK(rig.feed.take(frame, rig.world));
  CHECK(rig.taken("/late/cam").empty());  // nobody is subscribed to the picture
  CHECK(rig.taken("/late/cam/depth").size() == 1);
  CHECK(rig.taken("/late/cam/calibration").size() == 1);
}

}  // namespace foxglove_feed_test
