#include "nodes/parameters.h"

#include <doctest/doctest.h>

#include <cmath>

namespace parameters_test {

using namespace convoy;
using namespace convoy::nodes;

namespace {
using Text = std::string;
std::string outcome(const Result<SetResult>& r) {
  return !r ? "error: " + r.error().text : r->successful ? "done" : r->reason;
}
}  // namespace

TEST_CASE("a parameter has the value of its override, or its default") {
  ParameterStore store;
  store.set_overrides({{"speed", 2.5}, {"late", std::int64_t{7}}});

  CHECK(*store.declare("speed", 1.0) == ParameterValue(2.5));
  CHECK(*store.declare("name", Text("r")) == ParameterValue(Text("r")));
  CHECK(*store.declare("late", std::int64_t{1}, {}, true) == ParameterValue(std::int64_t{1}));
  CHECK(store.declare("speed", 1.0).error().code == ErrorCode::kExists);
  CHECK(store.declare("", 1.0).error().code == ErrorCode::kInvalid);
  CHECK(store.names() == std::vector<Text>{"late", "name", "speed"});
  CHECK(store.find("missing") == nullptr);
}

TEST_CASE("an override of another type is an error that names both types") {
  ParameterStore store;
  store.set_overrides({{"speed", Text("fast")}});
  const auto refused = store.declare("speed", 1.0);

  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kUnsupported);
  CHECK(refused.error().text ==
        "parameter 'speed' could not be set: Wrong parameter type, parameter {speed} is of type "
        "{double}, setting it to {string} is not allowed.");
  CHECK_FALSE(store.has("speed"));
}

TEST_CASE("a type keeps others out, unless typing is dynamic") {
  ParameterStore store;
  REQUIRE(store.declare("fixed", 1.0));
  REQUIRE(store.declare("any", {}, {.dynamic_typing = true}));
  REQUIRE(store.declare_type("later", ParameterType::kInteger));

  CHECK(outcome(store.set({{"fixed", std::int64_t{1}}})) ==
        "Wrong parameter type, parameter {fixed} is of type {double}, setting it to {integer} is not allowed.");
  CHECK(outcome(store.set({{"any", Text("x")}})) == "done");
  CHECK(outcome(store.set({{"any", std::vector<double>{1, 2}}})) == "done");
  CHECK(type_of(*store.find("later")) == ParameterType::kNotSet);
  CHECK(outcome(store.set({{"later", std::int64_t{3}}})) == "done");
  CHECK_FALSE(store.declare("nothing", {}));
  CHECK_FALSE(store.declare_type("nothing", ParameterType::kNotSet));
}

TEST_CASE("setting is all or nothing") {
  ParameterStore store;
  REQUIRE(store.declare("a", std::int64_t{1}));
  REQUIRE(store.declare("b", std::int64_t{1}, {.read_only = true}));

  CHECK(outcome(store.set({{"a", std::int64_t{2}}, {"b", std::int64_t{2}}})) ==
        "parameter 'b' cannot be set because it is read-only");
  CHECK(outcome(store.set({{"a", std::int64_t{2}}, {"c", std::int64_t{2}}})) ==
        "error: parameter 'c' cannot be set because it was not declared");
  CHECK(*store.find("a") == ParameterValue(std::int64_t{1}));
  store.set_allow_undeclared(true);
  CHECK(outcome(store.set({{"a", std::int64_t{2}}, {"c", std::int64_t{2}}})) == "done");
  CHECK(*store.find("c") == ParameterValue(std::int64_t{2}));
}

TEST_CASE("ranges hold, with their ends and their steps") {
  ParameterStore store;
  REQUIRE(store.declare("i", std::int64_t{4}, {.integers = ParameterRange<std::int64_t>{-4, 11, 4}}));
  REQUIRE(store.declare("d", 0.3, {.doubles = ParameterRange<double>{0, 1, 0.1}}));
  REQUIRE(store.declare("all", std::int64_t{0}, {.integers = ParameterRange<std::int64_t>{INT64_MIN, INT64_MAX, 1}}));

  for (std::int64_t ok : {-4, 0, 8, 11}) CHECK(outcome(store.set({{"i", ok}})) == "done");
  for (std::int64_t bad : {-5, 12, 5, 10})
    CHECK(outcome(store.set({{"i", bad}})) == "Parameter {i} doesn't comply with integer range.");
  for (double ok : {0.0, 0.1, 0.7, 1.0}) CHECK(outcome(store.set({{"d", ok}})) == "done");
  for (double bad : {-0.1, 1.1, 0.15, std::nan("")})
    CHECK(outcome(store.set({{"d", bad}})) == "Parameter {d} doesn't comply with floating point range.");
  CHECK(outcome(store.set({{"all", std::int64_t{INT64_MAX - 1}}})) == "done");
  CHECK(store.declare("out", std::int64_t{4}, {.integers = ParameterRange<std::int64_t>{0, 2, 1}}).error().code ==
        ErrorCode::kInvalid);
}

TEST_CASE("callbacks change before, refuse during and are notified after; the newest comes first") {
  ParameterStore store;
  REQUIRE(store.declare("a", std::int64_t{1}));
  REQUIRE(store.declare("b", std::int64_t{1}));
  std::vector<Text> calls;
  store.add_pre_set([](std::vector<Parameter>& all) { all.push_back({"b", std::int64_t{9}}); });
  store.add_on_set([&](const auto& all) {
    calls.push_back("first " + std::to_string(all.size()));
    return SetResult{};
  });
  const auto strict = store.add_on_set([&](const std::vector<Parameter>& all) {
    calls.push_back("second");
    return SetResult{std::get<std::int64_t>(all[0].value) < 5, "too much"};
  });
  store.add_post_set([&](const auto& all) { calls.push_back("after " + all[0].name + "=" + to_text(all[0].value)); });

  CHECK(outcome(store.set({{"a", std::int64_t{7}}})) == "too much");
  CHECK(calls == std::vector<Text>{"second"});
  CHECK(outcome(store.set({{"a", std::int64_t{3}}})) == "done");
  CHECK(calls == std::vector<Text>{"second", "second", "first 2", "after a=3"});
  CHECK(*store.find("b") == ParameterValue(std::int64_t{9}));
  CHECK(store.remove_callback(strict));
  CHECK_FALSE(store.remove_callback(strict));
  CHECK(outcome(store.set({{"a", std::int64_t{7}}})) == "done");
}

TEST_CASE("only parameters of dynamic type are undeclared, and read-only ones stay") {
  ParameterStore store;
  REQUIRE(store.declare("fixed", 1.0));
  REQUIRE(store.declare("locked", 1.0, {.read_only = true, .dynamic_typing = true}));
  REQUIRE(store.declare("any", 1.0, {.dynamic_typing = true}));

  CHECK(store.undeclare("fixed").error().code == ErrorCode::kUnsupported);
  CHECK(store.undeclare("locked").error().code == ErrorCode::kDenied);
  CHECK(store.undeclare("missing").error().code == ErrorCode::kNotFound);
  CHECK(store.undeclare("any"));
  CHECK_FALSE(store.has("any"));
}

}  // namespace parameters_test
