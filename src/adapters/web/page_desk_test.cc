#include "adapters/web/page_desk.h"

#include <doctest/doctest.h>

#include <deque>

#include "adapters/web/crowd_rig.h"

namespace page_desk_test {

using namespace convoy;
using namespace convoy::web;

namespace {

using Json = nlohmann::json;

Moment at(std::int64_t ms) { return Moment{} + std::chrono::hours(1) + std::chrono::milliseconds(ms); }

// A desk between sockets and a simulation that write down what they are told.
struct Hall final : PagePort, PageBackend {
  PageDesk desk{
      Keys({{"all", Access::kEdit}, {"look", Access::kView}}, [this] { return "s" + std::to_string(++drawn); }),
      {{"/index.html", bytes("<html>")}, {"/assets/a.js", bytes("1")}},
      *this,
      *this};
  int drawn = 0;
  std::deque<std::pair<PageId, Json>> told;
  std::vector<std::pair<PageId, std::uint32_t>> frames;  // and their numbers
  Bytes newest;                                          // the last of them
  std::vector<std::string> done;
  std::map<PageId, std::size_t> waiting;
  std::vector<std::pair<PageId, proto::Request>> asked;

  static SharedBytes bytes(std::string_view text) {
    const ByteView view = as_bytes(text);
    return std::make_shared<const Bytes>(view.begin(), view.end());
  }
  void send(PageId page, const WebMessage& message) override {
    if (message.text) told.emplace_back(page, Json::parse(as_text(*message.bytes)));
    else frames.emplace_back(page, number_of(*message.bytes)), newest = *message.bytes;
  }
  std::size_t backlog(PageId page) const override { return waiting.contains(page) ? waiting.at(page) : 0; }
  void close(PageId page, CloseCode code, std::string_view) override {
    done.push_back("close " + std::to_string(page) + " " + std::to_string(static_cast<int>(code)));
  }
  std::map<std::string, std::uint64_t> refused() const override { return at_sockets; }
  std::map<std::string, std::uint64_t> at_sockets;
  void joined(PageId page) override { done.push_back("joined " + std::to_string(page)); }
  void left(PageId page, const std::string& holder, bool has_leased) override {
    done.push_back("left " + std::to_string(page) + " " + holder + (has_leased ? " with leases" : ""));
  }
  void ask(PageId page, std::uint64_t id, proto::Request request) override {
    done.push_back("ask " + std::to_string(id));
    asked.emplace_back(page, std::move(request));
  }

  void seek(PageId page, std::uint64_t time_ns) override {
    done.push_back("seek " + std::to_string(page) + " " + std::to_string(time_ns));
  }
  void wants(const std::set<std::string>&) override {}

  HttpResponse get(const std::string& path, const std::string& session = "") {
    return desk.answer({"GET", path, session, ""}, at(0));
  }
  unsigned post(const std::string& body, const std::string& path = "/session") {
    return desk.answer({"POST", path, "", body}, at(0)).status;
  }
  std::string session(const std::string& token, std::int64_t ms = 0) {
    const HttpResponse got = desk.answer({"POST", "/session", "", Json{{"token", token}}.dump()}, at(ms));
    return got.status == 200 ? Json::parse(as_text(*got.body))["session"].get<std::string>() : "";
  }
  void say(PageId page, const Json& json, std::int64_t ms = 0) { desk.text(page, json.dump(), at(ms)); }
  // A page that has been welcomed.
  void enter(PageId page, const std::string& token = "all") {
    desk.opened(page, at(0));
    say(page, {{"hello", {{"session", session(token)}}}});
    desk.welcome(page, {{"name", "test"}}, {});
    told.clear(), done.clear();
  }
  std::vector<std::string> what() { return std::exchange(done, {}); }
  std::string error() {
    if (told.empty()) return "";
    const Json last = told.back().second;
    told.clear();
    return last.contains("event") ? last["event"]["text"].get<std::string>() : last["reply"]["text"].get<std::string>();
  }
};

Json call(std::uint64_t id, const Json& request) { return {{"call", {{"id", id}, {"request", request}}}}; }

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("a link's token gives a session with its role, and a wrong one nothing") {
  Hall hall;
  const HttpResponse got = hall.desk.answer({"POST", "/session", "", R"({"token": "look"})"}, at(0));
  CHECK(Json::parse(as_text(*got.body)) == Json{{"session", "s1"}, {"role", "view"}, {"expires_s", 43200}});
  CHECK(hall.post(R"({"token": "loo"})") == 403);
  CHECK(hall.post(R"({"token": ""})") == 403);
  CHECK(hall.post(R"({"token": 1})") == 400);
  CHECK(hall.post("{") == 400);
  CHECK(hall.get("/session").status == 405);
  CHECK(hall.desk.refused() == std::map<std::string, std::uint64_t>{{"wrong token", 2}, {"malformed request", 2}});
}

TEST_CASE("the page is there for all, and models for who has a session, until it expires") {
  Hall hall;
  hall.desk.set_files({{"/models/1.glb", Hall::bytes("glTF")}});
  CHECK(hall.get("/").type == "text/html; charset=utf-8");
  CHECK(hall.get("/assets/a.js").keeps);
  CHECK(!hall.get("/index.html").keeps);
  CHECK(hall.get("/../secret").status == 404);
  CHECK(hall.post("", "/index.html") == 405);
  CHECK(hall.get("/models/1.glb").status == 403);
  const std::string session = hall.session("look");
  CHECK(hall.get("/models/1.glb", session).status == 200);
  CHECK(hall.desk.answer({"GET", "/models/1.glb", session, ""}, at(12 * 3600 * 1000)).status == 403);
}

TEST_CASE("a page says hello with a session first, and in time") {
  Hall hall;
  for (PageId page : {1, 2, 3}) hall.desk.opened(page, at(0));
  hall.say(1, {{"hello", {{"session", "s7"}}}});
  hall.say(2, {{"ack", 1}});
  CHECK(hall.what() == Words{"close 1 4403", "close 2 4403"});
  hall.desk.on_time(at(9'999));
  CHECK(hall.what().empty());
  hall.desk.on_time(at(10'000));
  hall.desk.on_time(at(10'008));
  CHECK(hall.what() == Words{"close 1 4408", "close 2 4408", "close 3 4408"});
  hall.desk.opened(4, at(0));
  hall.say(4, {{"hello", {{"session", hall.session("all")}}}});
  CHECK(hall.what() == Words{"joined 4"});
  hall.desk.welcome(4, {{"name", "test"}}, {R"({"scene": {}})"});
  CHECK(hall.told.front().second == Json{{"welcome", {{"name", "test"}, {"role", "edit"}, {"page", 4}}}});
  CHECK(hall.told.back().second == Json{{"scene", Json::object()}});
}

TEST_CASE("a page has at most two frames that it has not drawn, and then gets the newest") {
  Hall hall;
  hall.enter(1);
  hall.enter(2);
  const auto show = [&](std::uint32_t number) { hall.desk.show(Bytes(kFrameHead), nullptr, at(100 * number)); };
  for (std::uint32_t number = 1; number <= 5; ++number) {
    show(number);
    if (number < 5) hall.say(2, {{"ack", number}}, 100 * number + 1);
  }
  using Sent = std::vector<std::pair<PageId, std::uint32_t>>;
  CHECK(hall.frames == Sent{{1, 1}, {2, 1}, {1, 2}, {2, 2}, {2, 3}, {2, 4}, {2, 5}});
  hall.frames.clear();
  hall.say(1, {{"ack", 1}}, 600);
  CHECK(hall.frames == Sent{{1, 5}});
  hall.say(1, {{"ack", 9}}, 700);  // of what it was never sent: it has drawn all
  show(8);
  CHECK(hall.frames == Sent{{1, 5}, {1, 6}, {2, 6}});

  // When entities have changed, an older frame no longer goes with them.
  hall.frames.clear();
  hall.say(1, {{"ack", 6}}, 801), hall.say(2, {{"ack", 6}}, 801);
  hall.desk.show(Bytes(kFrameHead), nullptr, at(802));  // too soon after the last
  hall.desk.change(R"({"entities": {}})");
  hall.desk.on_time(at(2000));
  CHECK(hall.frames.empty());
}

TEST_CASE("of a crowd a page that looks gets parts after a whole frame, with numbers of their own, until it has all") {
  Hall hall;
  hall.enter(1), hall.enter(2);
  hall.say(1, {{"look", {{"eye", {0, 0, 2}}, {"ahead", {2, 0, 0}}, {"angle", 0.5}, {"always", {3}}}}});
  auto bodies = web::testing::line();
  const auto roster = web::testing::roster_of(bodies);
  std::int64_t now = 0;
  const auto show = [&] {
    for (web::testing::Body& body : bodies) body.y += 1;
    hall.desk.show(web::testing::frame_of(bodies), roster, at(now += 100));
  };
  using Sent = std::vector<std::pair<PageId, std::uint32_t>>;
  show();
  CHECK(hall.frames == Sent{{1, 1}, {2, 1}});
  hall.say(1, {{"ack", 1}}, now), hall.say(2, {{"ack", 1}}, now);

  show();  // the page that does not say where it looks has it whole
  CHECK(hall.frames == Sent{{1, 1}, {2, 1}, {1, 3}, {2, 2}});
  CHECK(hall.newest[0] == 1);

  // Nothing is shown any more: the rest follows, and then nothing.
  std::size_t told = 0;
  hall.frames.clear();
  hall.say(1, {{"ack", 3}}, now);
  hall.desk.on_time(at(now += 99));
  CHECK(hall.frames.empty());
  for (int i = 0; i < 100; ++i) {
    hall.desk.on_time(at(now += 50));
    if (hall.frames.empty()) break;
    told += web::testing::slots_in(hall.newest).size();
    REQUIRE((hall.frames.size() == 1 && hall.frames[0].first == 1 && hall.newest[0] == 2));
    hall.say(1, {{"ack", hall.frames[0].second}}, now);
    hall.frames.clear();
  }
  CHECK(told > 3'000);
  CHECK(told < 10'000);
  show();
  CHECK(hall.frames.size() == 2);
}

TEST_CASE("a thousand looks make no frame, and the newest counts") {
  Hall hall;
  hall.enter(1);
  const auto bodies = web::testing::line();
  hall.desk.show(web::testing::frame_of(bodies), web::testing::roster_of(bodies), at(0));
  hall.frames.clear();
  for (int i = 0; i < 1000; ++i)
    hall.say(1, {{"look", {{"eye", {i, 0, 1e6}}, {"ahead", {0, 0, -1e6}}, {"angle", 3.1415926}}}}, 1);
  hall.desk.on_time(at(1000));
  CHECK(hall.frames.empty());
  CHECK(hall.told.empty());
  CHECK(hall.desk.refused().empty());
}

TEST_CASE("a look without a place, a direction or an angle, or at too much, is refused") {
  Hall hall;
  hall.enter(1);
  const Json right{{"eye", {0, 0, 2}}, {"ahead", {1, 0, 0}}, {"angle", 0.5}, {"always", {3}}};
  const Json many(std::vector<int>(kMostAlways + 1, 1));
  const std::pair<const char*, Json> wrong[] = {
      {"eye", {0, 0}},      {"eye", {0, 0, "1"}},     {"eye", {0, 0, 2e6}}, {"eye", {0, nullptr, 0}},
      {"ahead", {0, 0, 0}}, {"ahead", {1e300, 0, 0}}, {"ahead", 1},         {"angle", -0.1},
      {"angle", 7},         {"angle", "1"},           {"always", many},     {"always", {"walk"}},
      {"always", {-1}},     {"always", {1ull << 40}}, {"always", {1.5}},    {"always", "all"}};
  for (const auto& one : wrong) {
    CAPTURE(one.first);
    CAPTURE(one.second.dump());
    Json look = right;
    look[one.first] = one.second;
    hall.say(1, {{"look", look}});
    CHECK(hall.error().find("look has ") == 0);
  }
  for (const char* field : {"eye", "ahead", "angle"}) {
    Json look = right;
    look.erase(field);
    hall.say(1, {{"look", look}});
    CHECK(hall.error().find(std::string("look has ") + field) == 0);
  }
  for (const char* text :
       {R"({"look": 1})", R"({"look": null})", R"({"look": {"eye": [0, 0, 1e999], "ahead": [1, 0, 0], "angle": 1}})",
        R"({"look": {"eye": [0, 0, NaN], "ahead": [1, 0, 0], "angle": 1}})"}) {
    hall.desk.text(1, text, at(0));
    CHECK(!hall.error().empty());
  }
  CHECK(hall.desk.refused().at("malformed message") == std::size(wrong) + 3 + 4);
  hall.say(1, {{"look", right}});
  CHECK(hall.told.empty());
}

TEST_CASE("a page that takes nothing is spared what it can do without") {
  Hall hall;
  hall.enter(1);
  hall.waiting[1] = kMostUntaken;
  hall.desk.tell_all(R"({"status": {}})");
  CHECK(hall.told.empty());
  hall.desk.change(R"({"entities": {}})");
  CHECK(hall.told.size() == 1);
}

TEST_CASE("a page's calls go by its name, within its role, and are answered once") {
  Hall hall;
  hall.enter(1);
  hall.enter(2, "look");
  hall.say(1, call(7, {{"drive", {{"name", "a"}, {"forward", 0.5}}}}));
  REQUIRE(hall.asked.size() == 1);
  CHECK(hall.asked[0].second.holder() == "web/page1");
  CHECK(hall.asked[0].second.drive().forward() == 0.5);
  hall.say(1, call(7, {{"get", {{"name", "a"}}}}));
  CHECK(hall.error() == "the id of a call that is not answered yet");
  proto::Reply reply;
  reply.set_tick(12), reply.set_json(R"({"a": 1})");
  hall.desk.answered(1, 7, reply);
  const Json told = hall.told.back().second["reply"];
  CHECK((told["id"] == 7 && told["error"] == 0 && told["tick"] == 12 && told["data"] == Json{{"a", 1}}));
  hall.desk.answered(1, 7, reply);
  CHECK(hall.told.size() == 1);

  hall.say(2, call(1, {{"get", {{"name", "a"}}}}));
  CHECK(hall.asked.size() == 2);
  for (const char* method : {"drive", "delete_", "stop", "own_edit"}) {
    hall.say(2, call(2, {{method, std::string(method) == "own_edit" ? Json("") : Json::object()}}));
    CHECK(hall.error().find("this needs the role ") == 0);
  }
  hall.say(1, call(3, {{"stop", Json::object()}}));
  CHECK(hall.error() == "this needs the role admin; the page's link gives edit");
  for (std::uint64_t id = 100; id < 100 + kMostCalls; ++id) hall.say(1, call(id, {{"status", Json::object()}}));
  hall.told.clear();
  hall.say(1, call(200, {{"status", Json::object()}}));
  CHECK(hall.error() == "64 calls wait already");
}

TEST_CASE("what is no message is refused with a reason, and counted") {
  Hall hall;
  hall.enter(1);
  for (const char* text :
       {"", "{", "[]", "7", "{}", R"({"a": 1, "b": 2})", R"({"ack": -1})", R"({"ack": "1"})", R"({"rate": 0})",
        R"({"rate": 1e9})", R"({"rate": null})", R"({"call": 1})", R"({"call": {"id": 1}})",
        R"({"call": {"id": -1, "request": {}}})", R"({"hello": {}})", "\xff\xfe"}) {
    CAPTURE(text);
    hall.desk.text(1, text, at(0));
    CHECK(!hall.error().empty());
  }
  CHECK(hall.desk.refused().at("malformed message") == 16);
  for (const Json& request : {Json::object(), Json{{"fly", 1}}, Json{{"drive", 3}}, Json{{"drive", {{"speed", 1}}}}}) {
    hall.say(1, call(1, request));
    CHECK(hall.error().find("no call") == 0);
  }
  CHECK(hall.desk.refused().at("malformed call") == 4);
  CHECK(hall.asked.empty());
}

TEST_CASE("who may edit chooses the time of a recording") {
  Hall hall;
  hall.enter(1), hall.enter(2, "look");
  hall.say(1, {{"seek", {{"time_s", 12.5}}}});
  hall.say(1, {{"seek", {{"time_s", 0}}}});
  CHECK(hall.what() == std::vector<std::string>{"seek 1 12500000000", "seek 1 0"});
  hall.say(2, {{"seek", {{"time_s", 1}}}});
  CHECK(hall.error() == "this needs the role edit; the page's link gives view");
  for (const Json& wrong :
       {Json{{"time_s", -1}}, Json{{"time_s", "1"}}, Json{{"time_s", 1e30}}, Json{{"time", 1}}, Json(1)})
    hall.say(1, {{"seek", wrong}});
  CHECK(hall.what().empty());
  CHECK(hall.desk.refused() == std::map<std::string, std::uint64_t>{{"malformed message", 5}, {"role", 1}});
}

TEST_CASE("leases end with their page, and calls with the simulation") {
  Hall hall;
  hall.enter(1);
  hall.enter(2);
  hall.say(1, call(1, {{"lease", {{"names", {"a"}}}}}));
  hall.what();
  hall.desk.lose("the server is gone");
  CHECK(hall.told[0].second["reply"]["text"] == "the simulation is gone");
  CHECK(hall.told[1].second == Json{{"lost", {{"text", "the server is gone"}}}});
  hall.desk.join_again();
  CHECK(hall.what() == Words{"joined 1", "joined 2"});
  hall.desk.welcome(1, Json::object(), {});
  hall.say(1, call(2, {{"lease", {{"names", {"a"}}}}}));
  hall.what();
  hall.desk.closed(1), hall.desk.closed(2), hall.desk.closed(2);
  CHECK(hall.what() == Words{"left 1 web/page1 with leases", "left 2 web/page2"});
}

}  // namespace page_desk_test
