#include "agent/gateways.h"

#include <doctest/doctest.h>

#include "agent/fleet_rig.h"

namespace gateways_test {

using namespace convoy;

namespace {

// Holds the world and wishes as the test sets, and keeps what it was called with.
struct Door final : Gateway {
  explicit Door(int n) : number(n) {}
  void before_tick(const Fleet&, Tick, std::vector<Input>& inputs) override {
    DriveCommand drive;
    drive.twist.v.x = number;
    inputs.emplace_back(drive);
  }
  void after_tick(const Fleet&, Tick reached, const Snapshot&) override { calls.push_back("at " + text(reached)); }
  void on_time(const Fleet*, Moment) override {}
  Moment deadline() const override { return Moment{std::chrono::seconds(number)}; }
  std::optional<Tick> horizon() const override { return through; }
  bool awaits_held_at() const override { return awaits; }
  void held_at(const Fleet*, std::uint32_t run, Tick tick) override {
    calls.push_back("held " + text(run) + ":" + text(tick));
    if (std::exchange(awaits, false)) through = tick;
  }
  std::vector<GatewayWish> take_wishes() override { return std::exchange(wishes, {}); }
  void answered(const Fleet*, const GatewayAnswer& answer) override { calls.push_back("answer " + text(answer.id)); }
  SampleTaker* taker() override { return takes; }
  std::vector<int> descriptors() const override { return {number}; }
  std::vector<GatewayCount> counts() const override { return {{"door" + text(number), 1, false}}; }

  template <class T>
  static std::string text(T value) {
    return std::to_string(value);
  }
  int number;
  std::optional<Tick> through;
  bool awaits = false;
  SampleTaker* takes = nullptr;
  std::vector<GatewayWish> wishes;
  std::vector<std::string> calls;
};

// Two doors of a host without robots.
struct Hall {
  Hall() {
    for (int i = 1; i <= 2; ++i) {
      auto made = std::make_unique<Door>(i);
      doors.push_back(made.get());
      all.push_back(std::move(made));
    }
  }
  Setup setup;
  SerialExecutor executor;
  FleetRig rig{setup, 1, executor};
  std::vector<Door*> doors;
  std::vector<std::unique_ptr<Gateway>> all;
};

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("several gateways command, are notified and count in their order") {
  Hall hall;
  Gateways dut(std::move(hall.all));
  std::vector<Input> inputs;

  dut.before_tick(hall.rig.fleet(0), 0, inputs);
  dut.after_tick(hall.rig.fleet(0), 7, hall.rig.world().snapshot());

  REQUIRE(inputs.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(std::get<DriveCommand>(inputs[i]).twist.v.x == static_cast<double>(i + 1));
    CHECK(hall.doors[i]->calls == Words{"at 7"});
    CHECK(dut.counts()[i].name == "door" + std::to_string(i + 1));
  }
  CHECK(dut.descriptors() == std::vector{1, 2});
  CHECK(dut.deadline() == Moment{std::chrono::seconds(1)});
}

TEST_CASE("samples go to the gateways that take some") {
  struct All final : SampleTaker {
    bool takes(WorldNumber, const SensorSpec&, const DueSample&) const override { return true; }
    void took(WorldNumber, const SensorSpec&, const Sample&, Instant) override { ++count; }
    int count = 0;
  } all;
  Hall none, some;
  some.doors[1]->takes = &all;
  CHECK(Gateways(std::move(none.all)).taker() == nullptr);
  Gateways dut(std::move(some.all));
  REQUIRE(dut.taker() != nullptr);

  dut.taker()->took(WorldNumber(1), {}, {}, instant(0));

  CHECK(all.count == 1);
}

TEST_CASE("the gateway that holds the world back most decides") {
  Hall hall;
  Gateways dut(std::move(hall.all));
  CHECK_FALSE(dut.horizon());
  hall.doors[1]->through = 9;
  CHECK(dut.horizon() == 9);
  hall.doors[0]->through = 0;
  CHECK(dut.horizon() == 0);
}

TEST_CASE("an answer reaches the gateway that wished, under the number that it gave") {
  Hall hall;
  Gateways dut(std::move(hall.all));
  hall.doors[0]->wishes.resize(2);
  hall.doors[0]->wishes[0].id = 3, hall.doors[0]->wishes[1].id = 4;
  hall.doors[1]->wishes.resize(1);
  hall.doors[1]->wishes[0].id = 3;

  for (const GatewayWish& wish : dut.take_wishes()) dut.answered(nullptr, {wish.id, std::nullopt, 0, {}});

  CHECK(hall.doors[0]->calls == Words{"answer 3", "answer 4"});
  CHECK(hall.doors[1]->calls == Words{"answer 3"});
}

TEST_CASE("a gateway that begins to hold a world that another holds already learns where, in the current run") {
  Hall hall;
  Gateways dut(std::move(hall.all));
  Door &first = *hall.doors[0], &second = *hall.doors[1];
  dut.at_boundary(hall.rig.fleet(0), {5, 2, true});
  first.awaits = true, first.through = 0;
  dut.on_time(nullptr, {});
  CHECK(first.calls.empty());  // not known yet
  CHECK(dut.awaits_held_at());

  second.awaits = true, second.through = 0;
  dut.on_time(nullptr, {});
  CHECK(second.calls.empty());
  first.awaits = false, first.through = 8;
  dut.on_time(nullptr, {});

  CHECK(first.calls.empty());
  CHECK(second.calls == Words{"held 5:8"});
  CHECK(dut.horizon() == 8);
  CHECK_FALSE(dut.awaits_held_at());
}

}  // namespace gateways_test
