#include "adapters/web/signaling_desk.h"

#include <doctest/doctest.h>

#include "adapters/web/turn.h"

namespace signaling_desk_test {

using namespace convoy;
using namespace convoy::web;
using Json = nlohmann::json;
using Part = SignalingDesk::Part;

namespace {

struct Rig final : PagePort, Log {
  std::vector<IceServer> servers;
  SignalingDesk desk{
      {.ice_servers = [this] { return servers; }, .max_streamers = 3, .max_players = 4, .prefix = "a1-"}, *this, *this};
  std::map<PageId, std::vector<Json>> told;
  std::map<PageId, std::string> closed;
  PageId last = 0;

  void send(PageId page, const WebMessage& message) override {
    told[page].push_back(Json::parse(message.bytes->begin(), message.bytes->end()));
  }
  std::size_t backlog(PageId) const override { return 0; }
  void close(PageId page, CloseCode, std::string_view reason) override { closed[page] = reason; }
  std::map<std::string, std::uint64_t> refused() const override { return {}; }
  void line(LogLevel, const std::string&) override {}

  PageId come(Part part) { return desk.opened(++last, part, Moment{}), last; }
  void say(PageId who, const Json& message) { desk.text(who, message.dump()); }
  PageId streamer(const std::string& id) {
    const PageId who = come(Part::kStreamer);
    say(who, {{"type", "endpointId"}, {"id", id}, {"protocolVersion", "1.3.0"}});
    return who;
  }
  PageId player_of(const std::string& id) {
    const PageId who = come(Part::kPlayer);
    say(who, {{"type", "subscribe"}, {"streamerId", id}});
    return who;
  }
  Json take(PageId who) {
    if (told[who].empty()) return nullptr;
    Json out = told[who].back();
    told[who].clear();
    return out;
  }
};

}  // namespace

TEST_CASE("who comes is told how it can be reached, and a streamer is asked who it is") {
  Rig rig;
  rig.servers = {{"stun:example.org:3478", "", ""}, {"turn:example.org:3478", "1:convoy", "secret"}};
  const PageId player = rig.come(Part::kPlayer), streamer = rig.come(Part::kStreamer);
  const Json config = rig.told[player].at(0);
  CHECK(config["type"] == "config");
  CHECK(config["protocolVersion"] == "1.3.0");
  CHECK(config["peerConnectionOptions"]["iceServers"] == Json::parse(R"([{"urls": ["stun:example.org:3478"]},
                        {"urls": ["turn:example.org:3478"], "username": "1:convoy", "credential": "secret"}])"));
  CHECK(rig.told[player].size() == 1);
  CHECK(rig.told[streamer].at(1) == Json{{"type", "identify"}});
}

TEST_CASE("a player finds a streamer, and what they say to each other is handed on with who said it") {
  Rig rig;
  const PageId streamer = rig.streamer("world");
  CHECK(rig.take(streamer) == Json{{"type", "endpointIdConfirm"}, {"committedId", "world"}});
  const PageId player = rig.come(Part::kPlayer);
  rig.say(player, {{"type", "listStreamers"}});
  CHECK(rig.take(player) == Json{{"type", "streamerList"}, {"ids", {"world"}}});
  rig.say(player, {{"type", "subscribe"}, {"streamerId", "world"}});
  const std::string id = "a1-" + std::to_string(player);
  CHECK(rig.take(streamer) ==
        Json{{"type", "playerConnected"}, {"playerId", id}, {"dataChannel", true}, {"sfu", false}});

  rig.say(streamer, {{"type", "offer"}, {"playerId", id}, {"sdp", "v=0"}});
  CHECK(rig.take(player) == Json{{"type", "offer"}, {"sdp", "v=0"}});
  // A player cannot speak for another.
  rig.say(player, {{"type", "answer"}, {"playerId", "999"}, {"sdp", "v=1"}});
  CHECK(rig.take(streamer) == Json{{"type", "answer"}, {"playerId", id}, {"sdp", "v=1"}});
  rig.say(player, {{"type", "iceCandidate"}, {"candidate", {{"candidate", "c"}, {"sdpMLineIndex", 0}}}});
  CHECK(rig.take(streamer)["candidate"]["candidate"] == "c");

  rig.desk.closed(player);
  CHECK(rig.take(streamer) == Json{{"type", "playerDisconnected"}, {"playerId", id}});
  CHECK(rig.desk.players() == 0);
}

TEST_CASE("a streamer reaches its own players alone, and may send one away with a reason") {
  Rig rig;
  const PageId a = rig.streamer("a"), b = rig.streamer("b"), player = rig.player_of("a");
  rig.take(player);
  rig.say(b, {{"type", "offer"}, {"playerId", "a1-" + std::to_string(player)}, {"sdp", "v=0"}});
  rig.say(a, {{"type", "offer"}, {"playerId", std::to_string(player)}, {"sdp", "v=0"}});  // of another server
  rig.say(b, {{"type", "disconnectPlayer"}, {"playerId", "a1-" + std::to_string(player)}});
  CHECK(rig.take(player) == nullptr);
  CHECK(rig.closed.empty());
  CHECK(rig.desk.refused().at("unknown player") == 3);
  rig.say(a, {{"type", "disconnectPlayer"}, {"playerId", "a1-" + std::to_string(player)}, {"reason", "no encoder"}});
  CHECK(rig.closed.at(player) == "no encoder");
}

TEST_CASE("two streamers of one id are told apart, and the id is free again when one goes") {
  Rig rig;
  const PageId first = rig.streamer("world"), second = rig.streamer("world");
  CHECK(rig.take(second)["committedId"] == "world-2");
  CHECK(rig.desk.streamers() == std::vector<std::string>{"world", "world-2"});
  const PageId player = rig.player_of("world");
  rig.take(player);
  rig.desk.closed(first);
  CHECK(rig.take(player) == Json{{"type", "streamerDisconnected"}});
  CHECK(rig.desk.streamers() == std::vector<std::string>{"world-2"});
  CHECK(rig.take(rig.streamer("world"))["committedId"] == "world");
}

TEST_CASE("a streamer that takes another id tells its players") {
  Rig rig;
  const PageId streamer = rig.streamer("old"), player = rig.player_of("old");
  rig.take(player);
  rig.say(streamer, {{"type", "endpointId"}, {"id", "new"}});
  CHECK(rig.take(player) == Json{{"type", "streamerIdChanged"}, {"newID", "new"}});
  CHECK(rig.desk.streamers() == std::vector<std::string>{"new"});
}

TEST_CASE("a player that chooses another stream leaves the first") {
  Rig rig;
  const PageId a = rig.streamer("a"), b = rig.streamer("b"), player = rig.player_of("a");
  rig.take(a), rig.take(b);
  rig.say(player, {{"type", "subscribe"}, {"streamerId", "b"}});
  CHECK(rig.take(a)["type"] == "playerDisconnected");
  CHECK(rig.take(b)["type"] == "playerConnected");
  rig.say(player, {{"type", "unsubscribe"}});
  CHECK(rig.take(b)["type"] == "playerDisconnected");
  rig.say(player, {{"type", "answer"}, {"sdp", "v=0"}});
  CHECK(rig.take(b) == nullptr);
  CHECK(rig.desk.refused().at("no subscription") == 1);
}

TEST_CASE("pings are answered with their time") {
  Rig rig;
  const PageId player = rig.come(Part::kPlayer);
  rig.say(player, {{"type", "ping"}, {"time", 1234.5}});
  CHECK(rig.take(player) == Json{{"type", "pong"}, {"time", 1234.5}});
  rig.say(player, {{"type", "ping"}, {"time", "soon"}});
  CHECK(rig.take(player) == Json{{"type", "pong"}, {"time", 0}});
}

TEST_CASE("what is malformed is refused with a reason, and counted") {
  Rig rig;
  for (const char* text : {"", "{", "[]", "7", R"({"typ": "ping"})", R"({"type": 7})", "\xff\xfe"}) {
    const PageId player = rig.come(Part::kPlayer);
    rig.desk.text(player, text);
    CHECK(rig.closed.at(player) == "a message is a JSON object with a type");
    rig.desk.closed(player);
  }
  CHECK(rig.desk.refused().at("malformed message") == 7);

  const PageId player = rig.come(Part::kPlayer);
  rig.say(player, {{"type", "subscribe"}, {"streamerId", "nobody"}});
  CHECK(rig.take(player) == Json{{"type", "subscribeFailed"}, {"message", "no streamer is called 'nobody'"}});
  rig.say(player, {{"type", "subscribe"}});
  CHECK(rig.take(player)["message"] == "subscribe has a streamerId");
  CHECK(rig.desk.refused().at("unknown streamer") == 2);
  rig.say(player, {{"type", "startStreaming"}});
  CHECK(rig.desk.refused().at("unknown message") == 1);
  CHECK_FALSE(rig.closed.contains(player));
}

TEST_CASE("an id that nobody could name is refused") {
  for (const Json& id : {Json(""), Json(7), Json(std::string(129, 'x')), Json("two words"), Json("line\n")}) {
    Rig rig;
    const PageId streamer = rig.come(Part::kStreamer);
    rig.say(streamer, {{"type", "endpointId"}, {"id", id}});
    CHECK(rig.closed.contains(streamer));
    CHECK(rig.desk.streamers().empty());
  }
}

TEST_CASE("a streamer that says nothing is closed, and so are those beyond the limits") {
  Rig rig;
  const PageId silent = rig.come(Part::kStreamer);
  rig.desk.on_time(Moment{} + kSilence - std::chrono::milliseconds(1));
  CHECK_FALSE(rig.closed.contains(silent));
  rig.desk.on_time(Moment{} + kSilence);
  CHECK(rig.closed.at(silent) == "it has not said its id");
  rig.streamer("a"), rig.streamer("b");
  CHECK(rig.closed.at(rig.come(Part::kStreamer)) == "too many streamers are here");
  for (int i = 0; i < 4; ++i) CHECK_FALSE(rig.closed.contains(rig.come(Part::kPlayer)));
  CHECK(rig.closed.at(rig.come(Part::kPlayer)) == "too many players are here");
  CHECK(rig.desk.refused().at("too many players") == 1);
}

// The numbers are those of: printf '1700000000:convoy' | openssl dgst -sha1 -hmac north -binary | base64
TEST_CASE("credentials for TURN are the time until which they are good, signed") {
  const IceServer server = turn_server_until("turn:example.org:3478", "north", 1700000000);
  CHECK(server.url == "turn:example.org:3478");
  CHECK(server.username == "1700000000:convoy");
  CHECK(server.credential == "fc5/aeMHrtFbzWDeph4inGjxnsU=");
}

}  // namespace signaling_desk_test
