#include <map>

#include "adapters/zmq/hall.h"

namespace calls_world_test {

using namespace convoy;
using namespace convoy::zmq;

TEST_CASE("calls about entities ask the server in its words, by the caller's holder, and answer in the caller's") {
  Hall hall;
  const std::string me = hall.session({{"name", "planner"}});
  const auto asked = [&](const Json& request) {
    hall.ask(me, request);
    REQUIRE(!hall.calls_made.empty());
    CHECK(hall.calls_made.back().holder == "planner");
    return Json::parse(hall.calls_made.back().text);
  };
  hall.call_answer = R"({"error":0,"tick":"12","outcomes":[],"text":""})";
  CHECK(asked({{"op", "spawn"},
               {"entities", Json::array({{{"name", "crate"},
                                          {"model", "box"},
                                          {"position", row({1, 2})},
                                          {"yaw", 0},
                                          {"tags", {"red"}},
                                          {"namespace", "a/b"},
                                          {"base_frame", "c"},
                                          {"frame", "s0"}}})}}) ==
        Json::parse(R"({"spawn":{"entities":[{"name":"crate","model":"box","frame_of_pose":"s0","ns":"a/b","frame":"c",
          "tags":["red"],"pose":{"p":{"x":1.0,"y":2.0,"z":0.0},"q":{"w":1.0,"x":0.0,"y":0.0,"z":0.0}}}]}})"));
  CHECK(asked({{"op", "delete"}, {"entities", {"a", "b"}}}) == Json::parse(R"({"delete_":{"names":["a","b"]}})"));
  CHECK(asked({{"op", "attach"}, {"parent", "a"}, {"child", "b"}}) ==
        Json::parse(R"({"attach":{"parent":"a","child":"b"}})"));
  CHECK(asked({{"op", "detach"}, {"child", "b"}}) == Json::parse(R"({"detach":{"child":"b"}})"));
  CHECK(asked({{"op", "set_entity"}, {"entity", "a"}, {"velocity", row({1, 2, 3})}, {"frame", "b"}}) ==
        Json::parse(R"({"set":{"name":"a","frame":"b","twist":{"v":{"x":1.0,"y":2.0,"z":3.0}}}})"));
  CHECK(hall.answers.back().second == Json::parse(R"({"op":"set_entity_ok","tick":12})"));
  CHECK(asked({{"op", "set_environment"}, {"rain", 0.5}, {"wind", row({1, 0, 0})}}) ==
        Json::parse(R"({"environment":{"fog":0.0,"rain":0.5,"wetness":0.0,"cloudiness":0.0,"road_damage":0.0,
          "time_of_day":12.0,"wind":{"x":1.0,"y":0.0,"z":0.0}}})"));
  hall.call_answer = R"({"error":0,"tick":"7","names":["a"],"json":"[{\"name\":\"a\"}]","outcomes":[],"text":""})";
  CHECK(
      asked({{"op", "list_entities"}, {"name", "a.*"}, {"category", "object"}, {"region", row({-1, -2, 3, 4})}}) ==
      Json::parse(
          R"({"list":{"name":"a.*","category":"object","region":{"x_min":-1.0,"y_min":-2.0,"x_max":3.0,"y_max":4.0}}})"));
  CHECK(hall.answers.back().second["entities"] == Json{"a"});
  hall.ask(me, {{"op", "list_entities"}, {"details", true}});
  CHECK(hall.answers.back().second["entities"][0]["name"] == "a");

  const WorldNumber burger = hall.control.roster().all().back().number;
  hall.call_answer = R"({"error":3,"tick":"7","text":"no","outcomes":[{"error":3,"text":"taken","number":0},
    {"error":0,"text":"in a wall","number":)" +
                     std::to_string(burger.value()) + "}]}";
  const Json told = hall.ask(me, {{"op", "spawn"},
                                  {"entities", Json::array({{{"name", "a"}, {"model", "box"}},
                                                            {{"name", "burger"}, {"model", "turtlebot3_burger"}}})}});
  REQUIRE(told["entities"].size() == 2);
  CHECK(told["entities"][0] == Json{{"name", "a"}, {"code", "exists"}, {"message", "taken"}});
  CHECK(told["entities"][1]["doubt"] == "in a wall");
  CHECK(told["entities"][1]["articulation"]["name"] == "burger");

  std::map<int, std::string> codes;
  for (int error = 1; error <= 9; ++error) {
    hall.call_answer = R"({"tick":"0","text":"no","outcomes":[],"error":)" + std::to_string(error) + "}";
    codes[error] = hall.code(me, {{"op", "detach"}, {"child", "b"}});
  }
  CHECK(codes == std::map<int, std::string>{{1, "bad_value"},
                                            {2, "unknown_entity"},
                                            {3, "exists"},
                                            {4, "denied"},
                                            {5, "not_ready"},
                                            {6, "not_ready"},
                                            {7, "unsupported"},
                                            {8, "bad_value"},
                                            {9, "leased"}});
}

TEST_CASE("calls about entities that make no sense are refused with the caller's field, and nobody is asked") {
  Hall hall;
  const auto code = [&](const Json& request) { return hall.code(request); };
  const auto spawned = [&](Json one) { return code({{"op", "spawn"}, {"entities", Json::array({std::move(one)})}}); };
  CHECK(code({{"op", "spawn"}}) == "missing_field");
  CHECK(code({{"op", "spawn"}, {"entities", Json::array()}}) == "missing_field");
  CHECK(code({{"op", "spawn"}, {"entities", Json::array({5})}}) == "bad_value");
  CHECK(spawned({{"name", "a"}}) == "missing_field");
  const Json crate{{"name", "a"}, {"model", "box"}};
  const auto with = [&](const char* field, const Json& value) {
    Json one = crate;
    one[field] = value;
    return spawned(one);
  };
  CHECK(with("name", 5) == "bad_value");
  CHECK(with("tags", "red") == "bad_value");
  CHECK(with("tags", Json::array({5})) == "bad_value");
  CHECK(with("domain", -1) == "bad_value");
  CHECK(with("yaw", 1) == "missing_field");
  CHECK(with("position", row({1})) == "dim_mismatch");
  CHECK(with("position", row({1, kNaN})) == "bad_value");
  Json both = crate;
  both.update({{"position", row({1, 2})}, {"yaw", 1}, {"orientation", row({1, 0, 0, 0})}});
  CHECK(spawned(both) == "bad_value");
  CHECK(code({{"op", "delete"}}) == "missing_field");
  CHECK(code({{"op", "delete"}, {"entities", Json::array()}}) == "bad_value");
  CHECK(code({{"op", "attach"}, {"parent", "a"}}) == "missing_field");
  CHECK(code({{"op", "list_entities"}, {"region", row({1, 2})}}) == "dim_mismatch");
  CHECK(code({{"op", "set_environment"}, {"rain", "much"}}) == "bad_value");
  CHECK(hall.calls_made.empty());
}

}  // namespace calls_world_test
