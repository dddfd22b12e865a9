#include "adapters/ros2/parameters.h"

#include <doctest/doctest.h>

#include <limits>
#include <rcl_interfaces/srv/describe_parameters.hpp>
#include <rcl_interfaces/srv/get_parameter_types.hpp>
#include <rcl_interfaces/srv/get_parameters.hpp>
#include <rcl_interfaces/srv/list_parameters.hpp>
#include <rcl_interfaces/srv/set_parameters.hpp>
#include <rcl_interfaces/srv/set_parameters_atomically.hpp>

#include "adapters/ros2/parameter_messages.h"
#include "adapters/ros2/testing.h"

namespace parameters_test {

using namespace convoy;
using namespace convoy::ros2;
namespace srv = rcl_interfaces::srv;
using nodes::ParameterType;
using rcl_interfaces::msg::ParameterEvent;
using Names = std::vector<std::string>;

namespace {

// A node with parameters, without a run, and a program that asks it.
struct NodeRig {
  struct NoLog final : Log {
    void line(LogLevel, const std::string&) override {}
  };
  MemoryBus bus;
  std::unique_ptr<Domain> here = *Domain::open(bus.opener(), {.run = "run"}), there = *Domain::open(bus.opener(), {});
  control::ControlCore control{{}};
  Settings settings{.ns = "/"};
  DoorCounts counts;
  NoLog log;
  DoorHere at{*here, Party{}, control, settings, counts, log};
  Node node{*here, "/a", "node"}, caller{*there, "/", "caller"};
  NodeParameters parameters{at, node};
  Moment now{};

  void spin() { here->spin(now), there->spin(now), now += std::chrono::milliseconds(10); }

  template <class ServiceT>
  std::unique_ptr<Client> client(const std::string& name) {
    auto out = std::move(*caller.client("/a/node/" + name, ros::ServiceSupport::of<ServiceT>()));
    for (int i = 0; i < 5; ++i) spin();
    REQUIRE(out->ready());
    return out;
  }
  template <class ServiceT>
  std::optional<typename ServiceT::Response> call(const std::string& name, const typename ServiceT::Request& request) {
    const auto asks = client<ServiceT>(name);
    std::optional<typename ServiceT::Response> out;
    asks->call(*ros::TypeSupport::of<typename ServiceT::Request>().to_cdr(&request), kNever,
               [&](Result<Bytes> reply) { out = message_in<typename ServiceT::Response>(*there, *reply); });
    for (int i = 0; i < 5; ++i) spin();
    return out;
  }
  Names listed(const Names& prefixes, std::uint64_t depth) {
    srv::ListParameters::Request request;
    request.prefixes = prefixes, request.depth = depth;
    return call<srv::ListParameters>("list_parameters", request)->result.names;
  }
};

nodes::ParameterDescriptor from_zero_to_one() {
  nodes::ParameterDescriptor out;
  out.doubles = nodes::ParameterRange<double>{0, 1, 0};
  return out;
}

template <class Request>
Request to_set(const std::vector<nodes::Parameter>& wanted) {
  Request out;
  for (const nodes::Parameter& one : wanted) out.parameters.push_back(message_of(one));
  return out;
}

srv::GetParameters::Response got(DoorRig& rig, const Names& names) {
  srv::GetParameters::Request request;
  request.names = names;
  return rig.call<srv::GetParameters>("/simulation/get_parameters", request);
}

Names reasons(DoorRig& rig, const std::vector<nodes::Parameter>& wanted) {
  Names out;
  for (const auto& one :
       rig.call<srv::SetParameters>("/simulation/set_parameters", to_set<srv::SetParameters::Request>(wanted)).results)
    out.push_back(one.successful ? "done" : one.reason);
  return out;
}

}  // namespace

TEST_CASE("parameters are listed by prefix and depth, as rclcpp does it") {
  NodeRig rig;
  for (const char* name : {"a", "a.b", "a.b.c", "ab", "d.e"}) rig.parameters.declare(name, true, {});
  CHECK(rig.listed({}, 0) == Names{"a", "a.b", "a.b.c", "ab", "d.e"});
  CHECK(rig.listed({}, 1) == Names{"a", "ab"});
  CHECK(rig.listed({}, 2) == Names{"a", "a.b", "ab", "d.e"});
  CHECK(rig.listed({"a"}, 0) == Names{"a", "a.b", "a.b.c"});
  CHECK(rig.listed({"a"}, 1) == Names{"a", "a.b"});
  CHECK(rig.listed({"d", "ab"}, 0) == Names{"ab", "d.e"});
  CHECK(rig.listed({"nothing"}, 0).empty());
  CHECK(rig.call<srv::ListParameters>("list_parameters", srv::ListParameters::Request())->result.prefixes ==
        Names{"a", "a.b", "d"});

  srv::ListParameters::Request many;
  many.prefixes.resize(kMaxParametersAsked + 1);
  CHECK(!rig.call<srv::ListParameters>("list_parameters", many));
  CHECK(rig.here->counts().malformed == 1);
}

TEST_CASE("what is set acts when it is accepted, one after the other, and is told") {
  NodeRig rig;
  rig.parameters.declare("gain", 0.5, from_zero_to_one());
  std::vector<std::pair<double, NodeParameters::Done>> asked;
  rig.parameters.on_set([&](const NodeParameters::Parameters& wanted, NodeParameters::Done done) {
    asked.emplace_back(std::get<double>(wanted.front().value), std::move(done));
  });
  std::vector<double> told;
  auto events = *rig.caller.subscription("/parameter_events", ros::TypeSupport::of<ParameterEvent>(), {.depth = 1000},
                                         [&](const Received& sample) {
                                           const auto event = message_in<ParameterEvent>(*rig.there, sample.cdr);
                                           REQUIRE(event);
                                           CHECK(event->node == "/a/node");
                                           for (const auto& one : event->changed_parameters)
                                             told.push_back(one.value.double_value);
                                         });
  const auto client = rig.client<srv::SetParameters>("set_parameters");
  std::vector<bool> results;
  const auto request = to_set<srv::SetParameters::Request>({{"gain", 0.25}, {"gain", 7.0}, {"gain", 0.75}});
  client->call(*ros::TypeSupport::of<srv::SetParameters::Request>().to_cdr(&request), kNever, [&](Result<Bytes> reply) {
    const auto response = message_in<srv::SetParameters::Response>(*rig.there, *reply);
    for (const auto& one : response->results) results.push_back(one.successful);
  });
  for (int i = 0; i < 5; ++i) rig.spin();

  REQUIRE(asked.size() == 1);
  CHECK(asked[0].first == 0.25);
  CHECK(told.empty());
  asked[0].second({});
  REQUIRE(asked.size() == 2);  // 7 was not asked for: it is beyond the range
  CHECK(asked[1].first == 0.75);
  CHECK(results.empty());
  asked[1].second({false, "not now"});
  for (int i = 0; i < 5; ++i) rig.spin();
  CHECK(results == std::vector<bool>{true, false, false});
  CHECK(told == std::vector<double>{0.25});
}

TEST_CASE("requests that are cut short or have a flipped bit are answered or counted, and set nothing out of range") {
  NodeRig rig;
  rig.parameters.declare("gain", 0.5, from_zero_to_one());
  rig.parameters.on_set([](const NodeParameters::Parameters& wanted, const NodeParameters::Done& done) {
    for (const nodes::Parameter& one : wanted) {
      CHECK(one.name == "gain");
      CHECK(std::get<double>(one.value) >= 0);
      CHECK(std::get<double>(one.value) <= 1);
    }
    done({});
  });
  const auto client = rig.client<srv::SetParameters>("set_parameters");
  const auto request = to_set<srv::SetParameters::Request>({{"gain", 0.25}});
  const Bytes whole = *ros::TypeSupport::of<srv::SetParameters::Request>().to_cdr(&request);
  std::uint64_t sent = 0, answered = 0;
  const auto send = [&](const Bytes& bytes) {
    ++sent;
    client->call(bytes, kNever, [&](const Result<Bytes>&) { ++answered; });
    for (int i = 0; i < 3; ++i) rig.spin();
  };
  for (std::size_t length = 4; length < whole.size(); ++length) send({whole.begin(), whole.begin() + length});
  for (std::size_t bit = 8; bit < 8 * whole.size(); ++bit) {
    Bytes flipped = whole;
    flipped[bit / 8] = static_cast<std::uint8_t>(flipped[bit / 8] ^ 1 << bit % 8);
    send(flipped);
  }
  CHECK(rig.here->counts().malformed > 0);
  CHECK(answered + rig.here->counts().malformed == sent);
}

TEST_CASE("values of every type pass both ways, and a type that there is not is refused") {
  using V = nodes::ParameterValue;
  for (const V& value : {V(), V(true), V(std::int64_t{-7}), V(0.5), V(std::string("text")),
                         V(std::vector<std::uint8_t>{1, 2}), V(std::vector<bool>{true, false}),
                         V(std::vector<std::int64_t>{1, -1}), V(std::vector<double>{0.5}), V(Names{"a", ""})}) {
    const auto message = message_of(value);
    CHECK(message.type == value.index());
    CHECK(*value_in(message) == value);
  }
  rcl_interfaces::msg::ParameterValue strange;
  strange.type = 10;
  CHECK(value_in(strange).error().code == ErrorCode::kInvalid);
}

TEST_CASE("a client's node tells what the run is, and lets its speed be set") {
  Setup setup = small_room();
  setup.name = "room", setup.seed = 11, setup.tick = std::chrono::milliseconds(20);
  DoorRig rig({.setup = std::move(setup)});
  std::vector<double> told;
  auto events = *rig.caller->subscription("/parameter_events", ros::TypeSupport::of<ParameterEvent>(), {.depth = 1000},
                                          [&](const Received& sample) {
                                            const auto event = message_in<ParameterEvent>(*rig.outside, sample.cdr);
                                            if (event && event->node == "/simulation")
                                              told.push_back(event->changed_parameters.at(0).value.double_value);
                                          });
  const Names all = {"scenario", "seed", "speed", "tick", "use_sim_time"};
  CHECK(rig.call<srv::ListParameters>("/simulation/list_parameters").result.names == all);
  const auto values = got(rig, {"scenario", "seed", "tick", "use_sim_time", "nothing"}).values;
  REQUIRE(values.size() == 5);
  CHECK(values[0].string_value == "room");
  CHECK(values[1].integer_value == 11);
  CHECK(values[2].double_value == 0.02);
  CHECK(values[3].bool_value);
  CHECK(values[4].type == 0);

  srv::DescribeParameters::Request describe;
  describe.names = {"speed", "tick", "nothing"};
  const auto described = rig.call<srv::DescribeParameters>("/simulation/describe_parameters", describe).descriptors;
  REQUIRE(described.size() == 3);
  REQUIRE(described[0].floating_point_range.size() == 1);
  CHECK(described[0].floating_point_range[0].to_value == 1000);
  CHECK(!described[0].read_only);
  CHECK(described[1].read_only);
  CHECK(described[2].type == 0);
  srv::GetParameterTypes::Request types;
  types.names = all;
  CHECK(rig.call<srv::GetParameterTypes>("/simulation/get_parameter_types", types).types ==
        std::vector<std::uint8_t>{4, 2, 3, 3, 1});

  const Names refused = reasons(rig, {{"speed", 2.5},
                                      {"speed", std::int64_t{3}},
                                      {"speed", 5000.0},
                                      {"speed", std::numeric_limits<double>::quiet_NaN()},
                                      {"speed", 1e-6},
                                      {"seed", std::int64_t{5}},
                                      {"nothing", true}});
  REQUIRE(refused.size() == 7);
  CHECK(refused[0] == "done");
  for (std::size_t i = 1; i < refused.size(); ++i) CHECK(refused[i] != "done");
  CHECK(refused[4].find("0.001 to 1000") != std::string::npos);  // the server's words
  CHECK(refused[5].find("read-only") != std::string::npos);
  CHECK(got(rig, {"speed"}).values.at(0).double_value == 2.5);

  using Atomic = srv::SetParametersAtomically;
  const auto atomically = [&](const std::vector<nodes::Parameter>& wanted) {
    return rig.call<Atomic>("/simulation/set_parameters_atomically", to_set<Atomic::Request>(wanted)).result.successful;
  };
  CHECK(!atomically({{"speed", 4.0}, {"seed", std::int64_t{5}}}));
  CHECK(got(rig, {"speed"}).values.at(0).double_value == 2.5);
  CHECK(atomically({{"speed", 4.0}}));
  CHECK(got(rig, {"speed"}).values.at(0).double_value == 4.0);
  CHECK(rig.until([&] { return told == std::vector<double>{2.5, 4.0}; }, 2));
}

}  // namespace parameters_test
