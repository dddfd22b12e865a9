#include <cstring>
#include <map>

#include "adapters/zmq/hall.h"
#include "adapters/zmq/operations.h"
#include "core/random.h"

namespace calls_test {

using namespace convoy;
using namespace convoy::zmq;
using std::chrono::milliseconds;

TEST_CASE("each operation needs a role, and doors with less refuse it") {
  std::map<std::string, std::string> roles;
  for (const Operation& one : operations()) roles[name_of(one.needs)] += std::string(one.name) + " ";
  CHECK(roles ==
        std::map<std::string, std::string>{
            {"view",
             "hello meta status bye get_state get_contacts get_sensor list_keyframes get_entity list_entities "
             "list_elements get_world "
             "list_drawings list_models "},
            {"drive",
             "lease release set_camera_streaming set_twist set_actions set_control_source set_gains draw erase "},
            {"edit",
             "set_mode set_paused set_sim_speed step reset set_state apply_force set_option set_sensor spawn "
             "delete attach "
             "detach set_tags set_entity set_environment "}});
  for (const Access role : {Access::kView, Access::kDrive, Access::kEdit}) {
    Hall hall(true, role);
    const std::string session = hall.session();
    for (const Operation& one : operations()) {
      CAPTURE(one.name);
      CHECK((hall.code(session, {{"op", one.name}}) == "denied") == (role < one.needs));
      if (std::string(one.name) == "bye") break;
    }
    CHECK((hall.code({{"op", "set_twist"}}) == "denied") == (role < Access::kDrive));
    CHECK((hall.code({{"op", "set_paused"}, {"paused", true}}) == "denied") == (role < Access::kEdit));
  }
}

TEST_CASE("values travel in msgpack and JSON, bytes in JSON as base64") {
  const Json value{{"a", {1, -2, 0.5, true, nullptr, "text"}}, {"b", Json::binary({0, 1, 2, 255})}};

  CHECK(decode(encode(value, Encoding::kMsgpack), Encoding::kMsgpack) == value);
  const Bytes text = encode(value, Encoding::kJson);
  CHECK(as_text(text) == R"({"a":[1,-2,0.5,true,null,"text"],"b":"AAEC/w=="})");
  CHECK(read_binary((*decode(text, Encoding::kJson))["b"]) == Bytes{0, 1, 2, 255});
  for (std::size_t n : {0, 1, 2, 3, 4})
    CHECK(read_binary(Json::parse(as_text(encode(Json::binary(std::vector<std::uint8_t>(n, 77)), Encoding::kJson)))) ==
          Bytes(n, 77));
  for (const char* wrong : {"A", "AAA", "AA=A", "A===", "AA*A"}) CHECK_FALSE(read_binary(wrong));
  CHECK(encoding_of(as_bytes(" \n{")) == Encoding::kJson);
  CHECK(encoding_of(as_bytes("\x81")) == Encoding::kMsgpack);
  CHECK(encoding_of({}) == Encoding::kMsgpack);
}

TEST_CASE("what is too deep, cut short or goes on behind its end is no value") {
  for (char open : {'[', '{'}) CHECK_FALSE(decode(as_bytes(std::string(900'000, open)), Encoding::kJson));
  CHECK_FALSE(decode(Bytes(1'000'000, 0x91), Encoding::kMsgpack));
  CHECK_FALSE(decode(Bytes{0xdd, 0xff, 0xff, 0xff, 0xff}, Encoding::kMsgpack));
  CHECK_FALSE(decode(Bytes{0xc1}, Encoding::kMsgpack));
  CHECK_FALSE(decode(Bytes{0xc0, 0xc0}, Encoding::kMsgpack));
  CHECK_FALSE(decode({}, Encoding::kMsgpack));
  const Bytes whole =
      encode({{"op", "step"}, {"x", {1.5, 70000, -3}}, {"b", Json::binary({1, 2})}}, Encoding::kMsgpack);
  for (std::size_t n = 0; n < whole.size(); ++n) CHECK_FALSE(decode(ByteView(whole).first(n), Encoding::kMsgpack));
}

TEST_CASE("every request is answered once, whatever its bytes are") {
  Hall hall;
  const std::string session = hall.session();
  Random random{stream_key(1, 2, "fuzz")};
  const Bytes whole = encode({{"op", "step"},
                              {"session_id", session},
                              {"n_steps", 5},
                              {"per_articulation", {{"s0", {{"ctrl", row({1, 2})}}}}}},
                             Encoding::kMsgpack);
  for (int i = 0; i < 3000; ++i) {
    Bytes bytes = whole;
    for (int k = 0; k < 3; ++k) {
      const std::uint64_t at = random.bits(), value = random.bits();
      bytes[at % bytes.size()] = static_cast<std::uint8_t>(value);
    }
    if (i % 3 == 0) bytes.resize(random.bits() % bytes.size());
    hall.answers.clear();
    hall.calls.take({Bytes{'x'}, {}}, bytes, hall.fleet.get(), hall.now);
    for (int k = 0; k < 4; ++k) hall.serve_calls();
    CHECK(hall.answers.size() == 1);
  }
}

TEST_CASE("malformed requests have their codes") {
  Hall hall;
  const auto raw = [&](std::string_view bytes) {
    hall.answers.clear();
    hall.calls.take({Bytes{'x'}}, as_bytes(bytes), hall.fleet.get(), hall.now);
    hall.collect();
    return hall.answers.at(0).second.value("code", "none");
  };
  CHECK(raw("") == "bad_encoding");
  CHECK(raw("{") == "bad_encoding");
  CHECK(raw("\x93\x01\x02\x03") == "bad_request");
  CHECK(raw("{}") == "missing_op");
  CHECK(raw(R"({"op":1})") == "missing_op");
  CHECK(raw(R"({"op":"fly"})") == "unknown_op");
  CHECK(raw(R"({"op":"step"})") == "no_session");
  CHECK(raw(R"({"op":"step","session_id":"7-9"})") == "session_expired");
  hall.calls.take({Bytes{'x'}}, as_bytes(R"({"op":"hello"})"), nullptr, hall.now);
  hall.collect();
  CHECK(hall.answers.back().second["code"] == "not_ready");

  const Json meta = hall.ask({{"op", "meta"}});
  CHECK(meta["ops"].size() == 39);
  for (const char* code : {"leased", "paused", "no_session", "bad_encoding", "wrong_host"})
    CHECK(std::find(meta["error_codes"].begin(), meta["error_codes"].end(), code) != meta["error_codes"].end());
}

TEST_CASE("hello reports the run, its clients and the robots") {
  Hall hall;
  const Json hello = hall.ask({{"op", "hello"}, {"timeout", 2}});

  CHECK(hello["op"] == "hello_ok");
  CHECK(hello["mode"] == "live");
  CHECK(hello["host"] == "host0");
  CHECK(hello["endpoints"] == Json::parse(R"([{"host":"host0","calls":"tcp://here:1"}])"));
  CHECK(hello["tick_ns"] == 10'000'000);
  REQUIRE(hello["articulations"].size() == 3);
  const Json& slides = hello["articulations"][0];
  CHECK(slides["name"] == "s0");
  CHECK(slides["timestep_ns"] == 2'000'000);
  CHECK(slides["nu"] == 2);
  CHECK(slides["actuators"][0] == Json::parse(R"({"name":"left","id":0,"low":-1.0,"high":1.0,"limited":true})"));
  CHECK(slides["sensors"][0]["dim"] == 1);
  CHECK(slides["keyframes"] == Json{"up"});
  const Json& burger = hello["articulations"][2];
  CHECK(burger["nq"] == 9);
  CHECK(burger["nv"] == 8);
  CHECK(burger["joints"][0]["type"] == "free");
  CHECK(Json(hall.session()) != hello["session_id"]);
  for (const Json& timeout : {Json(0), Json(-1), Json(3601), Json("5"), Json(kNaN)})
    CHECK(hall.code({{"op", "hello"}, {"timeout", timeout}}) == "bad_value");
  CHECK(hall.code({{"op", "hello"}, {"observations", "all"}}) == "bad_value");
}

TEST_CASE("who steps holds the world, and is answered when it has come where it shall be") {
  Hall hall;
  const std::string me = hall.session();
  for (int i = 0; i < 3; ++i) hall.tick_calls();
  const Json mode = hall.ask(me, {{"op", "set_mode"}, {"mode", "direct"}});
  CHECK(mode["previous_mode"] == "live");
  CHECK(mode["current_mode"] == "stepped");
  CHECK(mode["tick"] == 3);
  CHECK(hall.horizon() == 3);
  hall.ask(me, {{"op", "lease"}, {"articulations", {"s0", "s1"}}});

  const Json done = hall.step(
      me, {{"n_steps", 10},
           {"per_articulation", {{"s0", {{"ctrl", row({0.5, 2})}}}, {"s1", {{"ctrl_map", {{"right", 7}}}}}}}});
  REQUIRE(done.value("op", "") == "step_ok");
  CHECK(done["tick"] == 5);
  CHECK(done["step"] == 25);
  CHECK(done["sim_time"]["nsec"] == 50'000'000);
  CHECK(done["per_articulation"]["s0"]["qpos"] == row({0.5, 2}));
  CHECK(done["per_articulation"]["s1"]["ctrl"] == row({0, 7}));
  CHECK(done["per_articulation"]["s0"]["sensors"]["way"] == row({0.5}));
  REQUIRE(hall.given.size() == 5);
  CHECK(hall.given[3].size() == 2);  // all of them in the step's first tick
  CHECK(hall.given[4].empty());

  hall.ask(me, {{"op", "set_mode"}, {"mode", "live"}});
  CHECK_FALSE(hall.horizon());
  CHECK(hall.step(me, {{"n_steps", 1000}})["tick"] == 5);  // at once
  CHECK(hall.code(me, {{"op", "set_mode"}, {"mode", "puppet"}}) == "bad_mode");
  CHECK(hall.code(me, {{"op", "set_mode"}}) == "missing_field");
  Hall free(false);
  const std::string other = free.session();
  CHECK(free.code(other, {{"op", "set_mode"}, {"mode", "stepped"}}) == "bad_mode");
}

TEST_CASE("steps that are no whole number of ticks are an error, as is a robot of another timestep") {
  Hall hall;
  const std::string me = hall.session();
  hall.ask(me, {{"op", "set_mode"}, {"mode", "stepped"}});
  CHECK(hall.step(me, {{"n_steps", 5}})["code"] == "bad_value");  // the burger steps once a tick
  CHECK(hall.step(me, {{"ticks", 1}})["tick"] == 1);
  hall.ask(me, {{"op", "lease"}, {"articulations", {"s0", "s1"}}});
  CHECK(hall.step(me, {{"n_steps", 5}})["tick"] == 2);
  for (const Json& wrong : {Json(4), Json(0), Json(-5), Json(2.5), Json("5"), Json(1e18), Json(kNaN)})
    CHECK(hall.step(me, {{"n_steps", wrong}})["code"] == "bad_value");
  CHECK(hall.position.tick == 2);
}

TEST_CASE("packed steps take and give the robots of the leases, in their order") {
  Hall hall;
  const std::string me = hall.session();
  const Json lease = hall.ask(me, {{"op", "lease"}, {"articulations", {"s1", "s0"}}});
  CHECK(lease["articulations"] == Json{"s1", "s0"});
  CHECK(lease["layout"][0] == Json::parse(R"({"name":"s1","nq":2,"nv":2,"nu":2,"na":0,"nsensordata":1})"));
  hall.ask(me, {{"op", "set_mode"}, {"mode", "stepped"}});

  const Json one = hall.step(me, {{"ticks", 1}, {"ctrl", bytes_of({1, 2, 3, 4})}, {"observations", "minimal"}});
  CHECK(numbers_in(one["obs"]) == std::vector<double>{1, 2, 1, 2, 3, 4, 3, 4});
  const Json two = hall.step(me, {{"ticks", 1}, {"ctrl", bytes_of({kNaN, 5, kNaN, kNaN})}, {"observations", "full"}});
  CHECK(numbers_in(two["obs"]) == std::vector<double>{1, 5, 0, 3, 1, 1, 5, 3, 4, 0, 0, 3, 3, 4});
  CHECK_FALSE(hall.step(me, {{"ticks", 1}, {"packed", true}, {"observations", "none"}}).contains("obs"));
  for (const std::vector<double>& wrong : {std::vector<double>{1, 2, 3}, {1, 2, 3, 4, 5}, {}})
    CHECK(hall.step(me, {{"ticks", 1}, {"ctrl", bytes_of(wrong)}})["code"] == "dim_mismatch");
  CHECK(hall.step(me, {{"ticks", 1}, {"ctrl", bytes_of({1, 2, 3, 1 / 0.0})}})["code"] == "bad_value");
  CHECK(hall.step(me, {{"ticks", 1}, {"ctrl", 5}})["code"] == "bad_value");
}

TEST_CASE("controls that make no sense are refused whole") {
  Hall hall;
  const std::string me = hall.session();
  const auto code = [&](const Json& robots) { return hall.step(me, {{"per_articulation", robots}})["code"]; };
  CHECK(code({{"s0", {{"ctrl", row({1})}}}}) == "dim_mismatch");
  CHECK(code({{"s0", {{"ctrl", row({1, kNaN})}}}}) == "bad_value");
  CHECK(code({{"s0", {{"ctrl_map", {{"up", 1}}}}}}) == "bad_value");
  CHECK(code({{"s0", {{"ctrl_map", {{"left", "1"}}}}}}) == "bad_value");
  CHECK(code({{"s0", {{"ctrl", row({1, 2})}}}, {"nobody", Json::object()}}) == "unknown_articulation");
  CHECK(code(5) == "bad_value");
  hall.tick_calls();
  CHECK(hall.given.back().empty());
}

TEST_CASE("a lease keeps others away until it is given back, or its session ends") {
  Hall hall;
  const std::string me = hall.session({{"timeout", 5}}), other = hall.session({{"timeout", 100}});
  hall.ask(me, {{"op", "lease"}, {"articulations", {"s0", "burger"}}});
  CHECK(hall.code(other, {{"op", "lease"}, {"articulations", {"s1", "s0"}}}) == "leased");
  CHECK(hall.ask(other, {{"op", "lease"}, {"articulations", {"s1"}}})["articulations"] == Json{"s1"});
  CHECK(hall.code(other, {{"op", "lease"}}) == "leased");
  const Json drive{
      {"op", "set_twist"}, {"articulation", "burger"}, {"linear", row({0.1, 0, 0})}, {"angular", row({0, 0, 0})}};
  CHECK(hall.code(other, drive) == "leased");
  CHECK(hall.code(drive) == "leased");
  CHECK(hall.ask(me, drive)["op"] == "set_twist_ok");
  CHECK(hall.code(other, {{"op", "set_state"}, {"articulation", "s0"}, {"qpos", row({1, 2})}}) == "leased");
  CHECK(hall.code(other, {{"op", "reset"}}) == "leased");
  CHECK(hall.code(other, {{"op", "reset"}, {"articulations", {"s0"}}}) == "leased");
  CHECK(hall.step(other, {{"per_articulation", {{"s0", {{"ctrl", row({1, 2})}}}}}})["code"] == "leased");
  CHECK(hall.ask({{"op", "get_state"}, {"articulation", "s0"}})["op"] == "get_state_ok");
  CHECK(hall.control.leases().leased(WorldNumber(1)));

  CHECK(hall.ask(me, {{"op", "release"}, {"articulations", {"burger"}}})["articulations"] == Json{"burger"});
  CHECK(hall.ask(other, drive)["op"] == "set_twist_ok");
  hall.now += std::chrono::seconds(6);
  hall.control.on_time(hall.fleet.get(), hall.now);
  hall.serve_calls();
  CHECK_FALSE(hall.control.leases().leased(WorldNumber(1)));
  CHECK(hall.code(me, {{"op", "step"}}) == "session_expired");
  CHECK(hall.control.sessions().size() == 1);
  CHECK(hall.ask(other, {{"op", "bye"}})["op"] == "bye_ok");
  hall.serve_calls();
  CHECK_FALSE(hall.control.leases().leased(WorldNumber(2)));
}

TEST_CASE("a step that others hold back, or a pause, is given up, and what it allowed is taken back") {
  Hall hall;
  const std::string me = hall.session({{"timeout", 5}});
  hall.ask(me, {{"op", "set_mode"}, {"mode", "stepped"}});
  hall.send("me", {{"op", "step"}, {"session_id", me}, {"ticks", 3}});
  CHECK(hall.horizon() == 3);
  CHECK(hall.code(me, {{"op", "step"}, {"ticks", 1}}) == "not_ready");
  hall.answers.clear();
  hall.now += std::chrono::seconds(6);
  hall.control.on_time(hall.fleet.get(), hall.now);
  hall.collect();
  REQUIRE(hall.answers.size() == 1);
  CHECK(hall.answers[0].second["code"] == "step_timeout");
  CHECK(hall.horizon() == 0);

  CHECK(hall.ask({{"op", "set_paused"}, {"paused", true}})["paused"] == true);
  hall.answers.clear();
  hall.send("me", {{"op", "step"}, {"session_id", me}, {"ticks", 3}});
  hall.now += milliseconds(200);
  hall.control.on_time(hall.fleet.get(), hall.now);
  hall.serve_calls();
  REQUIRE(hall.answers.size() == 1);
  CHECK(hall.answers[0].second["code"] == "paused");
  CHECK(hall.horizon() == 0);
}

TEST_CASE("a state that was kept is put back to the bit") {
  Hall hall;
  const std::string me = hall.session();
  hall.ask(me, {{"op", "set_mode"}, {"mode", "stepped"}});
  const auto drive = [&](double left) {
    return hall.step(me, {{"ticks", 1}, {"per_articulation", {{"s0", {{"ctrl", row({left, 1})}}}}}});
  };
  drive(0.5);
  const Json kept = hall.ask(me, {{"op", "get_state"}, {"articulation", "s0"}})["per_articulation"]["s0"];
  const Json first = drive(0.25)["per_articulation"]["s0"];
  drive(9);

  CHECK(hall.ask(me, {{"op", "set_state"}, {"articulation", "s0"}, {"state", kept["state"]}})["op"] == "set_state_ok");
  CHECK(hall.ask(me, {{"op", "get_state"}, {"articulation", "s0"}})["per_articulation"]["s0"] == kept);
  CHECK(drive(0.25)["per_articulation"]["s0"] == first);
  CHECK(hall.code(me, {{"op", "set_state"}, {"articulation", "burger"}, {"state", kept["state"]}}) == "bad_value");
  Json::binary_t bytes = kept["state"].get_binary();
  for (std::size_t n : {std::size_t{0}, std::size_t{3}, bytes.size() - 1}) {
    Json::binary_t cut = bytes;
    cut.resize(n);
    CHECK(hall.code(me, {{"op", "set_state"}, {"articulation", "s0"}, {"state", Json::binary(cut)}}) == "bad_value");
  }
}

TEST_CASE("positions and velocities are set as numbers, or refused") {
  Hall hall;
  const std::string me = hall.session();
  hall.ask(me, {{"op", "set_mode"}, {"mode", "stepped"}});
  const auto set = [&](const char* robot, const Json& more) {
    Json request{{"op", "set_state"}, {"articulation", robot}};
    request.update(more);
    return hall.ask(me, request);
  };
  CHECK(set("s0", {{"qpos", row({1, 2})}})["op"] == "set_state_ok");
  CHECK(set("burger", {{"qpos", row({5, 6, 0, 1, 0, 0, 0})}, {"qvel", row({1, 0, 0, 0, 0, 0})}})["op"] ==
        "set_state_ok");
  const Json now = hall.ask(me, {{"op", "get_state"}, {"articulations", {"s0", "burger"}}})["per_articulation"];
  CHECK(now["s0"]["qpos"] == row({1, 2}));
  CHECK(now["burger"]["qpos"] == row({5, 6, 0, 1, 0, 0, 0, 0, 0}));
  CHECK(now["burger"]["qvel"][0] == 1);
  const auto joints_of = [&](const char* robot, const char* what) {
    return hall.ask(me, {{"op", "get_state"}, {"articulation", robot}})["per_articulation"][robot][what];
  };
  const Json slide = hall.ask({{"op", "hello"}})["articulations"][0]["joints"][1]["name"];
  CHECK(set("s0", {{"joints", {{slide, 5}}}})["op"] == "set_state_ok");
  CHECK(joints_of("s0", "qpos") == row({1, 5}));
  CHECK(set("s0", {{"joints", {{slide, row({6, 0.5})}}}})["op"] == "set_state_ok");
  CHECK(joints_of("s0", "qpos") == row({1, 6}));
  CHECK(joints_of("s0", "qvel")[1] == 0.5);
  const auto ask = [&](const char* op, const Json& more) {
    Json request{{"op", op}, {"articulation", "s0"}};
    request.update(more);
    return hall.ask(me, request);
  };
  // The robots of this test are no MuJoCo robots; e2e/python pushes one.
  const std::string no_parts = "'s0' is no MuJoCo robot: nothing of it is set by itself";
  const int asked = hall.edits;
  CHECK(ask("apply_force", {{"force", row({1, 0, 0})}, {"duration", 0.5}})["message"] == no_parts);
  CHECK(ask("set_option", {{"option", "iterations"}, {"value", 5}})["message"] == no_parts);
  CHECK(ask("apply_force", {{"force", row({1, 0, 0})}})["code"] == "missing_field");
  CHECK(ask("apply_force", {{"duration", 1}})["code"] == "missing_field");
  CHECK(ask("apply_force", {{"force", row({1, 0})}, {"duration", 1}})["code"] == "dim_mismatch");
  CHECK(ask("apply_force", {{"force", row({1, 0, 0})}, {"duration", -1}})["code"] == "bad_value");
  CHECK(ask("apply_force", {{"force", row({1, 0, 0})}, {"duration", 1}, {"body", 7}})["code"] == "bad_value");
  CHECK(ask("set_option", {{"option", "iterations"}})["code"] == "missing_field");
  CHECK(ask("set_option", {{"option", "iterations"}, {"value", "many"}})["code"] == "bad_value");
  CHECK(hall.edits == asked);
  const Json touching = ask("get_contacts", Json::object());
  CHECK(touching["op"] == "get_contacts_ok");
  CHECK(touching["contacts"] == Json::array());
  const int edits = hall.edits;
  CHECK(set("s0", {{"joints", {{"nobody", 5}}}})["message"] == "'s0' has no joint 'nobody'");
  CHECK(set("s0", {{"joints", {{slide, row({1, 2, 3})}}}})["code"] == "dim_mismatch");
  CHECK(set("s0", {{"joints", 7}})["code"] == "bad_value");
  CHECK(set("s0", {{"mocap", {{"hand", row({0, 0, 1, 1, 0, 0, 0})}}}})["message"] == "'s0' has no mocap body 'hand'");
  CHECK(set("s0", {{"qpos", row({1})}})["code"] == "dim_mismatch");
  CHECK(set("s0", {{"qpos", row({1, kNaN})}})["code"] == "bad_value");
  CHECK(set("s0", {{"qvel", row({1, 1 / 0.0})}})["code"] == "bad_value");
  CHECK(set("s0", Json::object())["code"] == "missing_field");
  CHECK(set("burger", {{"qpos", row({0, 0, 0, 0, 0, 0, 0})}})["code"] == "bad_value");
  CHECK(set("burger", {{"qpos", row({1e9, 0, 0, 1, 0, 0, 0})}})["code"] == "bad_value");
  CHECK(set("nobody", {{"qpos", row({1})}})["code"] == "unknown_articulation");
  CHECK(hall.edits == edits);
}

TEST_CASE("robots are reset where they are, into a keyframe, or where they are wanted") {
  Hall hall;
  const std::string me = hall.session();
  hall.ask(me, {{"op", "set_mode"}, {"mode", "stepped"}});
  hall.step(
      me, {{"ticks", 2}, {"per_articulation", {{"s0", {{"ctrl", row({0.5, 1})}}}, {"s1", {{"ctrl", row({0.5, 1})}}}}}});
  const Json one = hall.ask(me, {{"op", "reset"}, {"articulations", {"s0"}}});
  CHECK(one["tick"] == 2);
  CHECK(one["per_articulation"]["s0"]["qpos"] == row({0, 0}));
  CHECK(one["per_articulation"]["s1"]["qpos"] == row({0.5, 1}));
  const Json up = hall.ask(me, {{"op", "reset"}, {"articulations", {"s0"}}, {"keyframe_name", "up"}});
  CHECK(up["per_articulation"]["s0"]["qpos"] == row({3, 4}));
  CHECK(up["per_articulation"]["s0"]["ctrl"] == row({5, 6}));
  const Json there = hall.ask(me, {{"op", "reset"},
                                   {"articulations", {"s0"}},
                                   {"per_articulation_qpos", {{"s0", row({7, 8})}}},
                                   {"observations", "minimal"}});
  CHECK(there["per_articulation"]["s0"] == Json{{"qpos", row({7, 8})}, {"qvel", row({0, 0})}});
  CHECK(hall.ask(me, {{"op", "reset"}, {"articulations", Json::array()}})["run"] == 0);  // no robot, not every robot
  CHECK(hall.code(me, {{"op", "reset"}, {"articulations", {"s0"}}, {"keyframe_name", "down"}}) == "unknown_keyframe");
  CHECK(hall.code(me, {{"op", "reset"}, {"articulations", {"s0"}}, {"per_articulation_qpos", {{"s1", row({7, 8})}}}}) ==
        "bad_value");

  const Json after = hall.step(me, {{"ticks", 1},
                                    {"per_articulation", {{"s1", {{"ctrl", row({0.1, 0.2})}}}}},
                                    {"reset_after", {{"s0", {{"qpos", row({9, 9})}}}}}});
  CHECK(after["tick"] == 3);
  CHECK(after["per_articulation"]["s0"]["qpos"] == row({9, 9}));
  CHECK(after["per_articulation"]["s1"]["qpos"] == row({0.1, 0.2}));
}

TEST_CASE("a reset of the world begins a new run, in which who steps rests at its beginning") {
  Hall hall;
  const std::string me = hall.session(), other = hall.session();
  for (const std::string& one : {me, other}) hall.ask(one, {{"op", "set_mode"}, {"mode", "stepped"}});
  hall.send("you", {{"op", "step"}, {"session_id", other}, {"ticks", 5}});
  const Json reset = hall.ask(me, {{"op", "reset"}});
  std::vector<std::string> codes;
  for (const auto& [who, answer] : hall.answers)
    codes.push_back(who + " " + answer.value("code", answer.value("op", "")));

  CHECK(codes == std::vector<std::string>{"you was_reset", "me reset_ok"});
  CHECK(hall.answers.back().second["run"] == 1);
  CHECK(hall.answers.back().second["tick"] == 0);
  CHECK(hall.horizon() == 0);
}

TEST_CASE("twists and keys are taken, or refused") {
  Hall hall;
  Json drive{
      {"op", "set_twist"}, {"articulation", "burger"}, {"linear", row({0.1, 9, 9})}, {"angular", row({9, 9, 0.2})}};
  CHECK(hall.ask(drive)["op"] == "set_twist_ok");
  hall.tick_calls();
  REQUIRE(hall.given.back().size() == 1);
  CHECK(std::get<DriveCommand>(hall.given.back()[0]).twist == Twist{{0.1, 9, 0}, {0, 0, 0.2}});
  drive["articulation"] = "s0";
  CHECK(hall.code(drive) == "no_twist_controller");
  drive["articulation"] = "burger", drive["linear"] = row({1, 2});
  CHECK(hall.code(drive) == "dim_mismatch");
  CHECK(hall.ask({{"op", "set_actions"}, {"articulation", "burger"}, {"actions", 5}})["op"] == "set_actions_ok");
  const Json source{{"op", "set_control_source"}, {"articulation", "burger"}, {"source", "ui"}};
  CHECK(hall.ask(source) == Json{{"op", "set_control_source_ok"}, {"source", "ui"}, {"articulation", "burger"}});
  hall.tick_calls();
  REQUIRE(hall.given.back().size() == 2);
  const auto set = [&](std::size_t i) { return std::get<SetParameter>(hall.given.back()[i]); };
  CHECK(set(0).name + "=" + set(0).value == "source=dashboard");
  CHECK(set(0).source == ControlSource::kAny);
  CHECK(set(1).name + "=" + set(1).value == "actions=5");
  CHECK(set(1).source == ControlSource::kZmq);
  CHECK(hall.code({{"op", "set_control_source"}, {"source", "me"}}) == "bad_value");
  CHECK(hall.code({{"op", "set_actions"}, {"articulation", "burger"}, {"actions", -1}}) == "bad_value");
  const Json keyframes = hall.ask({{"op", "list_keyframes"}, {"articulation", "s0"}})["keyframes"];
  CHECK(keyframes[0]["qpos"] == row({3, 4}));
}

TEST_CASE("gains of named actuators and joints alone are set, all or none, and those asked last before a tick hold") {
  Hall hall;
  const auto gains = [&](Json wanted) {
    return Json{{"op", "set_gains"}, {"articulation", "s0"}, {"gains", std::move(wanted)}};
  };
  CHECK(hall.ask(gains({{"left", {{"kp", 5}, {"kv", 1}}}}))["op"] == "set_gains_ok");
  CHECK(hall.ask(gains({{"left", {{"kp", 7.5}}}, {"right", {{"torque_limit", 0}}}}))["op"] == "set_gains_ok");
  CHECK(hall.code(gains({{"right", {{"kp", 1}}}, {"up", {{"kp", 1}}}})) == "bad_value");  // and nothing of it
  CHECK(hall.ask(gains({{"b", {{"kv", 3}, {"torque_limit", 9}}}, {"s0_right", {{"torque_limit", 0}}}}))["op"] ==
        "set_gains_ok");  // of the joint that `right` drives
  CHECK(hall.ask(gains(Json::object()))["op"] == "set_gains_ok");
  for (const Json& bad :
       {Json{{"left", {{"kp", -1}}}}, Json{{"left", {{"kp", "1"}}}}, Json{{"left", {{"ki", 1}}}},
        Json{{"left", {{"kv", kNaN}}}}, Json{{"left", Json::object()}}, Json{{"left", 5}}, Json::array()})
    CHECK(hall.code(gains(bad)) == "bad_value");
  CHECK(hall.code({{"op", "set_gains"}, {"articulation", "s0"}}) == "missing_field");
  CHECK(hall.code({{"op", "set_gains"}, {"articulation", "s9"}, {"gains", Json::object()}}) == "unknown_articulation");
  hall.tick_calls();

  std::vector<std::string> given;
  for (const Input& input : hall.given.back()) {
    const auto& set = std::get<SetParameter>(input);
    CHECK(set.source == ControlSource::kZmq);
    given.push_back(set.name + "=" + set.value);
  }
  CHECK(given == std::vector<std::string>{"mode=pd", "left.kp=7.5", "left.kv=1", "right.kv=3", "right.torque_limit=0"});
  const auto me = hall.session();
  hall.ask(me, {{"op", "lease"}, {"articulations", {"s0"}}});
  CHECK(hall.code(gains({{"left", {{"kp", 5}}}})) == "leased");
}

TEST_CASE("what robots feel and sense is told at boundaries: within a tick the question waits for its end") {
  Hall hall;
  const std::string session = hall.session();
  hall.fleet->open({});
  hall.fleet->advance(hall.position.tick, {});
  CHECK(hall.fleet->ahead());
  const Json request{{"op", "get_contacts"}, {"session_id", session}, {"articulation", "s0"}};
  CHECK(hall.ask(request).is_null());
  CHECK(hall.ask(session, {{"op", "status"}})["op"] == "status_ok");  // nothing else waits
  hall.answers.clear();
  ++hall.position.tick;
  hall.fleet->turn();
  hall.control.at_boundary(*hall.fleet, hall.position);
  CHECK_FALSE(hall.fleet->ahead());
  hall.calls.at_boundary(*hall.fleet, hall.now);
  hall.collect();
  REQUIRE(hall.answers.size() == 1);
  CHECK(hall.answers[0].second["op"] == "get_contacts_ok");
  CHECK(hall.answers[0].second["tick"] == hall.position.tick);
  hall.calls.at_boundary(*hall.fleet, hall.now);
  hall.collect();
  CHECK(hall.answers.size() == 1);
}

}  // namespace calls_test
