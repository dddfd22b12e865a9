#include <std_msgs/msg/string.hpp>
#include <std_msgs/msg/u_int64.hpp>

#include "node_rig.hpp"

using rclcpp::SerializedMessage;
using std_msgs::msg::String;
using std_msgs::msg::UInt64;

namespace {

constexpr const char* kUInt64 = "std_msgs/msg/UInt64";

SerializedMessage bytes_of(std::uint64_t data) {
  UInt64 message;
  message.data = data;
  SerializedMessage out;
  rclcpp::Serialization<UInt64>().serialize_message(&message, &out);
  return out;
}

std::uint64_t number_in(const SerializedMessage& bytes) {
  UInt64 message;
  rclcpp::Serialization<UInt64>().deserialize_message(&bytes, &message);
  return message.data;
}

}  // namespace

TEST_CASE("generic and typed publishers and subscriptions exchange messages, in order of creation") {
  // Whichever comes first: the topic is of either form then.
  for (const bool generic_first : {false, true}) {
    NodeRig rig;
    auto node = std::make_shared<rclcpp::Node>("n");
    rclcpp::PublisherBase::SharedPtr keep;
    if (generic_first) keep = node->create_generic_publisher("t", kUInt64, 10);
    auto typed = node->create_publisher<UInt64>("t", 10);
    auto generic = node->create_generic_publisher("t", kUInt64, 10);
    std::vector<rclcpp::SubscriptionBase::SharedPtr> in;
    const auto tell = [&](const std::string& who, std::uint64_t data) { rig.tell(who + " " + std::to_string(data)); };
    in.push_back(node->create_subscription<UInt64>("t", 10, [&](const UInt64& m) { tell("ref", m.data); }));
    in.push_back(node->create_generic_subscription(
        "t", kUInt64, 10, [&](std::shared_ptr<SerializedMessage> m) { tell("generic", number_in(*m)); }));
    in.push_back(node->create_subscription<UInt64>("t", 10, [&](UInt64::UniquePtr m) { tell("unique", m->data); }));
    in.push_back(node->create_generic_subscription(
        "t", kUInt64, 10, [&](std::shared_ptr<const SerializedMessage> m, const rclcpp::MessageInfo& info) {
          tell("info " + std::to_string(info.get_rmw_message_info().publication_sequence_number), number_in(*m));
        }));

    UInt64 message;
    message.data = 1;
    typed->publish(message);
    generic->publish(bytes_of(2));
    REQUIRE(rig.run_until(0));

    CHECK(rig.story == Lines{"0: ref 1", "0: generic 1", "0: unique 1", "0: info 1 1", "0: ref 2", "0: generic 2",
                             "0: unique 2", "0: info 1 2"});
    CHECK(in[1]->is_serialized());
    CHECK(typed->get_subscription_count() == 4);
  }
}

TEST_CASE("a generic subscription copies nothing of others' objects or bytes") {
  NodeRig rig;
  auto node = std::make_shared<rclcpp::Node>("n");
  auto typed = node->create_publisher<UInt64>("t", 10);
  auto generic = node->create_generic_publisher("t", kUInt64, 10);
  const UInt64* got = nullptr;
  const std::uint8_t* got_bytes = nullptr;
  auto unique = node->create_subscription<UInt64>("t", 10, [&](UInt64::UniquePtr m) { got = m.get(); });
  auto in = node->create_generic_subscription("t", kUInt64, 10, [&](std::shared_ptr<SerializedMessage> m) {
    got_bytes = m->get_rcl_serialized_message().buffer;
  });

  auto message = std::make_unique<UInt64>();
  const UInt64* sent = message.get();
  typed->publish(std::move(message));
  REQUIRE(rig.run_until(0));
  CHECK(got == sent);

  auto bytes = bytes_of(1);
  const std::uint8_t* sent_bytes = bytes.get_rcl_serialized_message().buffer;
  generic->publish(std::move(bytes));
  REQUIRE(rig.run_until(0));
  CHECK(got_bytes == sent_bytes);
}

TEST_CASE("the digest is the same whether bytes or objects are published") {
  const auto digest = [](bool generic) {
    NodeRig rig({}, {.digest_messages = true});
    auto node = std::make_shared<rclcpp::Node>("n");
    auto in = node->create_subscription<UInt64>("t", 10, [](const UInt64&) {});
    UInt64 message;
    message.data = 5;
    if (generic) node->create_generic_publisher("t", kUInt64, 10)->publish(bytes_of(5));
    else node->create_publisher<UInt64>("t", 10)->publish(message);
    REQUIRE(rig.run_until(0));
    return rig.simulation.graph().digest();
  };
  CHECK(digest(true) == digest(false));
}

TEST_CASE("delays and transient local hold for messages of both forms") {
  NodeRig rig({}, {.delays = {{.name = "/t", .subscriber = "/late", .delay = {.low = std::chrono::nanoseconds(7)}}}});
  auto node = std::make_shared<rclcpp::Node>("n"), late = std::make_shared<rclcpp::Node>("late");
  const auto qos = rclcpp::QoS(2).transient_local();
  auto generic = node->create_generic_publisher("t", kUInt64, qos);
  auto typed = node->create_publisher<UInt64>("latched", qos);
  auto in =
      late->create_subscription<UInt64>("t", qos, [&](const UInt64& m) { rig.tell("t " + std::to_string(m.data)); });
  for (std::uint64_t i = 0; i < 3; ++i) {
    UInt64 message;
    message.data = i;
    typed->publish(message);
  }
  generic->publish(bytes_of(9));
  REQUIRE(rig.run_until(5));
  auto after = node->create_generic_subscription("latched", kUInt64, qos, [&](const SerializedMessage& m) {
    rig.tell("latched " + std::to_string(number_in(m)));
  });
  REQUIRE(rig.run_until(10));

  CHECK(rig.story == Lines{"0: latched 1", "0: latched 2", "7: t 9"});
}

TEST_CASE("bytes that are no message of the type end the run where a subscription wants the message") {
  NodeRig rig;
  auto node = std::make_shared<rclcpp::Node>("n");
  auto generic = node->create_generic_publisher("t", "std_msgs/String", 10);
  CHECK_THROWS_AS(generic->publish(SerializedMessage(std::vector<std::uint8_t>{0, 1})), std::runtime_error);
  generic->publish(SerializedMessage(std::vector<std::uint8_t>{0, 1, 0, 0, 9, 9}));
  REQUIRE(rig.run_until(0));
  auto in = node->create_subscription<String>("t", 10, [](const String&) {});
  generic->publish(SerializedMessage(std::vector<std::uint8_t>{0, 1, 0, 0, 9, 9}));

  const auto ran = rig.simulation.run_instant(rig.simulation.now());
  REQUIRE_FALSE(ran);
  CHECK(ran.error().text == "topic '/t': bytes that are no std_msgs/msg/String");
}

TEST_CASE("types are found by name, those of packages that are not there pass as bytes") {
  NodeRig rig;
  auto node = std::make_shared<rclcpp::Node>("n");
  CHECK(convoy::ros::find_type("std_msgs/String")->hash() == convoy::ros::TypeSupport::of<String>().hash());
  CHECK(convoy::ros::find_type("nowhere_msgs/msg/Thing").error().text.find("libnowhere_msgs__types.so") !=
        std::string::npos);
  CHECK(convoy::ros::find_type("std_msgs/msg/Nothing").error().text == "unknown message type 'std_msgs/msg/Nothing'");
  for (const char* bad : {"", "String", "../x/msg/String", "std_msgs/", "a/b/c/d"})
    CHECK_THROWS_AS(node->create_generic_publisher("t", bad, 10), std::runtime_error);

  std::size_t received = 0;
  auto out = node->create_generic_publisher("t", "nowhere_msgs/msg/Thing", 10);
  auto in = node->create_generic_subscription("t", "nowhere_msgs/msg/Thing", 10,
                                              [&](const SerializedMessage& m) { received = m.size(); });
  out->publish(SerializedMessage(std::vector<std::uint8_t>(8)));
  REQUIRE(rig.run_until(0));
  CHECK(received == 8);
  CHECK_THROWS(node->create_generic_subscription("t", kUInt64, 10, [](const SerializedMessage&) {}));
}

TEST_CASE("type supports by name write and read messages") {
  const auto library = rclcpp::get_typesupport_library(kUInt64, "rosidl_typesupport_cpp");
  const auto* handle = rclcpp::get_message_typesupport_handle(kUInt64, "rosidl_typesupport_cpp", *library);
  UInt64 message;
  const auto bytes = bytes_of(77);
  rclcpp::SerializationBase(handle).deserialize_message(&bytes, &message);
  CHECK(message.data == 77);
  const auto* introspection =
      rclcpp::get_message_typesupport_handle(kUInt64, "rosidl_typesupport_introspection_cpp", *library);
  CHECK(std::string(introspection->typesupport_identifier) == "rosidl_typesupport_introspection_cpp");
  CHECK_THROWS_AS(rclcpp::get_typesupport_library("nowhere_msgs/msg/Thing", ""), std::runtime_error);
}

TEST_CASE("a serialized message is written through its C struct, and copied with its bytes") {
  SerializedMessage message(16);
  auto& view = message.get_rcl_serialized_message();
  CHECK(view.buffer_capacity == 16);
  view.buffer[0] = 3, view.buffer[1] = 4, view.buffer_length = 2;
  const SerializedMessage copy = message;
  CHECK(copy.size() == 2);
  CHECK(copy.bytes()[1] == 4);
  const SerializedMessage moved = std::move(message);
  CHECK(moved.bytes()[0] == 3);
  CHECK(moved.capacity() == 16);
}
