#include "control/control_core.h"

#include <doctest/doctest.h>

#include "control/run_status.h"
#include "control/stage.h"

namespace control_core_test {

using namespace convoy;
using namespace convoy::control;
using namespace std::chrono_literals;

namespace {

using Words = std::vector<std::string>;

// Callers without a protocol: their answers are kept as text, "who: what".
struct Hall : Stage {
  explicit Hall(bool lockstep = true) : Stage({.doors = "here", .nonce = 7, .source = ControlSource::kZmq}, lockstep) {
    control.follow(*fleet, now);
  }
  SessionId session(Duration timeout = 10s) { return *control.sessions().open(timeout, Level::kStandard, now); }
  Done answer_to(const std::string& who) {
    return [this, who](const Checked<Reached>& reached) {
      if (reached) answers.push_back(who + ": at " + std::to_string(control.position().tick));
      else answers.push_back(who + ": " + reached.error().message);
      refused = reached ? std::nullopt : std::optional(reached.error().reason);
    };
  }
  void hold(const SessionId& id) {
    control.set_mode(*fleet, id, true, [](const Checked<Reached>& reached) { CHECK(reached); });
    for (int i = 0; i < 3; ++i) serve();
    CHECK(control.stepping().rests(id));
  }
  // The answers until all requests have been answered.
  Words after(int rounds = 4) {
    for (int i = 0; i < rounds; ++i) serve();
    return std::exchange(answers, {});
  }
  void step(const SessionId& id, Tick ticks) { control.step(*fleet, {id, ticks, {}, {}}, answer_to(id)); }
  WorldNumber number(const char* name) const { return control.roster().find(name)->number; }
  std::vector<double> qpos(const char* name) {
    const auto view = control.bodies().view(*fleet, *control.roster().find(name)).qpos;
    return {view.begin(), view.end()};
  }

  std::vector<std::string> answers;
  std::optional<Reason> refused;
};

using Row = std::vector<double>;

}  // namespace

TEST_CASE("who steps holds the world, whose ticks act on the step's commands and end it") {
  Hall dut;
  const SessionId me = dut.session();
  for (int i = 0; i < 3; ++i) dut.tick();
  dut.hold(me);
  CHECK(dut.control.stepping().horizon() == 3);

  const std::vector<RobotControls> controls{{dut.number("s0"), {{0, 0.5}, {1, 2}}}, {dut.number("s1"), {{1, 7}}}};
  dut.control.step(*dut.fleet, {me, 2, controls, {}}, dut.answer_to("me"));
  CHECK(dut.control.stepping().horizon() == 5);
  dut.tick();
  CHECK(dut.answers.empty());
  dut.tick();

  CHECK(dut.answers == Words{"me: at 5"});
  CHECK(dut.given[3].size() == 2);  // all of them in the step's first tick
  CHECK(dut.given[4].empty());
  CHECK(dut.qpos("s0") == Row{0.5, 2});
  CHECK(dut.qpos("s1") == Row{0, 7});
}

TEST_CASE("without a mode a step is done at once, and its commands act in the next tick") {
  Hall dut;
  const SessionId me = dut.session();
  dut.control.step(*dut.fleet, {me, 1000, {{dut.number("s0"), {{0, 1}}}}, {}}, dut.answer_to("me"));
  CHECK(dut.answers == Words{"me: at 0"});
  CHECK_FALSE(dut.control.stepping().horizon());
  dut.tick();
  CHECK(dut.qpos("s0") == Row{1, 0});
}

TEST_CASE("time in free mode cannot be stepped") {
  Hall dut(false);
  dut.control.set_mode(*dut.fleet, dut.session(), true, dut.answer_to("me"));
  CHECK(dut.refused == Reason::kBadMode);
  CHECK_FALSE(dut.control.stepping().horizon());
}

TEST_CASE("a second step of a session waits for nothing: it is refused, and commands no robot") {
  Hall dut;
  const SessionId me = dut.session();
  dut.hold(me);
  dut.step(me, 3);
  dut.control.step(*dut.fleet, {me, 1, {{dut.number("s0"), {{0, 1}}}}, {}}, dut.answer_to("again"));
  CHECK(dut.answers == Words{"again: another step of this session is under way"});
  CHECK(dut.refused == Reason::kNotReady);
  dut.tick();
  CHECK(dut.given.back().empty());
}

TEST_CASE("who leaves stepped time lets the world go") {
  Hall dut;
  const SessionId me = dut.session();
  dut.hold(me);
  dut.control.set_mode(*dut.fleet, me, false, dut.answer_to("me"));
  CHECK(dut.answers == Words{"me: at 0"});
  CHECK_FALSE(dut.control.stepping().horizon());
}

TEST_CASE("a session that has died lets the world and its robots go, and what others wait for comes") {
  Hall dut;
  const SessionId me = dut.session(5s), other = dut.session(100s);
  dut.hold(me);
  dut.hold(other);
  const std::vector<WorldNumber> mine{dut.number("s0")};
  dut.control.lease(*dut.fleet, {me, true, mine}, [](const auto&) {});
  dut.serve();
  CHECK(dut.control.leases().leased(dut.number("s0")));
  dut.step(other, 3);
  CHECK(dut.control.stepping().horizon() == 0);  // the first one holds it

  dut.wait(6s);

  CHECK(dut.control.sessions().find(me) == nullptr);
  CHECK_FALSE(dut.control.leases().leased(dut.number("s0")));
  CHECK(dut.control.stepping().horizon() == 3);
  for (int i = 0; i < 3; ++i) dut.tick();
  CHECK(dut.answers == Words{other + ": at 3"});
}

TEST_CASE("a session that waits is not silent, and has its whole time again when it was answered") {
  Hall dut;
  const SessionId me = dut.session(5s);
  dut.hold(me);
  dut.step(me, 100);
  for (int i = 0; i < 4; ++i) {
    dut.tick();
    dut.wait(4s);
  }
  CHECK(dut.control.sessions().find(me) != nullptr);
  for (int i = 0; i < 96; ++i) dut.tick();
  CHECK(dut.answers == Words{me + ": at 100"});
  dut.wait(4s);
  CHECK(dut.control.sessions().find(me) != nullptr);
  dut.wait(2s);
  CHECK(dut.control.sessions().find(me) == nullptr);
}

TEST_CASE("a session that ends is answered for all that it waits for") {
  Hall dut;
  const SessionId me = dut.session();
  dut.hold(me);
  dut.step(me, 5);
  dut.control.run_status(*dut.fleet, me, dut.answer_to("look"));
  dut.control.end(me);
  CHECK(dut.answers == Words{me + ": the session has ended", "look: the session has ended"});
  CHECK(dut.refused == Reason::kSessionOver);
  CHECK(dut.after() == Words{me + ": the session has ended", "look: the session has ended"});  // and not again
  CHECK_FALSE(dut.control.stepping().horizon());
}

TEST_CASE("a step that others hold back is given up after the session's time, and what it allowed is taken back") {
  Hall dut;
  const SessionId me = dut.session(5s);
  dut.hold(me);
  dut.step(me, 3);
  dut.tick();
  dut.wait(5s);
  dut.wait(5s);  // since the tick was seen
  CHECK(dut.answers.empty());
  dut.wait(1ms);
  CHECK(dut.refused == Reason::kStepTimeout);
  CHECK(dut.control.stepping().horizon() == 1);
  CHECK(dut.control.stepping().rests(me));
}

TEST_CASE("a step that is slow because the run is paused is given up; one that is slow alone is not") {
  Hall dut;
  const SessionId me = dut.session(5s);
  dut.hold(me);
  dut.step(me, 3);
  dut.wait(200ms);
  CHECK(dut.answers.empty());
  dut.paused = true;
  dut.wait(50ms);
  CHECK(dut.answers == Words{me + ": the run is paused"});
  CHECK(dut.refused == Reason::kPaused);
  CHECK(dut.control.stepping().horizon() == 0);
}

TEST_CASE("a slow step queries the server once at a time for the state of the run") {
  Hall dut;
  const SessionId me = dut.session(5s);
  dut.hold(me);
  dut.step(me, 3);
  std::size_t asked = 0;
  for (int i = 0; i < 5; ++i) {
    dut.now += 60ms;
    dut.control.on_time(dut.fleet.get(), dut.now);
    asked += dut.control.take_wishes().size();
  }
  CHECK(asked == 1);
}

TEST_CASE("a reset of the world begins a new run: steps end, commands that waited are forgotten") {
  Hall dut;
  const SessionId me = dut.session(), other = dut.session();
  dut.hold(me);
  dut.hold(other);
  dut.control.step(*dut.fleet, {other, 5, {{dut.number("s0"), {{0, 1}}}}, {}}, dut.answer_to("step"));
  dut.control.reset(*dut.fleet, {me, true, {}}, dut.answer_to("reset"));

  CHECK(dut.after() == Words{"step: the world was reset meanwhile", "reset: at 0"});
  CHECK(dut.control.position().run == 1);
  CHECK(dut.control.stepping().horizon() == 0);
  dut.tick();
  CHECK(dut.given.back().empty());
}

TEST_CASE("the world is not reset over other sessions' leases") {
  Hall dut;
  const SessionId me = dut.session(), other = dut.session();
  const std::vector<WorldNumber> theirs{dut.number("s1")};
  dut.control.lease(*dut.fleet, {other, true, theirs}, [](const auto&) {});
  dut.serve();
  dut.control.reset(*dut.fleet, {me, true, {}}, dut.answer_to("me"));
  CHECK(dut.refused == Reason::kLeased);
  CHECK(dut.control.take_wishes().empty());
  dut.control.reset(*dut.fleet, {other, true, {}}, dut.answer_to("other"));
  CHECK(dut.after().back() == "other: at 0");
  CHECK(dut.control.position().run == 1);
}

TEST_CASE("named robots are reset, then put where they are wanted; none named is none reset") {
  Hall dut;
  dut.control.reset(*dut.fleet, {"", false, {}}, dut.answer_to("none"));
  CHECK(dut.after() == Words{"none: at 0"});
  CHECK(dut.edits == 0);
  dut.control.reset(*dut.fleet, {"", false, {{dut.number("s0"), 0, {}, {}}, {dut.number("s1"), {}, {7, 8}, {}}}},
                    dut.answer_to("me"));
  CHECK(dut.after() == Words{"me: at 0"});
  CHECK(dut.edits == 3);
  CHECK(dut.qpos("s0") == Row{3, 4});
  CHECK(dut.qpos("s1") == Row{7, 8});
}

TEST_CASE("robots are put back at the boundary that a step reaches, before it is answered") {
  Hall dut;
  const SessionId me = dut.session();
  dut.hold(me);
  dut.control.step(*dut.fleet, {me, 1, {{dut.number("s1"), {{0, 0.5}}}}, {{dut.number("s0"), {}, {9, 9}, {}}}},
                   dut.answer_to("me"));
  dut.tick();
  CHECK(dut.after() == Words{"me: at 1"});
  CHECK(dut.qpos("s0") == Row{9, 9});
  CHECK(dut.qpos("s1") == Row{0.5, 0});
}

TEST_CASE("a robot that cannot be put there is refused, and the world is not asked") {
  Hall dut;
  dut.control.put(*dut.fleet, "", {dut.number("burger"), {}, {1e9, 0, 0, 1, 0, 0, 0}, {}}, dut.answer_to("me"));
  CHECK(dut.answers == Words{"me: 'burger' cannot be put there"});
  CHECK(dut.refused == Reason::kBadValue);
  CHECK(dut.control.take_wishes().empty());
}

TEST_CASE("what the server refuses is refused in the core's words for its kinds") {
  Hall dut;
  const std::pair<ErrorCode, Reason> kinds[] = {{ErrorCode::kNotFound, Reason::kUnknownRobot},
                                                {ErrorCode::kDenied, Reason::kDenied},
                                                {ErrorCode::kState, Reason::kNotReady},
                                                {ErrorCode::kUnavailable, Reason::kNotReady},
                                                {ErrorCode::kInvalid, Reason::kBadValue}};
  for (const auto& [code, reason] : kinds) {
    dut.control.run_status(*dut.fleet, "", dut.answer_to("me"));
    const auto wishes = dut.control.take_wishes();
    REQUIRE(wishes.size() == 1);
    CHECK(wishes[0].text == "here");
    dut.control.answered(dut.fleet.get(), {wishes[0].id, Error{code, "no", {}}, 0, {}});
    CHECK(dut.refused == reason);
  }
}

TEST_CASE("a question to the server is answered with its words and tick") {
  Hall dut;
  std::string text;
  dut.paused = true;
  dut.control.run_status(*dut.fleet, "", [&](const Checked<Reached>& reached) { text = reached->text; });
  dut.serve();
  const RunStatus status = read_status(text);
  CHECK(status.paused);
  CHECK(status.hosts.at(0).doors == "here");
}

TEST_CASE("who waits for a boundary is answered there, or when it will not come") {
  Hall dut;
  dut.control.wait(*dut.fleet, 0, dut.answer_to("now"));
  dut.control.wait(*dut.fleet, 2, dut.answer_to("later"));
  dut.control.wait(*dut.fleet, 9, dut.answer_to("never"));
  CHECK(dut.after() == Words{"now: at 0"});
  dut.tick();
  CHECK(dut.after().empty());
  dut.tick();
  CHECK(dut.after() == Words{"later: at 2"});
  dut.control.reset(*dut.fleet, {"", true, {}}, [](const auto&) {});
  CHECK(dut.after() == Words{"never: the world was reset meanwhile"});
}

TEST_CASE("who is answered may ask what follows at once") {
  Hall dut;
  Words seen;
  std::function<void(int)> ask = [&](int left) {
    dut.control.run_status(*dut.fleet, "", [&, left](const Checked<Reached>& reached) {
      seen.push_back(std::to_string(left) + (reached ? ": answered" : ": refused"));
      if (left > 0) ask(left - 1);
    });
  };
  ask(2);
  dut.control.run_status(*dut.fleet, "", [&](const Checked<Reached>&) { seen.emplace_back("another"); });
  for (int i = 0; i < 4; ++i) dut.serve();
  CHECK(seen == Words{"2: answered", "another", "1: answered", "0: answered"});

  const SessionId me = dut.session();
  dut.control.run_status(*dut.fleet, me, [&](const Checked<Reached>&) { ask(0); });
  dut.control.end(me);
  for (int i = 0; i < 4; ++i) dut.serve();
  CHECK(seen.back() == "0: answered");
}

TEST_CASE("robots are found here, at another host, or nowhere, and another session's are not commanded") {
  Hall dut;
  const SessionId me = dut.session(), other = dut.session();
  CHECK((*find_robot(dut.control, *dut.fleet, "s0"))->number == dut.number("s0"));
  CHECK(find_robot(dut.control, *dut.fleet, "s9").error().reason == Reason::kUnknownRobot);
  const std::vector<WorldNumber> mine{dut.number("s1"), dut.number("s0")};
  dut.control.lease(*dut.fleet, {me, true, mine}, [](const auto&) {});
  dut.serve();
  CHECK(find_to_command(dut.control, *dut.fleet, "s0", me));
  CHECK(find_to_command(dut.control, *dut.fleet, "s0", other).error().reason == Reason::kLeased);
  CHECK(find_to_command(dut.control, *dut.fleet, "s0", "").error().reason == Reason::kLeased);
  CHECK(robots_of(dut.control, me) == mine);
  CHECK(robots_of(dut.control, other).size() == 3);
}

}  // namespace control_core_test
