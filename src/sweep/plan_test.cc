#include "sweep/plan.h"

#include <doctest/doctest.h>

namespace convoy::sweep {

namespace plan_test {

Plan parsed(std::string_view text) {
  auto plan = parse_plan(text, "speeds.yaml");
  REQUIRE_MESSAGE(plan, (plan ? "" : plan.error().message()));
  return *plan;
}
std::string refused(std::string_view text) {
  const auto plan = parse_plan(text, "speeds.yaml");
  REQUIRE(!plan);
  return plan.error().message();
}
std::vector<std::string> range(std::string_view text) {
  const auto out = parse_range(text);
  REQUIRE(out);
  return *out;
}

TEST_CASE("a range has its first number, then steps to its last, in decimal arithmetic") {
  CHECK(range("1..4") == std::vector<std::string>{"1", "2", "3", "4"});
  CHECK(range("0.1..0.5 by 0.1") == std::vector<std::string>{"0.1", "0.2", "0.3", "0.4", "0.5"});
  CHECK(range("-1..1 by 0.5") == std::vector<std::string>{"-1", "-0.5", "0", "0.5", "1"});
  CHECK(range("0..10 by 4") == std::vector<std::string>{"0", "4", "8"});
  CHECK(range("7..7") == std::vector<std::string>{"7"});
  CHECK(range("1.50..1.60 by 0.05") == std::vector<std::string>{"1.5", "1.55", "1.6"});
  CHECK(range("1..1000000").size() == kMaxRuns);
}

TEST_CASE("what is no range is none, and a wrong one is refused") {
  CHECK(range("hall..yard").empty());
  CHECK(range("12").empty());
  CHECK(range("../hall.yaml").empty());
  for (const char* wrong : {"5..1", "0.1..0.5", "1..3 by 0", "1..3 by -1", "1..3 by x", "1..1000001"})
    CHECK_MESSAGE(!parse_range(wrong), wrong);
  CHECK(parse_range("5..1").error().text == "the range 5..1 begins above its end");
  CHECK(parse_range("0.1..0.5").error().text ==
        "a range of numbers that are not whole needs a step, as 0.1..0.5 by 0.1");
}

TEST_CASE("axes are crossed in the order of the file, the first one slowest, repeats fastest") {
  const Plan plan = parsed(
      "scenario: hello\naxes:\n  robots[0].count: [10, 20]\n  seed: 1..3\nrepeats: 2\nset: {time.duration: 5s}\n");

  REQUIRE(plan.runs() == 12);
  CHECK(plan.settings_of(plan.run(0)) == std::vector<std::string>{"time.duration=5s", "robots[0].count=10", "seed=1"});
  CHECK(plan.settings_of(plan.run(1)) == plan.settings_of(plan.run(0)));
  CHECK(plan.run(1).repeat == 1);
  CHECK(plan.settings_of(plan.run(2)) == std::vector<std::string>{"time.duration=5s", "robots[0].count=10", "seed=2"});
  CHECK(plan.settings_of(plan.run(11)) == std::vector<std::string>{"time.duration=5s", "robots[0].count=20", "seed=3"});
}

TEST_CASE("fields that are zipped vary together") {
  const Plan plan = parsed(
      "scenario: hello\naxes:\n  size: {zip: {'robots[0].count': [10, 20], time.duration: [5s, 10s]}}\n  seed: 1..2\n");

  REQUIRE(plan.runs() == 4);
  CHECK(plan.settings_of(plan.run(2)) == std::vector<std::string>{"robots[0].count=20", "time.duration=10s", "seed=1"});
  CHECK(plan.axes[0].label(1) == "20, 10s");
  CHECK(!plan.axes[0].is_number());
  CHECK(plan.axes[1].is_number());
}

TEST_CASE("a value is what it is in the file: a text in quotes stays text, lists and maps stay what they are") {
  const Plan plan = parsed(
      "scenario: hello\naxes:\n  a: ['7', 7, yes]\n  b: [[1, 2.5], {kind: waypoints, at: [[0, 1]]}, 'x, \"y\"']\n");

  CHECK(plan.axes[0].values == std::vector<std::vector<std::string>>{{"\"7\""}, {"7"}, {"yes"}});
  CHECK(plan.axes[1].values[0][0] == "[1, 2.5]");
  CHECK(plan.axes[1].values[1][0] == "{\"kind\": waypoints, \"at\": [[0, 1]]}");
  CHECK(plan.axes[1].values[2][0] == "\"x, \\\"y\\\"\"");
}

TEST_CASE("metrics are fields of the report or of what a script prints; without any there are the totals") {
  const Plan plan = parsed(
      "scenario: hello\nmetrics:\n  way: totals.distance_m\n  late: {script: late.py, field: robots.late}\n  one: "
      "{script: /bin/one}\nkeep: [report, log]\n");

  REQUIRE(plan.metrics.size() == 3);
  CHECK(plan.metrics[0] == Metric{"way", "totals.distance_m", ""});
  CHECK(plan.metrics[1].path == "robots.late");
  CHECK(plan.metrics[1].script.ends_with("/late.py"));
  CHECK(plan.metrics[2] == Metric{"one", "", "/bin/one"});
  CHECK(plan.keep.report);
  CHECK(!plan.keep.recording);
  CHECK(plan.has_scripts());
  CHECK(parsed("scenario: hello\n").metrics.size() == 4);
  CHECK(parsed("scenario: hello\n").runs() == 1);
}

TEST_CASE("what is wrong with a plan is one line that names the field") {
  CHECK(refused("axes: {seed: 1..3}\n") == "speeds.yaml:1: the field 'scenario' is missing");
  CHECK(refused("scenario: hello\naxis: {seed: 1..3}\n") ==
        "speeds.yaml:2: axis: unknown field; did you mean 'axes'? allowed: scenario, axes, set, repeats, metrics, "
        "keep, time_limit, retries, threads");
  CHECK(refused("scenario: hello\naxes: {seed: 5}\n").find("axes.seed: expected a list of values, or a range") !=
        std::string::npos);
  CHECK(refused("scenario: hello\naxes: {seed: []}\n").find("axes.seed: an axis has values") != std::string::npos);
  CHECK(refused("scenario: hello\naxes: {seed: 9..1}\n") ==
        "speeds.yaml:2: axes.seed: the range 9..1 begins above its end");
  CHECK(refused("scenario: hello\naxes: {s: {zip: {a: [1, 2], b: [1]}}}\n")
            .find("axes.s.zip.b: has 1 values, and 'a' has 2") != std::string::npos);
  CHECK(refused("scenario: hello\naxes: {s: {zap: {a: [1]}}}\n").find("are written as 's: {zip:") != std::string::npos);
  CHECK(
      refused("scenario: hello\naxes: {a: [1], s: {zip: {a: [1]}}}\n").find("'a' varies along another axis already") !=
      std::string::npos);
  CHECK(refused("scenario: hello\naxes: {a: 1..2000, b: 1..2000}\n").find("more than 1000000 runs") !=
        std::string::npos);
  CHECK(refused("scenario: hello\nkeep: [video]\n").find("not 'video'") != std::string::npos);
  CHECK(refused("scenario: hello\nmetrics: {digest: ticks}\n").find("a column of this name already") !=
        std::string::npos);
  CHECK(refused("scenario: hello\nmetrics: {a b: ticks}\n").find("metrics.a b: a metric's name") != std::string::npos);
  CHECK(refused("scenario: hello\nmetrics: {a: {field: x}}\n").find("{script: FILE") != std::string::npos);
  CHECK(refused("- hello\n").find("a plan is a map") != std::string::npos);
}

TEST_CASE("of several things that are wrong each has its line") {
  const std::string all = refused("scenario: hello\naxes: {seed: 9..1}\nkeep: [video]\n");
  CHECK(all.find("axes.seed") != std::string::npos);
  CHECK(all.find("\nspeeds.yaml:3: keep") != std::string::npos);
}

}  // namespace plan_test

}  // namespace convoy::sweep
