// The order of /parameter_events: that of what was done, over all nodes, and in each event that of what was set.
#include "node_rig.hpp"

using namespace rclcpp;

namespace {

using Event = rcl_interfaces::msg::ParameterEvent;

std::string text(const Event& event) {
  std::string out = event.node;
  const auto add = [&](char mark, const std::vector<rcl_interfaces::msg::Parameter>& list) {
    for (const auto& p : list) {
      out += std::string(" ") + mark + p.name;
      if (mark != '-') out += "=" + Parameter::from_parameter_msg(p).value_to_string();
    }
  };
  add('+', event.new_parameters), add('~', event.changed_parameters), add('-', event.deleted_parameters);
  return out;
}

// Two nodes with parameters, and one that receives their events.
struct Desk {
  NodeRig rig;
  std::shared_ptr<Node> arm = std::make_shared<Node>("arm", NodeOptions().allow_undeclared_parameters(true));
  std::shared_ptr<Node> base = std::make_shared<Node>("base", NodeOptions().allow_undeclared_parameters(true));
  std::shared_ptr<Node> ear = std::make_shared<Node>("ear");
  std::shared_ptr<Subscription<Event>> subscription;

  Desk() {
    for (const char* name : {"a", "b", "c"}) arm->declare_parameter(name, 0), base->declare_parameter(name, 0);
    subscription =
        AsyncParametersClient::on_parameter_event(ear, [this](Event::ConstSharedPtr e) { rig.tell(text(*e)); });
    events_of([] {});
  }
  template <class Change>
  Lines events_of(const Change& change) {
    rig.story.clear();
    change();
    REQUIRE(rig.run_until(0));
    return rig.story;
  }
};

}  // namespace

TEST_CASE("parameters that are set together are one event, in the order in which they were given") {
  Desk dut;
  CHECK(dut.events_of([&] {
    dut.arm->set_parameters_atomically({{"b", 1}, {"c", 2}, {"a", 3}});
  }) == Lines{"0: /arm ~b=1 ~c=2 ~a=3"});
  CHECK(dut.events_of([&] {
    dut.arm->set_parameters_atomically({{"z", 1}, {"c", 4}, {"y", 2}, {"a", 5}});
  }) == Lines{"0: /arm +z=1 +y=2 ~c=4 ~a=5"});
  CHECK(dut.events_of([&] {
    dut.arm->set_parameters_atomically({Parameter("z"), Parameter("y")});
  }) == Lines{"0: /arm -z -y"});
}

TEST_CASE("parameters that are set one after the other are an event each, in that order") {
  Desk dut;
  CHECK(dut.events_of([&] {
    dut.arm->set_parameters({{"c", 1}, {"a", 2}, {"b", 3}, {"a", 4}});
  }) == Lines{"0: /arm ~c=1", "0: /arm ~a=2", "0: /arm ~b=3", "0: /arm ~a=4"});
}

TEST_CASE("events of several nodes come in the order of what was done, whichever node was made first") {
  Desk dut;
  CHECK(dut.events_of([&] {
    dut.base->set_parameter({"a", 1});
    dut.arm->set_parameter({"a", 2});
    dut.arm->declare_parameter("late", 3);
    dut.base->set_parameters_atomically({{"c", 4}, {"b", 5}});
    dut.arm->set_parameter({"b", 6});
    dut.base->declare_parameter("late", 7);
  }) == Lines{"0: /base ~a=1", "0: /arm ~a=2", "0: /arm +late=3", "0: /base ~c=4 ~b=5", "0: /arm ~b=6",
              "0: /base +late=7"});
}

TEST_CASE("what a callback adds is in the event where it is in the list, and what was refused is no event") {
  Desk dut;
  auto more = dut.arm->add_pre_set_parameters_callback([](std::vector<Parameter>& all) {
    if (all[0].get_name() == "c") all.insert(all.begin(), Parameter("b", 9));
  });
  auto strict = dut.arm->add_on_set_parameters_callback([](const std::vector<Parameter>& all) {
    rcl_interfaces::msg::SetParametersResult result;
    result.successful = all.back().get_name() != "a";
    return result;
  });
  CHECK(dut.events_of([&] {
    dut.arm->set_parameters({{"c", 1}, {"a", 2}, {"b", 3}});
  }) == Lines{"0: /arm ~b=9 ~c=1", "0: /arm ~b=3"});
}

TEST_CASE("what a callback sets after another was set is reported first: the other is not done yet") {
  Desk dut;
  auto after = dut.arm->add_post_set_parameters_callback([&](const std::vector<Parameter>& all) {
    if (all[0].get_name() == "a") dut.base->set_parameter({"a", 1});
  });
  CHECK(dut.events_of([&] { dut.arm->set_parameter({"a", 1}); }) == Lines{"0: /base ~a=1", "0: /arm ~a=1"});
}
