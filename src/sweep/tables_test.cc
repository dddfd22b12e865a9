#include "sweep/tables.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "sweep/metric.h"
#include "sweep/summary.h"

namespace convoy::sweep {

namespace tables_test {

struct Bench {
  os::TempDirectory folder = *os::TempDirectory::create();
  Plan plan = *parse_plan(
      "scenario: hello\naxes: {driver: [right, 'a, b'], seed: 1..2}\nmetrics: {way: totals.distance_m, rate: rtf}\n",
      "p.yaml");
  std::vector<std::uint64_t> keys{11, 12, 13, 14};
  std::string journal_path = folder.path() + "/runs.jsonl";

  Journal journal() {
    auto journal = Journal::open(journal_path, keys);
    REQUIRE(journal);
    return std::move(*journal);
  }
  static Outcome outcome(std::uint64_t key, double way, bool done = true) {
    Outcome out;
    out.key = key, out.done = done, out.digest = "ab", out.exit_code = done ? 0 : 1;
    out.values = {{"way", nlohmann::json(way).dump()}, {"rate", "31.5"}};
    out.node = "here", out.attempts = 1;
    if (!done) out.error = "ended with status 1", out.log = {"one \"line\"", "two"};
    return out;
  }
  void write(const Journal& journal) {
    const Status ok = write_tables(
        plan, journal, [&](std::uint64_t i) { return keys[i]; }, folder.path());
    REQUIRE_MESSAGE(ok, (ok ? "" : ok.error().message()));
  }
  std::string text(const char* name) const { return *os::read_text(folder.path() + "/" + name); }
};

TEST_CASE_FIXTURE(Bench, "rows are in plan order however runs ended, equal to the byte") {
  Journal a = journal();
  for (const std::uint64_t key : {14u, 11u, 13u}) REQUIRE(a.add(outcome(key, 0.1 * static_cast<double>(key))));
  write(a);
  const std::string csv = text("results.csv"), lines = text("results.jsonl");
  CHECK(csv ==
        "run,driver,seed,state,digest,exit_code,way,error,log\n"
        "0,right,1,done,ab,0,1.1,,\n"
        "2,\"a, b\",1,done,ab,0,1.3,,\n"
        "3,\"a, b\",2,done,ab,0,1.4000000000000001,,\n");
  CHECK(
      lines.starts_with("{\"run\":0,\"driver\":\"right\",\"seed\":1,\"state\":\"done\",\"digest\":\"ab\",\"exit_code\":"
                        "0,\"way\":1.1,\"error\":null,\"log\":null}\n"));

  REQUIRE(os::remove_file(journal_path));
  Journal b = journal();
  for (const std::uint64_t key : {13u, 14u, 11u}) {
    Outcome other = outcome(key, 0.1 * static_cast<double>(key));
    other.node = "there", other.wall_s = 5, other.attempts = 2, other.values["rate"] = "2";
    REQUIRE(b.add(other));
  }
  write(b);

  CHECK(text("results.csv") == csv);
  CHECK(text("results.jsonl") == lines);
  CHECK(text("timing.csv")
            .starts_with(
                "run,key,rate,attempts,node,process_s,wall_s,cpu_s\n0,000000000000000b,2,2,there,0.000,5.000,0.000\n"));
}

TEST_CASE_FIXTURE(Bench, "a failed run keeps the end of its log in the table") {
  Journal a = journal();
  REQUIRE(a.add(outcome(11, 2, false)));
  write(a);
  CHECK(text("results.csv").ends_with("0,right,1,failed,ab,1,2.0,ended with status 1,\"one \"\"line\"\"\ntwo\"\n"));
}

TEST_CASE_FIXTURE(
    Bench, "a journal goes on after what was written, without a line that was cut, and knows only its plan's runs") {
  {
    Journal a = journal();
    REQUIRE(a.add(outcome(11, 1)));
    REQUIRE(a.add(outcome(12, 1, false)));
  }
  const std::string whole = text("runs.jsonl");
  REQUIRE(os::write_file(journal_path, whole + "{\"key\":\"000000000000000d\",\"done\":tr"));
  keys = {12, 13, 99};

  Journal b = journal();
  CHECK(text("runs.jsonl") == whole);
  CHECK(!b.known(11));
  CHECK(b.known(12));
  CHECK(!b.done(12));
  CHECK(!b.known(13));
  REQUIRE(b.add(outcome(12, 7)));
  CHECK(b.done(12));
  CHECK(b.outcome_of(12)->values.at("way") == "7.0");
  CHECK(b.outcome_of(13).error().code == ErrorCode::kNotFound);
}

TEST_CASE_FIXTURE(Bench, "lines that are none are passed over") {
  REQUIRE(os::write_file(journal_path, "\n{}\nnothing\n{\"key\":\"zz\"}\n" + outcome(13, 3).line() + "\n"));
  const Journal a = journal();
  CHECK(a.done(13));
  CHECK(a.outcome_of(13)->values.at("way") == "3.0");
}

TEST_CASE_FIXTURE(Bench, "a summary has each metric over each axis, of the runs that are done") {
  Journal a = journal();
  REQUIRE(a.add(outcome(11, 1)));
  REQUIRE(a.add(outcome(12, 3)));
  REQUIRE(a.add(outcome(13, 10)));
  REQUIRE(a.add(outcome(14, 99, false)));
  write(a);

  const auto s = summarize(plan, folder.path());
  REQUIRE(s);
  CHECK(s->planned == 4);
  CHECK(s->done == 3);
  CHECK(s->failed == 1);
  CHECK(s->missing() == 0);
  const MetricSummary& way = s->metrics[0];
  CHECK(way.all.count == 3);
  CHECK(way.all.mean == doctest::Approx(14.0 / 3));
  CHECK(way.over[0].at[0].mean == 2);
  CHECK(way.over[0].at[0].deviation() == doctest::Approx(std::sqrt(2.0)));
  CHECK(way.over[0].at[1].count == 1);
  CHECK(way.over[1].at[0].mean == 5.5);
  CHECK(way.over[1].at[1].most == 3);
  CHECK(s->metrics[1].all.mean == 31.5);  // of timing.csv
  CHECK(s->metrics[1].all.count == 3);
  REQUIRE(s->failed_runs.size() == 1);
  CHECK(s->failed_runs[0].settings == "driver \"a, b\", seed 2");
  CHECK(page_of(plan, *s).find("<script") == std::string::npos);
  CHECK(page_of(plan, *s).find("http") == std::string::npos);
}

TEST_CASE("a metric is a field of the report, by its path") {
  const auto report = nlohmann::json::parse(
      R"({"totals": {"distance_m": 2.5}, "ended": [{"exit_code": 3}], "by_robot": {}, "rtf": 9, "drops": {}})");
  const auto ok = [&](const char* path) { return check_metric({"m", path, ""}, report).has_value(); };
  CHECK(value_at(report, "totals.distance_m") == 2.5);
  CHECK(value_at(report, "ended[0].exit_code") == 3);
  CHECK(value_at(report, "ended") == 1);
  CHECK(value_at(report, "ended[1].exit_code").is_null());
  CHECK(value_at(report, "totals.distance").is_null());
  CHECK(ok("totals.distance_m"));
  CHECK(ok("by_robot.fleet/r1.distance_m"));
  CHECK(ok("ended[4].exit_code"));
  CHECK(ok("drops.late"));
  CHECK(!ok("by_robot.r1.way"));
  CHECK(!ok("totals.distance"));
  CHECK(!ok("total"));
  CHECK(check_metric({"m", "totals.distanc_m", ""}, report).error().text ==
        "metrics.m: no report has a field 'totals.distanc_m'; did you mean 'distance_m' for 'distanc_m'?");
  CHECK(is_determined({"m", "totals.distance_m", ""}));
  CHECK(is_determined({"m", "by_robot.a.stuck_s", ""}));
  CHECK(!is_determined({"m", "rtf", ""}));
  CHECK(!is_determined({"m", "drops.late", ""}));
}

TEST_CASE("cells are read as they are written") {
  CHECK(cells_of("1,\"a, \"\"b\"\"\",,x") == std::vector<std::string>{"1", "a, \"b\"", "", "x"});
}

}  // namespace tables_test

}  // namespace convoy::sweep
