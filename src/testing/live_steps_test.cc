// Free mode with a gateway, in virtual time: ticks in parts, each as long as a physics step.
#include <doctest/doctest.h>

#include "physics/slides.h"
#include "testing/requests.h"
#include "testing/rig.h"
#include "testing/same_view.h"

namespace live_steps_test {

using namespace convoy;
using namespace convoy::testing;
using namespace std::chrono_literals;

namespace {

// A program outside that controls a robot in each physics step, and notes when the steps come.
class EachStep final : public Gateway {
 public:
  void before_tick(const Fleet& fleet, Tick, std::vector<Input>& inputs) override {
    ++ticks;
    before_step(fleet, inputs);
  }
  void before_step(const Fleet& fleet, std::vector<Input>& inputs) override {
    if (!begun.empty()) most_apart = std::max(most_apart, now - begun.back());
    begun.push_back(now);
    for (const auto& agent : fleet.all())
      if (agent->physics().panel()) inputs.push_back(SetControls{agent->number(), {{0, ++asked}}});
  }
  void after_step(const Fleet& fleet, const Snapshot& states) override { note(fleet, states); }
  void after_tick(const Fleet& fleet, Tick, const Snapshot& states) override { note(fleet, states); }
  void note(const Fleet& fleet, const Snapshot& states) {
    for (const auto& agent : fleet.all()) {
      EngineView seen;
      if (!agent->physics().view(seen)) continue;
      late += seen.qpos[0] != asked;
      stamps.push_back(states.state(fleet.world().slot_of(agent->number())).stamp);
    }
  }
  void on_time(const Fleet*, Moment at) override { now = at; }
  Moment deadline() const override { return kNever; }

  Moment now{};
  std::vector<Moment> begun;    // steps
  std::vector<Instant> stamps;  // that they have reached
  Duration most_apart{0};
  int ticks = 0, late = 0;
  double asked = 0;
};

const Request kPause = just([](Request& r) { r.mutable_pause(); });
const Request kResume = just([](Request& r) { r.mutable_resume(); });
const Request kReset = just([](Request& r) { r.mutable_reset(); });

}  // namespace

TEST_CASE("in free mode a gateway commands each physics step, which begins when its time has come") {
  const SlidesFactory engines;
  EachStep dut;
  Setup setup = empty_arena(10, 3);
  setup.entities = {robot("crate", "box", 2, 0, 0, DriverKind::kNone),
                    robot("r", "turtlebot3_burger", -2, 0, 0, DriverKind::kRandomWalk)};
  setup.entities[0].host = "host0", setup.entities[1].host = "host1";
  Rig rig(setup, {.free = true, .physics = &engines, .gateway = &dut});
  const auto pass = [&](double seconds) { rig.run_until([] { return false; }, seconds); };
  const auto differences = [&] {
    pass(1.5);
    std::string all;
    for (std::size_t i = 0; i < 2; ++i)
      all += difference(rig.server->live(), rig.live(i), rig.clients[i]->session().number());
    return all;
  };
  REQUIRE(rig.run_to(50));

  const int steps = static_cast<int>(setup.tick / 2ms);
  CHECK(steps == 10);
  CHECK(dut.begun.size() > 400);
  CHECK(dut.begun.size() <= static_cast<std::size_t>(steps * dut.ticks));
  CHECK(dut.begun.size() > static_cast<std::size_t>(steps * (dut.ticks - 1)));
  CHECK(dut.late == 0);
  CHECK(dut.most_apart < 3ms);
  bool each = true;
  for (std::size_t i = 1; i < dut.stamps.size(); ++i) each = each && dut.stamps[i] - dut.stamps[i - 1] == 2ms;
  CHECK(each);

  // What knows boundaries alone finds one.
  for (const Request& request : {kPause, kResume, kReset, kPause, kResume, kPause}) {
    pass(0.513);
    CHECK(rig.error_of(request).empty());
    if (request.has_reset()) CHECK(rig.live(0).run() == 1);
  }
  CHECK(differences() == "");
  CHECK(rig.live(0).fleet()->reached() == 0ms);
  CHECK(dut.late == 0);
  CHECK(rig.live(0).late_ticks() == 0);
}

}  // namespace live_steps_test
