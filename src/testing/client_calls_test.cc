// Calls that a host's gateway makes on behalf of programs outside.
#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "testing/requests.h"
#include "testing/rig.h"

namespace client_calls_test {

using namespace convoy;
using namespace convoy::testing;

namespace {

using Json = nlohmann::json;

class Asker final : public Gateway {
 public:
  void before_tick(const Fleet&, Tick, std::vector<Input>&) override {}
  void after_tick(const Fleet&, Tick, const Snapshot&) override {}
  void on_time(const Fleet*, Moment) override {}
  Moment deadline() const override { return kNever; }
  std::vector<GatewayWish> take_wishes() override { return std::exchange(wishes, {}); }
  // What the server makes of it is seen here already.
  void answered(const Fleet* fleet, const GatewayAnswer& answer) override {
    entities_seen = fleet ? fleet->world().entities().size() : 0;
    answers[answer.id] = answer;
  }

  std::uint64_t ask(std::string text, std::string holder = {}) {
    GatewayWish wish;
    wish.id = ++made, wish.kind = GatewayWish::Kind::kCall, wish.text = std::move(text),
    wish.holder = std::move(holder);
    wishes.push_back(std::move(wish));
    return made;
  }

  std::vector<GatewayWish> wishes;
  std::map<std::uint64_t, GatewayAnswer> answers;
  std::size_t entities_seen = 0;
  std::uint64_t made = 0;
};

Setup room() {
  Setup setup = empty_arena(10, 1);
  setup.entities = {robot("alpha", "turtlebot3_burger", 0, 0, 0, DriverKind::kNone),
                    robot("beta", "turtlebot3_waffle", 2, 0, 0, DriverKind::kNone)};
  return setup;
}

struct Hosts {
  explicit Hosts(bool free = false) : rig(room(), {.paused = true, .free = free, .gateway = &asker}) {
    REQUIRE(rig.run_until([&] { return !rig.run().gathering(); }));
  }
  Json ask(std::string text, std::string holder = {}) {
    const std::uint64_t id = asker.ask(std::move(text), std::move(holder));
    REQUIRE(rig.run_until([&] { return asker.answers.count(id) > 0; }));
    const GatewayAnswer& answer = asker.answers[id];
    if (answer.error) return {{"refused", answer.error->text}};
    return Json::parse(answer.text);
  }
  std::string runs(const std::string& name) {
    const Slot slot = rig.run().world().find(name);
    return slot == kNoSlot ? "" : rig.run().hosts().at(rig.run().world().entity(slot).owner).name;
  }

  Asker asker;
  Rig rig;
};

}  // namespace

TEST_CASE("what is spawned through a host's gateway is that host's unless another is named, in both modes") {
  for (const bool free : {false, true}) {
    CAPTURE(free);
    Hosts dut(free);
    const Json told = dut.ask(R"({"spawn":{"entities":[{"name":"a","model":"box","pose":{"p":{"x":5}}},
      {"name":"b","model":"box","pose":{"p":{"x":6}}},{"name":"c","model":"box","pose":{"p":{"x":7}},"host":"host1"},
      {"name":"alpha","model":"box"},{"name":"d","model":"box","host":"host9"}]}})");
    REQUIRE(told["outcomes"].size() == 5);
    CHECK(told["outcomes"][0]["error"] == 0);
    CHECK(told["outcomes"][0]["number"] == 3);
    CHECK(told["outcomes"][3]["text"] == "an entity named 'alpha' exists already");
    CHECK(told["outcomes"][4]["text"] == "no host named 'host9' takes part");
    CHECK(dut.runs("a") == "host0");
    CHECK(dut.runs("b") == "host0");
    CHECK(dut.runs("c") == "host1");
    CHECK(dut.asker.entities_seen == 5);
    CHECK(dut.ask(R"({"delete_":{"names":["a"]}})")["error"] == 0);
    CHECK(dut.rig.run().world().find("a") == kNoSlot);
  }
}

TEST_CASE("a world is the same, to the bit, whoever's door its entities came by") {
  const Request crate = spawn("crate", "box");
  Hosts dut, other;
  dut.ask(R"({"spawn":{"entities":[{"name":"crate","model":"box","pose":{"p":{"x":1}}}]}})");
  REQUIRE(other.rig.error_of(crate).empty());
  CHECK(dut.runs("crate") == "host0");
  for (Hosts* hosts : {&dut, &other}) REQUIRE(hosts->rig.error_of(step(50)).empty());
  CHECK(dut.rig.conductor().digest() == other.rig.conductor().digest());
}

TEST_CASE("a host's gateway may end the run, as its credentials let it") {
  Hosts dut;
  CHECK(dut.ask(R"({"stop":{}})")["error"] == 0);
  CHECK(dut.rig.finish());
}

TEST_CASE("a host's gateway may make its client's calls and no others, and is told why not") {
  Hosts dut;
  CHECK(dut.ask("no JSON")["refused"].get<std::string>().find("no call: ") == 0);
  CHECK(dut.ask("{}")["refused"] == "no call: it has no method");
  CHECK(dut.ask(R"({"spawn":{"crates":[]}})")["refused"].get<std::string>().find("crates") != std::string::npos);
  CHECK(dut.ask(R"({"kick":{"name":"host1"}})")["error"] == static_cast<int>(ErrorCode::kDenied));
  const Json there = dut.ask(R"({"get":{"name":"beta","details":true}})");
  CHECK(there["pose"]["p"]["x"] == 2);
  CHECK(Json::parse(there["json"].get<std::string>())["owner"] == dut.runs("beta"));
  CHECK(dut.ask(R"({"list":{"name":".*a"}})")["names"] == Json{"alpha", "beta"});

  CHECK(dut.ask(R"({"lease":{"names":["beta"]}})", "planner")["error"] == 0);
  CHECK(dut.ask(R"({"attach":{"parent":"alpha","child":"beta"}})")["error"] == static_cast<int>(ErrorCode::kLeased));
  CHECK(dut.ask(R"({"attach":{"parent":"alpha","child":"beta"}})", "planner")["error"] == 0);
}

}  // namespace client_calls_test
