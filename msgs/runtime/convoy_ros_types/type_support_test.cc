#include "convoy_ros_types/type_support.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <rosidl_typesupport_introspection_cpp/message_type_support_decl.hpp>

#include "convoy_test_msgs/action/run.hpp"
#include "convoy_test_msgs/msg/everything.hpp"
#include "convoy_test_msgs/srv/count.hpp"
#include "geometry_msgs/msg/twist.hpp"
#include "geometry_msgs/msg/twist_stamped.hpp"
#include "rosidl_typesupport_cpp/action_type_support.hpp"
#include "std_msgs/msg/string.hpp"
#include "testing/all_packages.h"
#include "testing/fill.h"

namespace type_support_test {

using namespace convoy;
using namespace convoy::ros;
using convoy_test_msgs::msg::Everything;

TEST_CASE("a type knows its name, hash, size and definition") {
  const TypeSupport type = TypeSupport::of<geometry_msgs::msg::Twist>();

  CHECK(type.name() == "geometry_msgs/msg/Twist");
  CHECK(type.hash() == "RIHS01_9c45bf16fe0983d80e3cfe750d6835843d265a9a6c46bd2e609fcddde6fb8d2a");
  CHECK(type.size() == sizeof(geometry_msgs::msg::Twist));
  CHECK(type.definition().find("Vector3 linear") != std::string_view::npos);
}

TEST_CASE("a schema holds each nested definition once, after a rule") {
  const std::string schema = TypeSupport::of<geometry_msgs::msg::TwistStamped>().schema();
  std::vector<std::string> names;
  for (std::size_t at = schema.find("MSG: "); at != std::string::npos; at = schema.find("MSG: ", at + 1)) {
    CHECK(schema.substr(at - 81, 81) == std::string(80, '=') + "\n");
    names.push_back(schema.substr(at + 5, schema.find('\n', at) - at - 5));
  }

  CHECK(names == std::vector<std::string>{"std_msgs/Header", "builtin_interfaces/Time", "geometry_msgs/Twist",
                                          "geometry_msgs/Vector3"});
}

TEST_CASE("types are found by their long and short names") {
  const Types types = all_types();

  CHECK(types.message("std_msgs/msg/String") == TypeSupport::of<std_msgs::msg::String>());
  CHECK(types.message("std_msgs/String").value().name() == "std_msgs/msg/String");
  CHECK(types.service("std_srvs/Trigger").value().request.name() == "std_srvs/srv/Trigger_Request");
  for (const char* name :
       {"", "String", "std_msgs/msg/Strin", "std_msgs/srv/String", "no_msgs/msg/String", "std_msgs/"}) {
    CHECK_MESSAGE(types.message(name).error().code == ErrorCode::kNotFound, name);
  }
}

TEST_CASE("rosidl's own handle leads to ours, and a foreign one is refused") {
  const auto* ours = rosidl_typesupport_cpp::get_message_type_support_handle<std_msgs::msg::String>();
  const auto* rosidls = rosidl_typesupport_introspection_cpp::get_message_type_support_handle<std_msgs::msg::String>();

  CHECK(TypeSupport::of(ours).value().name() == "std_msgs/msg/String");
  CHECK(ours->func(ours, rosidls->typesupport_identifier) == rosidls);
  CHECK(ours->func(ours, "rosidl_typesupport_fastrtps_cpp") == nullptr);
  CHECK(TypeSupport::of(rosidls).error().code == ErrorCode::kUnsupported);
  CHECK(TypeSupport::of(nullptr).error().code == ErrorCode::kUnsupported);
}

TEST_CASE("a service knows its halves, and an action its services and topics") {
  const auto service = ServiceSupport::of<convoy_test_msgs::srv::Count>();
  CHECK(service.name == "convoy_test_msgs/srv/Count");
  CHECK(service.response == TypeSupport::of<convoy_test_msgs::srv::Count::Response>());
  using Event = convoy_test_msgs::srv::Count::Event;
  CHECK(service.event == TypeSupport::of<Event>());
  CHECK(service.event.name() == "convoy_test_msgs/srv/Count_Event");
  CHECK(all_types().message("convoy_test_msgs/srv/Count_Event").value() == service.event);
  Event event;
  event.info.event_type = service_msgs::msg::ServiceEventInfo::RESPONSE_SENT;
  event.response.emplace_back();
  const auto bytes = service.event.to_cdr(&event);
  REQUIRE(bytes);
  Event again;
  REQUIRE(service.event.from_cdr(*bytes, &again));
  CHECK(again == event);
  CHECK(service.event.to_yaml(&event).find("response:\n-") != std::string::npos);
  CHECK(service.event.schema().find("convoy_test_msgs/Count_Response[<=1] response\n====") != std::string::npos);
  CHECK(TypeSupport::of<convoy_test_msgs::action::Run::Impl::SendGoalService::Event>().name() ==
        "convoy_test_msgs/action/Run_SendGoal_Event");

  using Run = convoy_test_msgs::action::Run;
  const auto* action = rosidl_typesupport_cpp::get_action_type_support_handle<Run>();
  CHECK(ServiceSupport::of(action->goal_service_type_support).value().name == "convoy_test_msgs/action/Run_SendGoal");
  CHECK(ServiceSupport::of(action->result_service_type_support).value().name ==
        "convoy_test_msgs/action/Run_GetResult");
  CHECK(ServiceSupport::of(action->cancel_service_type_support).value().name == "action_msgs/srv/CancelGoal");
  CHECK(TypeSupport::of(action->feedback_message_type_support) == TypeSupport::of<Run::Impl::FeedbackMessage>());
  CHECK(TypeSupport::of(action->status_message_type_support).value().name() == "action_msgs/msg/GoalStatusArray");
}

TEST_CASE("a new message has the definition's defaults") {
  AnyMessage message(TypeSupport::of<Everything>());

  CHECK(*static_cast<const Everything*>(message.get()) == Everything());
  CHECK(static_cast<const Everything*>(message.get())->text == "hello");
  CHECK(Everything::ANSWER == 42);
}

TEST_CASE("every type is copied whole, and a copy is its own") {
  const Types types = all_types();
  for (const PackageFacts* package : types.packages()) {
    for (const MessageFacts* facts : package->messages) {
      AnyMessage message{TypeSupport(*facts)};
      fill(message.type(), message.get(), 5);
      const auto bytes = message.type().to_cdr(message.get()).value();
      AnyMessage copy(message);
      CHECK_MESSAGE(copy == message, facts->name);

      fill(message.type(), message.get(), 6);

      CHECK_MESSAGE(copy.type().to_cdr(copy.get()).value() == bytes, facts->name);
      copy = message;
      CHECK_MESSAGE(copy == message, facts->name);
    }
  }
}

TEST_CASE("messages that differ in one element are not equal") {
  Everything a, b;
  const TypeSupport type = TypeSupport::of<Everything>();
  CHECK(type.equal(&a, &b));

  b.flags = {true};
  CHECK_FALSE(type.equal(&a, &b));
  a.flags = {false};
  CHECK_FALSE(type.equal(&a, &b));
  b = a;
  b.short_texts = {"x"};
  CHECK_FALSE(type.equal(&a, &b));
  b = a;
  b.smalls_fixed[1].name = "other";
  CHECK_FALSE(type.equal(&a, &b));
  b = a;
  a.f64 = b.f64 = std::nan("");
  CHECK_FALSE(type.equal(&a, &b));  // as C++ has it
}

TEST_CASE("single values are read by their path") {
  Everything message;
  message.flags = {false, true};
  message.smalls.resize(2);
  message.smalls[1].value = 200;
  message.wide_text = u"\u00e9";
  const TypeSupport type = TypeSupport::of<Everything>();
  const auto get = [&](const char* path) { return type.get(&message, path).value(); };

  CHECK(get("flag") == Value(true));
  CHECK(get("i64") == Value(std::int64_t{-6400000000}));
  CHECK(get("u8") == Value(std::uint64_t{8}));
  CHECK(get("f32") == Value(0.5));
  CHECK(get("text") == Value(std::string("hello")));
  CHECK(get("wide_text") == Value(std::string("\u00e9")));
  CHECK(get("flags[1]") == Value(true));
  CHECK(get("flags_fixed[0]") == Value(true));
  CHECK(get("texts[1]") == Value(std::string("two words")));
  CHECK(get("smalls[1].value") == Value(std::uint64_t{200}));
  CHECK(get("stamp.sec") == Value(std::int64_t{0}));
}

TEST_CASE("the error of a path that leads nowhere names where it ends") {
  Everything message;
  const TypeSupport type = TypeSupport::of<Everything>();
  const auto text = [&](const char* path) { return type.get(&message, path).error().text; };

  CHECK(text("") == "convoy_test_msgs/msg/Everything has no field ''");
  CHECK(text("small.nothing") == "convoy_test_msgs/msg/Small has no field 'nothing'");
  CHECK(text("smalls[0].value") == "convoy_test_msgs/msg/Everything has no field 'smalls[0]'");
  CHECK(text("floats_fixed[3]") == "convoy_test_msgs/msg/Everything has no field 'floats_fixed[3]'");
  for (const char* path : {"f32[0]", "floats_fixed[", "floats_fixed[]", "floats_fixed[-1]", "floats_fixed[0]x", "f32.x",
                           ".", "small.", "smalls.value", "floats_fixed[18446744073709551615]", "floats_fixed[0][0]"}) {
    CHECK_MESSAGE(type.get(&message, path).error().code == ErrorCode::kNotFound, path);
  }
  CHECK(text("small") == "field 'small' is not a single value");
  CHECK(text("floats_fixed") == "field 'floats_fixed' is not a single value");
}

TEST_CASE("single values are set if they fit") {
  Everything message;
  message.flags = {false, false};
  message.texts = {"a"};
  const TypeSupport type = TypeSupport::of<Everything>();

  CHECK(type.set(&message, "flags[1]", true));
  CHECK(type.set(&message, "u8", std::int64_t{255}));
  CHECK(type.set(&message, "i8", std::int64_t{-128}));
  CHECK(type.set(&message, "u64", std::uint64_t{18446744073709551615u}));
  CHECK(type.set(&message, "f64", std::int64_t{3}));
  CHECK(type.set(&message, "texts[0]", std::string("b")));
  CHECK(type.set(&message, "wide_text", std::string("\u00e9")));
  CHECK((message.flags == std::vector<bool>{false, true}));
  CHECK(message.u8 == 255);
  CHECK(message.i8 == -128);
  CHECK(message.u64 == 18446744073709551615u);
  CHECK(message.f64 == 3.0);
  CHECK(message.texts[0] == "b");
  CHECK(message.wide_text == u"\u00e9");

  const Everything before = message;
  const auto code = [&](const char* path, const Value& value) { return type.set(&message, path, value).error().code; };
  CHECK(code("u8", std::int64_t{256}) == ErrorCode::kInvalid);
  CHECK(code("u8", std::int64_t{-1}) == ErrorCode::kInvalid);
  CHECK(code("i64", std::uint64_t{1} << 63) == ErrorCode::kInvalid);
  CHECK(code("i8", std::int64_t{-129}) == ErrorCode::kInvalid);
  CHECK(code("u8", 1.0) == ErrorCode::kInvalid);
  CHECK(code("f32", true) == ErrorCode::kInvalid);
  CHECK(code("flag", std::int64_t{1}) == ErrorCode::kInvalid);
  CHECK(code("text", std::int64_t{1}) == ErrorCode::kInvalid);
  CHECK(code("short_text", std::string("abcdef")) == ErrorCode::kInvalid);
  CHECK(code("short_wide_text", std::string("abcde")) == ErrorCode::kInvalid);
  CHECK(code("small", std::int64_t{1}) == ErrorCode::kInvalid);
  CHECK(message == before);
}

}  // namespace type_support_test
