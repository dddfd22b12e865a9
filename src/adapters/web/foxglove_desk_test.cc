#include "adapters/web/foxglove_desk.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>

#include "adapters/web/foxglove_calls.h"

namespace foxglove_desk_test {

using namespace convoy;
using namespace convoy::web;

namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

SharedBytes shared(std::string_view text) {
  const ByteView view = as_bytes(text);
  return std::make_shared<const Bytes>(view.begin(), view.end());
}

// A desk between sockets and a simulation that write down what they are told.
struct Hall final : PagePort, PageBackend {
  FoxgloveDesk desk{Keys({{"all", Access::kEdit}, {"go", Access::kDrive}, {"look", Access::kView}}, {}), "s1", *this,
                    *this};
  std::deque<Json> told;
  std::vector<std::string> data;  // "page: bytes" of binary messages, without times
  std::map<PageId, std::size_t> waiting;
  std::set<std::string> wanted;
  std::deque<std::pair<std::uint64_t, proto::Request>> asked;

  void send(PageId page, const WebMessage& message) override {
    if (message.text) return told.push_back(Json::parse(as_text(*message.bytes)));
    const Bytes& b = *message.bytes;
    if (b[0] == 1)
      data.push_back(std::to_string(page) + "/" + std::to_string(b[1]) + ": " + std::string(b.begin() + 13, b.end()));
    if (b[0] == 3) told.push_back({{"op", "response"}, {"call", b[5]}, {"is", Json::parse(b.begin() + 17, b.end())}});
    if (b[0] == 5)
      told.push_back({{"op", "playback"}, {"paused", b[1] == 1}, {"request", std::string(b.begin() + 19, b.end())}});
  }
  std::size_t backlog(PageId page) const override { return waiting.contains(page) ? waiting.at(page) : 0; }
  void close(PageId, CloseCode, std::string_view) override {}
  std::map<std::string, std::uint64_t> refused() const override { return {}; }
  void joined(PageId) override {}
  void left(PageId, const std::string&, bool) override {}
  void ask(PageId, std::uint64_t id, proto::Request request) override { asked.emplace_back(id, std::move(request)); }
  void wants(const std::set<std::string>& topics) override { wanted = topics; }

  static FoxgloveChannel channel(const std::string& topic, bool stream = false) {
    return {topic, std::make_shared<const ChannelSchema>(ChannelSchema{"T", "jsonschema", "json", {}}), stream};
  }
  // A client that has read its greeting.
  void enter(PageId page, const char* token = "all", const char* subprotocol = kFoxgloveV1) {
    desk.opened(page, {1, subprotocol, token});
    told.clear();
  }
  void say(PageId page, const Json& json) { desk.text(page, json.dump()); }
  void subscribe(PageId page, std::uint32_t id, std::uint32_t channel_id) {
    say(page, {{"op", "subscribe"}, {"subscriptions", {{{"id", id}, {"channelId", channel_id}}}}});
  }
  void call(PageId page, std::uint8_t service, const std::string& request) {
    const std::string head = {2, static_cast<char>(service), 0, 0, 0, 7, 0, 0, 0, 4, 0, 0, 0};
    desk.binary(page, *shared(head + "json" + request));
  }
  void answer(std::uint32_t error = 0, const std::string& text = "", const std::string& json = "") {
    proto::Reply reply;
    reply.set_error(error), reply.set_text(text), reply.set_json(json), reply.set_tick(5);
    const std::uint64_t id = asked.front().first;
    asked.pop_front();
    desk.clerk().answered(id, reply);
  }
  Json last() { return told.empty() ? Json() : told.back(); }
  Words taken() { return std::exchange(data, {}); }
};

}  // namespace

TEST_CASE("a client is greeted with what works for it, and the channels that there are") {
  Hall hall;
  hall.desk.begin({{"name", "test"}});
  hall.desk.set_channels({Hall::channel("/tf", true)});
  CHECK(!hall.desk.admits({1, kFoxgloveV1, "lo"}));
  CHECK(hall.desk.admits({1, kFoxgloveV1, "look"}));
  hall.desk.opened(1, {1, kFoxgloveV1, "look"});
  REQUIRE(hall.told.size() == 2);
  CHECK(hall.told[0]["name"] == "Convoy test");
  CHECK(hall.told[0]["capabilities"] == Json{"time", "parameters", "parametersSubscribe", "connectionGraph"});
  CHECK(hall.told[0]["sessionId"] == "s1");
  CHECK(hall.told[1]["channels"][0]["topic"] == "/tf");
  hall.told.clear();
  hall.desk.opened(2, {1, kFoxgloveSdk, "all"});
  CHECK(hall.told[0]["capabilities"].back() == "playbackControl");
  CHECK(hall.told[2]["op"] == "advertiseServices");
}

TEST_CASE("a topic keeps its number, and clients are told of what comes and goes") {
  Hall hall;
  hall.desk.set_channels({Hall::channel("/a"), Hall::channel("/b")});
  hall.enter(1);
  hall.subscribe(1, 5, 2);
  CHECK(hall.wanted == std::set<std::string>{"/b"});
  hall.desk.set_channels({Hall::channel("/a"), Hall::channel("/c")});
  CHECK(hall.told[0] == Json{{"op", "unadvertise"}, {"channelIds", {2}}});
  CHECK(hall.told[1]["channels"][0]["id"] == 3);
  CHECK(hall.wanted.empty());
  hall.told.clear();
  hall.desk.set_channels({Hall::channel("/a"), Hall::channel("/c")});
  CHECK(hall.told.empty());
  hall.desk.set_channels({Hall::channel("/b")});
  CHECK(hall.told[1]["channels"][0]["id"] == 2);
}

TEST_CASE("messages go to who is subscribed, by its own number, and streams not to who takes nothing") {
  Hall hall;
  hall.desk.set_channels({Hall::channel("/tf", true), Hall::channel("/map")});
  hall.enter(1), hall.enter(2);
  hall.desk.publish("/map", 1, shared("old"), true);
  hall.subscribe(1, 5, 1), hall.subscribe(2, 6, 1), hall.subscribe(2, 7, 2);
  CHECK(hall.taken() == Words{"2/7: old"});
  hall.desk.publish("/tf", 2, shared("x"));
  CHECK(hall.taken() == Words{"1/5: x", "2/6: x"});
  hall.waiting[2] = kMostUntaken;
  hall.desk.publish("/tf", 3, shared("y"));
  hall.desk.publish("/map", 3, shared("new"), true);
  CHECK(hall.taken() == Words{"1/5: y", "2/7: new"});
  hall.say(1, {{"op", "unsubscribe"}, {"subscriptionIds", {5}}});
  hall.desk.publish("/tf", 4, shared("z"));
  CHECK(hall.taken().empty());
}

TEST_CASE("who subscribes to the scene gets all of it, and then what becomes of it") {
  Hall hall;
  hall.desk.set_channels({Hall::channel("/scene")});
  hall.enter(1), hall.enter(2);
  hall.subscribe(1, 1, 1);
  hall.desk.change_scene(1, {true, {{"", shared("-")}}, {{"a", shared("A")}, {"b", shared("B")}}});
  CHECK(hall.taken() == Words{"1/1: -AB"});
  hall.desk.change_scene(2, {false, {{"a", shared("a")}}, {{"c", shared("C")}}});
  CHECK(hall.taken() == Words{"1/1: aC"});
  hall.subscribe(2, 2, 1);
  CHECK(hall.taken() == Words{"2/2: BC"});
  hall.desk.closed(1), hall.desk.closed(2);
  hall.enter(3);
  hall.subscribe(3, 3, 1);
  CHECK(hall.taken().empty());  // it is no longer followed: the feed tells it anew
}

TEST_CASE("a service is a call, answered as one, within the client's role") {
  Hall hall;
  hall.enter(1), hall.enter(2, "look");
  const Words names = foxglove_service_names();
  const auto number = [&](const char* name) {
    return static_cast<std::uint8_t>(std::find(names.begin(), names.end(), name) - names.begin() + 1);
  };
  hall.call(1, number("/convoy/spawn"), R"({"name": "a", "model": "box", "x": 3, "yaw": 1})");
  REQUIRE(hall.asked.size() == 1);
  const proto::SpawnOne& one = hall.asked[0].second.spawn().entities(0);
  CHECK((one.name() == "a" && one.model() == "box" && one.pose().p().x() == 3 && one.pose().q().z() > 0.4));
  hall.answer();
  CHECK(hall.last() ==
        Json{{"op", "response"}, {"call", 7}, {"is", {{"success", true}, {"message", ""}, {"tick", 5}}}});
  hall.call(1, number("/convoy/step"), "");
  CHECK(hall.asked[0].second.step().ticks() == 1);
  hall.answer(5, "it is not paused");
  CHECK(hall.last() ==
        Json{{"op", "serviceCallFailure"}, {"serviceId", 3}, {"callId", 7}, {"message", "it is not paused"}});
  for (const char* bad : {"{", "[]", R"({"ticks": "x"})"}) {
    hall.call(1, number("/convoy/step"), bad);
    CHECK(hall.last()["op"] == "serviceCallFailure");
  }
  hall.call(2, number("/convoy/pause"), "{}");
  CHECK(hall.last()["message"] == "this needs the role edit; the link gives view");
  CHECK(hall.asked.empty());
  CHECK(hall.desk.clerk().refused() == std::map<std::string, std::uint64_t>{{"malformed call", 3}, {"role", 1}});
}

TEST_CASE("cmd_vel drives the robot of its topic") {
  Hall hall;
  hall.enter(1, "go"), hall.enter(2, "look");
  const Json channels{
      {{"id", 4}, {"topic", "/scout/cmd_vel"}, {"encoding", "json"}, {"schemaName", "geometry_msgs/Twist"}}};
  for (const PageId page : {1, 2}) hall.say(page, {{"op", "advertise"}, {"channels", channels}});
  CHECK(hall.last()["message"] == "publishing needs the role drive; the link gives view");
  hall.told.clear();
  const auto publish = [&](const std::string& text) {
    hall.desk.binary(1, *shared(std::string("\x01\x04\0\0\0", 5) + text));
  };
  publish(R"({"linear": {"x": 0.25, "y": 0}, "angular": {"z": -1}})");
  publish(R"({"header": {}, "twist": {"linear": {"x": 0.5}, "angular": {}}})");
  REQUIRE(hall.asked.size() == 2);
  const proto::Drive& drive = hall.asked[0].second.drive();
  CHECK(
      (drive.name() == "scout" && drive.forward() == 0.25 && drive.turn() == -1 && drive.timeout() == kFoxgloveDrive));
  CHECK((hall.asked[1].second.drive().forward() == 0.5 && hall.asked[1].second.drive().turn() == 0));
  hall.answer(), hall.answer(9, "'scout' is leased");
  CHECK(hall.last() == Json{{"op", "status"}, {"level", 1}, {"message", "/scout/cmd_vel: 'scout' is leased"}});
  publish(R"({"linear": 3})");
  CHECK(hall.last()["level"] == 2);
  hall.say(1, {{"op", "unadvertise"}, {"channelIds", {4}}});
  publish(R"({"linear": {"x": 0.25}, "angular": {"z": 0}})");
  CHECK(hall.desk.clerk().refused().at("unknown channel") == 1);
}

TEST_CASE("parameters of the run and of nodes are read, set, and told of") {
  Hall hall;
  hall.enter(1), hall.enter(2);
  hall.desk.clerk().set_run(false, 1);
  hall.say(1, {{"op", "getParameters"}, {"parameterNames", {"/convoy/paused", "/convoy/speed"}}, {"id", "x"}});
  CHECK(hall.last() == Json{{"op", "parameterValues"},
                            {"id", "x"},
                            {"parameters",
                             {{{"name", "/convoy/paused"}, {"value", false}},
                              {{"name", "/convoy/speed"}, {"value", 1.0}, {"type", "float64"}}}}});
  hall.say(1, {{"op", "getParameters"}, {"parameterNames", Json::array()}});
  CHECK(hall.asked[0].second.nodes().kind() == 3);
  hall.answer(0, "", R"({"parameters": [{"node": "/a/b", "name": "gain.p", "value": "2.5"},
                                        {"node": "/a/b", "name": "mode", "value": "fast"}]})");
  CHECK(hall.last()["parameters"].size() == 4);
  CHECK(hall.last()["parameters"][0] == Json{{"name", "/a/b.gain.p"}, {"value", 2.5}, {"type", "float64"}});
  CHECK(hall.last()["parameters"][1]["value"] == "fast");

  hall.say(2, {{"op", "subscribeParameterUpdates"}, {"parameterNames", {"/convoy/paused"}}});
  hall.told.clear();
  hall.say(1, {{"op", "setParameters"}, {"id", "y"}, {"parameters", {{{"name", "/convoy/paused"}, {"value", true}}}}});
  CHECK(hall.asked[0].second.has_pause());
  hall.answer();
  CHECK(hall.told[0]["parameters"][0]["value"] == true);  // to the other
  CHECK(hall.told[1]["id"] == "y");
  hall.say(1, {{"op", "setParameters"}, {"parameters", {{{"name", "/a/b.gain.p"}, {"value", 3}}}}});
  const proto::SetParameter& set = hall.asked[0].second.set_parameter();
  CHECK((set.node() == "/a/b" && set.name() == "gain.p" && set.value() == "3"));
}

TEST_CASE("play, pause and speed are for foxglove.sdk.v1, and answered with how the run stands") {
  Hall hall;
  hall.enter(1, "all", kFoxgloveSdk), hall.enter(2);
  hall.desk.clerk().set_run(false, 1);
  hall.told.clear();
  const std::string pause("\x03\x01\0\0\0\x40\0\0\0\0\0\0\0\0\0\x01\0\0\0q", 20);
  hall.desk.binary(1, *shared(pause));
  REQUIRE(hall.asked.size() == 2);
  CHECK((hall.asked[0].second.has_pause() && hall.asked[1].second.speed().factor() == 2));
  hall.answer(), hall.answer();
  CHECK(hall.last() == Json{{"op", "playback"}, {"paused", true}, {"request", "q"}});
  hall.desk.binary(2, *shared(pause));
  CHECK(hall.last()["op"] == "status");
  CHECK(hall.asked.empty());
}

TEST_CASE("what is no message is told so and counted, and calls end with the simulation") {
  Hall hall;
  hall.desk.set_channels({Hall::channel("/tf")});
  hall.enter(1);
  for (const char* text : {"", "{", "[]", "{}", R"({"op": 1})", R"({"op": "subscribe"})",
                           R"({"op": "subscribe", "subscriptions": [1]})"}) {
    hall.desk.text(1, text);
    CHECK(hall.last()["level"] == 2);
  }
  CHECK(hall.desk.clerk().refused().at("malformed message") == 7);
  hall.subscribe(1, 1, 9);
  hall.subscribe(1, 1, 1), hall.subscribe(1, 2, 1);
  hall.say(1, {{"op", "fly"}});
  CHECK(hall.desk.clerk().refused().at("unknown channel") == 1);
  CHECK(hall.desk.clerk().refused().at("twice") == 1);
  CHECK(hall.desk.clerk().refused().at("unknown message") == 1);
  for (std::size_t i = 0; i <= kMostCalls; ++i) hall.call(1, 1, "{}");
  CHECK(hall.last()["message"] == "64 calls wait already");
  hall.told.clear();
  hall.desk.lose("the server is gone");
  CHECK(hall.told.size() == kMostCalls + 1);
  CHECK(hall.last()["message"] == "the simulation is gone: the server is gone");
}

}  // namespace foxglove_desk_test
