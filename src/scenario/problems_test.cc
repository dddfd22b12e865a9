// All that is wrong with a scenario is found in one go.
#include <doctest/doctest.h>

#include "scenario/scenario.h"

namespace problems_test {

using namespace convoy;
using namespace convoy::scenario;

namespace {

// Every message, without the file's name.
std::vector<std::string> problems_of(const std::string& text, const LoadOptions& options = {}) {
  const auto scenario = parse(text, "s.yaml", "", options);
  std::vector<std::string> out;
  if (scenario) return out;
  for (const Error& error : scenario.error().all) {
    const std::string message = error.message();
    out.push_back(message.starts_with("s.yaml:") && message[7] != ' ' ? message.substr(7) : message);
  }
  return out;
}
using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("all that is wrong is reported, by line, whichever part of the reading finds it") {
  CHECK(
      problems_of("robots:\n"
                  "- {name: a, model: turtlebot3_burger, placement: {poses: [[0, 0], [x, 0], [1]]}}\n"
                  "- {name: a, model: box, hots: host0, driver: {kind: randomwalk}}\n"
                  "world: {map: none.yaml}\n"
                  "time: {mode: fre, speed: mx}\n"
                  "elements: {descriptors: none.pb}\n"
                  "convoy: 1\n") ==
      Lines{"2: robots[0].placement.poses[1][0]: found 'x'; allowed: a number from -1000000 to 1000000 m",
            "2: robots[0].placement.poses[2]: found a list; allowed: a list of 2 to 3 numbers",
            ("3: robots[1].driver.kind: found 'randomwalk'; did you mean 'random_walk'? allowed: none, random_walk, "
             "waypoints, right_of_way"),
            ("3: robots[1].hots: unknown field; did you mean 'host'? allowed: name, count, model, placement, keyframe, "
             "tags, namespace, frame, driver, control_source, controller, sensors, components, domain, joins, command, "
             "isolate, edits, host"),
            "3: robots[1]: the name 'a' is taken; first by s.yaml:2: robots[0]",
            "4: world.map: no map 'none.yaml'; looked for none.yaml",
            "5: time.mode: found 'fre'; did you mean 'free'? allowed: lockstep, free",
            ("5: time.speed: found 'mx'; did you mean 'max'? allowed: max, or a number from 0.001 to 1000 times "
             "real time"),
            "6: elements.descriptors: none.pb: cannot open: No such file or directory"});
}

TEST_CASE("a field that stands there twice does not hide what else is wrong") {
  CHECK(problems_of("convoy: 1\nseed: 1\nseed: 2\nleave: frezze\n") ==
        Lines{"3: the field 'seed' stands here twice",
              "4: leave: found 'frezze'; did you mean 'freeze'? allowed: freeze, remove, recover"});
}

TEST_CASE("one mistake is one problem: nothing is reported that only follows from another") {
  // A misspelt field is not missing too.
  CHECK(problems_of("convoy: 1\nrobots: [{nme: a, model: box, placement: {poses: [[0, 0]]}}]").size() == 1);
  CHECK(problems_of("convy: 1\n").size() == 1);
  // Hosts that cannot be read may be any; so may a model without a name.
  CHECK(problems_of("convoy: 1\nhosts: [a, 7]\nfaults: [{at: 1s, host: b, kind: kill}]").size() == 1);
  CHECK(problems_of("convoy: 1\nmodels: [{name: a-b, like: box}]\n"
                    "robots: [{name: r, model: a-b, placement: {poses: [[0, 0]]}}]")
            .size() == 1);
  // A model with a wrong field is there.
  CHECK(problems_of("convoy: 1\nmodels: [{name: a, like: box, mass: x}]\n"
                    "robots: [{name: r, model: a, placement: {poses: [[0, 0]]}}]")
            .size() == 1);
}

TEST_CASE("a problem in one map leaves the checks of the others") {
  CHECK(problems_of("convoy: 1\ncheckpoint: 0\ntime: {mode: free, speed: max}\nhosts: [a, a]\n").size() == 3);
}

TEST_CASE("random places are searched for once all else is right, and each group without one is named") {
  const std::string crowds =
      "convoy: 1\nworld: {ground: {size: [1, 1], walls: 0.1}}\nrobots:\n"
      "- {name: a, count: 50, model: turtlebot3_waffle}\n"
      "- {name: b, model: turtlebot3_burger, placement: {random: {region: [9, 9, 10, 10]}}}\n";
  const Lines full = problems_of(crowds);
  REQUIRE(full.size() == 2);
  CHECK(full[0].starts_with("4: robots[0]: no free place for 'a_"));
  CHECK(full[1].starts_with("5: robots[1].placement: no free place for 'b'"));
  CHECK(problems_of(crowds + "sed: 1\n").size() == 1);
}

TEST_CASE("the first hundred problems are kept, the others counted") {
  std::string text = "convoy: 1\nrobots:\n";
  for (int i = 0; i < 130; ++i) text += "- {name: a" + std::to_string(i) + ", model: bx, count: x}\n";
  const auto s = parse(text, "s.yaml", "");
  REQUIRE_FALSE(s);
  CHECK(s.error().all.size() == kMaxProblems);
  CHECK(s.error().more == 2 * 130 - kMaxProblems);
}

TEST_CASE("overrides that fail, and what the caller refuses of a run, come behind what is in a line") {
  LoadOptions options{.overrides = {"robots[0].count=1", "sed=2"}};
  options.check_run = [](const RunOptions& run) {
    return run.leave == LeavePolicy::kRecover ? std::vector<Error>{{ErrorCode::kUnsupported, "not yet", "s.yaml"}}
                                              : std::vector<Error>{};
  };
  const Lines found = problems_of("convoy: 1\nleave: recover\nview_radius: -1\n", options);
  REQUIRE(found.size() == 4);
  CHECK(found[0] == "3: view_radius: found '-1'; allowed: a number from 0 to 10000 m");
  CHECK(found[1] == "--set robots[0].count=1: robots is not a list, found nothing");
  CHECK(found[2].starts_with("--set sed=2: sed: unknown field; did you mean 'seed'? "));
  CHECK(found[3] == "s.yaml: not yet");
}

TEST_CASE("of a long word the beginning is compared") {
  const std::string path = "convoy: 1\nleave: ";
  const Lines found = problems_of(path + std::string(1'000'000, 'x'));
  REQUIRE(found.size() == 1);
  CHECK(found[0] == "2: leave: found '" + std::string(60, 'x') + "...'; allowed: freeze, remove, recover");
}

}  // namespace problems_test
