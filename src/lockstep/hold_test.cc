// Hosts that hold the world back: a conductor and its hosts, joined by a queue.
#include <doctest/doctest.h>

#include <deque>
#include <utility>

#include "lockstep/conductor.h"
#include "lockstep/host.h"

namespace hold_test {

using namespace convoy;

namespace {

using std::chrono::milliseconds;

struct Holder final : Gateway {
  void before_tick(const Fleet&, Tick k, std::vector<Input>&) override { begun.push_back(k); }
  void after_tick(const Fleet&, Tick, const Snapshot&) override {}
  void on_time(const Fleet*, Moment) override {}
  Moment deadline() const override { return kNever; }
  void at_boundary(const Fleet& fleet, const HostPosition& now) override {
    position = now;
    pose = fleet.world().snapshot().state(Slot(0)).pose;
  }
  std::optional<Tick> horizon() const override { return through; }
  void held_at(const Fleet*, std::uint32_t run, Tick tick) override { held.push_back({run, tick}); }

  std::optional<Tick> through;
  std::vector<Tick> begun;
  std::vector<std::pair<std::uint32_t, Tick>> held;
  HostPosition position;
  Pose pose;
};

Setup two_robots() {
  Setup setup;
  setup.models = built_in_models();
  setup.tick = milliseconds(10);
  for (int i = 0; i < 2; ++i) {
    EntitySpec spec;
    spec.name = "r" + std::to_string(i), spec.model = setup.models[0].name, spec.pose.p.x = i;
    spec.driver.kind = DriverKind::kRandomWalk;
    setup.entities.push_back(spec);
  }
  return setup;
}

struct Hall {
  explicit Hall(int hosts, ConductorOptions options = {})
      : conductor(*World::make(setup), setup, std::move(options),
                  [this](Owner to, FrameType type, const Payload& payload) {
                    frames.push_back({true, to, type, Bytes(payload.bytes.begin(), payload.bytes.end())});
                  }) {
    gateways.resize(static_cast<std::size_t>(hosts));
    for (std::size_t i = 0; i < gateways.size(); ++i) {
      const Owner owner = owner_of(i);
      all.push_back(std::make_unique<LockstepHost>(setup, owner, false, executor, AgentParts{factory},
                                                   [this, owner](FrameType type, Bytes bytes, std::uint64_t) {
                                                     frames.push_back({false, owner, type, std::move(bytes)});
                                                   }));
      all.back()->gateway().set(&gateways[i]);
      conductor.join(owner, "host" + std::to_string(owner.value()));
    }
    std::vector<std::string> warnings;
    conductor.start(now, warnings);
  }

  // All that happens without time going on.
  void settle() {
    do {
      conductor.proceed(now);
      while (!frames.empty()) {
        const Frame frame = std::move(frames.front());
        frames.pop_front();
        if (gone.count(frame.who)) continue;
        if (frame.to_host) REQUIRE(all[frame.who.value() - 1]->on_frame(frame.type, frame.bytes));
        else REQUIRE(conductor.on_frame(frame.who, frame.type, frame.bytes, now));
        REQUIRE_FALSE(conductor.books().trouble);
        if (!frame.to_host) conductor.proceed(now);
      }
      for (std::size_t i = 0; i < all.size(); ++i)
        if (!gone.count(owner_of(i)) && all[i]->fleet()) all[i]->gateway().send_horizon(all[i]->run());
    } while (!frames.empty());
  }
  static Owner owner_of(std::size_t host) { return Owner(static_cast<std::uint32_t>(host + 1)); }
  void lose(Owner owner) {
    gone.insert(owner);
    conductor.leave(owner);
    settle();
  }

  struct Frame {
    bool to_host;
    Owner who;
    FrameType type;
    Bytes bytes;
  };
  Setup setup = two_robots();
  SerialExecutor executor;
  KinematicFactory factory;
  Moment now{std::chrono::seconds(1)};
  std::deque<Frame> frames;
  std::set<Owner> gone;
  std::deque<Holder> gateways;
  std::vector<std::unique_ptr<LockstepHost>> all;
  Conductor conductor;
};

}  // namespace

TEST_CASE("the world goes as far as the host that holds it lets it, and no further") {
  Hall hall(1, {.end = 50});
  Holder& dut = hall.gateways[0];
  dut.through = 0;
  hall.conductor.time().pause();
  hall.settle();  // it has come in, and has reported that it holds the world
  hall.conductor.time().resume(hall.now);
  hall.settle();

  CHECK(hall.conductor.tick() == 0);
  CHECK(dut.held == std::vector{std::pair<std::uint32_t, Tick>{0, 0}});
  CHECK(hall.conductor.deadline() == kNever);
  dut.through = 3;
  hall.settle();
  CHECK(hall.conductor.tick() == 3);
  CHECK(dut.position.tick == 3);  // the host knows that it is complete, though no tick has opened
  CHECK(dut.held.size() == 1);
  dut.through.reset();
  hall.settle();
  CHECK(hall.conductor.over());
  CHECK(hall.conductor.tick() == 50);
}

TEST_CASE("a boundary that has been passed means the next one, and the host is sent which that is") {
  Hall hall(1, {.end = 50, .speed = 1});
  Holder& dut = hall.gateways[0];
  for (int i = 0; i < 10; ++i) hall.settle(), hall.now += milliseconds(10);
  const Tick waited_at = hall.conductor.tick();
  REQUIRE(waited_at > 5);

  dut.through = 2;
  hall.settle();
  REQUIRE(dut.held.size() == 1);
  CHECK(dut.held[0].second >= waited_at);
  hall.now += milliseconds(100);
  hall.settle();
  CHECK(hall.conductor.tick() == dut.held[0].second);
}

TEST_CASE("of several hosts the least lets the world go, and who leaves holds it no longer") {
  Hall hall(2);
  hall.gateways[0].through = hall.gateways[1].through = 0;
  hall.conductor.time().pause();
  hall.settle();
  hall.conductor.time().resume(hall.now);
  hall.gateways[0].through = 9;
  hall.settle();
  CHECK(hall.conductor.tick() == 0);
  hall.gateways[1].through = 4;
  hall.settle();
  CHECK(hall.conductor.tick() == 4);
  CHECK(hall.gateways[0].begun == hall.gateways[1].begun);

  hall.lose(Owner(2));
  CHECK(hall.conductor.tick() == 9);
  hall.lose(Owner(1));
  CHECK(hall.conductor.tick() == 9);  // no host is there
}

TEST_CASE("while a host holds the world there is no pace, and then it begins anew") {
  Hall hall(1, {.speed = 1});
  Holder& dut = hall.gateways[0];
  dut.through = 0;
  hall.conductor.time().pause();
  hall.settle();
  hall.conductor.time().resume(hall.now);
  dut.through = 1000;
  hall.settle();
  CHECK(hall.conductor.tick() == 1000);  // 10 s, in no time

  hall.now += milliseconds(1);
  dut.through.reset();
  hall.settle();
  CHECK(hall.conductor.tick() == 1001);
  CHECK(hall.conductor.deadline() == hall.now + milliseconds(10));
}

TEST_CASE("a reset of the world leaves it held at its beginning; edits reach a host while it is held") {
  Hall hall(1);
  Holder& dut = hall.gateways[0];
  dut.through = 0;
  hall.conductor.time().pause();
  hall.settle();
  hall.conductor.time().resume(hall.now);
  dut.through = 7;
  hall.settle();

  const WorldNumber number = hall.conductor.world().entity(Slot(0)).number;
  hall.conductor.submit(SetState{number, {{3, 1, 0}, {}}, {}, false}, nullptr);
  hall.settle();
  CHECK(dut.pose.p == Vec3{3, 1, 0});
  CHECK(hall.conductor.tick() == 7);
  hall.conductor.submit(Reset{}, nullptr);
  hall.settle();
  CHECK(hall.conductor.run() == 1);
  CHECK(hall.conductor.tick() == 7);  // through is 7 still: the gateway decides how far, in the new run
  CHECK(dut.position.run == 1);
}

TEST_CASE("what is put while the world is held comes in any order to the same digest") {
  const auto digest = [](int hosts, const std::vector<int>& order) {
    Hall hall(hosts, {.end = 30});
    for (Holder& one : hall.gateways) one.through = 0;
    hall.conductor.time().pause();
    hall.settle();
    hall.conductor.time().resume(hall.now);
    for (Holder& one : hall.gateways) one.through = 7;
    hall.settle();
    const std::vector<Edit> edits{Reset{{WorldNumber(1)}}, SetState{WorldNumber(2), {{3, 1, 0}, {}}, {}},
                                  SetState{WorldNumber(1), {{2, 2, 0}, {}}, {}}};
    for (int i : order) {
      hall.conductor.submit(edits[static_cast<std::size_t>(i)], nullptr);
      hall.settle();
    }
    for (Holder& one : hall.gateways) one.through.reset();
    hall.settle();
    REQUIRE(hall.conductor.over());
    return hall.conductor.digest();
  };

  const std::uint64_t wanted = digest(1, {0, 1, 2});
  for (int hosts : {1, 2}) {
    CHECK(digest(hosts, {0, 2, 1}) == wanted);
    CHECK(digest(hosts, {1, 0, 2}) == wanted);
    CHECK(digest(hosts, {2, 0, 1}) != wanted);  // two of one robot: the last one holds
  }
}

TEST_CASE("holding the world changes no digest") {
  const auto digest = [](int hosts, bool held) {
    Hall hall(hosts, {.end = 30});
    for (Tick through = 0; held && through < 30; through += 4) {
      for (Holder& one : hall.gateways) one.through = through;
      hall.settle();
    }
    for (Holder& one : hall.gateways) one.through.reset();
    hall.settle();
    REQUIRE(hall.conductor.over());
    return hall.conductor.digest();
  };

  CHECK(digest(1, true) == digest(1, false));
  CHECK(digest(2, true) == digest(1, false));
}

}  // namespace hold_test
