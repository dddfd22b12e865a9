#include "gang/ray.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

namespace convoy::gang {

namespace ray_test {

std::string refused(std::string_view settings) {
  const auto out = ray_job(Gang{.threads = 2}, settings);
  REQUIRE(!out);
  return out.error().message();
}

TEST_CASE("a job for Ray has the cores of a process, and over that what the user says") {
  const auto plain = nlohmann::json::parse(*ray_job(Gang{.threads = 2}, ""));
  CHECK(plain["kind"] == "gang");
  CHECK(plain["address"] == "auto");
  CHECK(plain["resources"] == nlohmann::json{{"CPU", 2}});
  CHECK(plain["strategy"] == "SPREAD");
  const Tasks tasks{.argv = {"convoy", "sweep"}, .count = 40, .at_once = 8};
  const auto told = nlohmann::json::parse(
      *ray_job(tasks, R"({"address": "10.0.0.1:6379", "resources": {"CPU": 1, "lidar": 0.5}, "strategy": "PACK"})"));
  CHECK(told["kind"] == "tasks");
  CHECK(told["count"] == 40);
  CHECK(told["at_once"] == 8);
  CHECK(told["argv"] == nlohmann::json{"convoy", "sweep"});
  CHECK(told["address"] == "10.0.0.1:6379");
  CHECK(told["resources"] == nlohmann::json{{"CPU", 1}, {"lidar", 0.5}});
  CHECK(told["strategy"] == "PACK");
}

TEST_CASE("what Ray cannot be told is refused by name") {
  CHECK(refused("[]") == "engine: ray: must be a map");
  CHECK(refused(R"({"cpus": 2})") == "engine: ray: unknown field 'cpus'; there are address, resources and strategy");
  CHECK(refused(R"({"resources": {"CPU": 0}})") ==
        "engine: ray: resources: must be a map of amounts above 0, as {CPU: 2}");
  CHECK(refused(R"({"strategy": "NEAR"})").ends_with("STRICT_PACK, found 'NEAR'"));
  CHECK(refused(R"({"address": 7})") == "engine: ray: address: must be a word");
}

TEST_CASE("a job's state is read as on_ray.py writes it") {
  const auto state = parse_ray_state(R"({"phase": "waiting", "state": "PENDING", "reason": "3 x CPU"})");
  REQUIRE(state);
  CHECK(state->phase == JobPhase::kWaiting);
  CHECK(state->text() == "PENDING (3 x CPU)");
  CHECK(!parse_ray_state("{}"));
  CHECK(!parse_ray_state(R"({"phase": "running")"));
}

}  // namespace ray_test

}  // namespace convoy::gang
