#include "adapters/ros2/names.h"

#include <doctest/doctest.h>

namespace convoy::ros2 {

TEST_CASE("names are resolved as ROS resolves them") {
  CHECK(resolve_name("scan", "/scout", "robot") == "/scout/scan");
  CHECK(resolve_name("front/image_raw", "/a/b", "robot") == "/a/b/front/image_raw");
  CHECK(resolve_name("/clock", "/scout", "robot") == "/clock");
  CHECK(resolve_name("~", "/scout", "robot") == "/scout/robot");
  CHECK(resolve_name("~/get_parameters", "/", "robot") == "/robot/get_parameters");
  CHECK(resolve_name("clock", "/", "robot") == "/clock");
}

TEST_CASE("what is no name of ROS is refused") {
  for (const char* name : {"", "/", "a b", "a-b", "9lives", "a//b", "a/", "a__b", "/a/9", "a\xc3\xa4", "~x"}) {
    CAPTURE(name);
    CHECK(!resolve_name(name, "/scout", "robot"));
  }
  CHECK(!resolve_name(std::string(300, 'a'), "/", "robot"));
  CHECK(valid_namespace("") == "/");
  CHECK(valid_namespace("fleet/a") == "/fleet/a");
  CHECK(!valid_namespace("fleet a"));
}

TEST_CASE("any text becomes a part of a name") {
  CHECK(as_name_part("scout") == "scout");
  CHECK(as_name_part("a-b") == "a_b");
  CHECK(as_name_part("a--b") == "a_b");
  CHECK(as_name_part("9") == "n9");
  CHECK(as_name_part("") == "n");
  for (const char* text : {"-", "a b.c", "__", "\xff\xfe", "x_"}) {
    CAPTURE(text);
    CHECK(valid_namespace(as_name_part(text)));
  }
}

TEST_CASE("names and types become DDS's and back") {
  CHECK(dds_topic("/ns/chatter") == "rt/ns/chatter");
  CHECK(dds_request("/ns/add") == "rq/ns/addRequest");
  CHECK(dds_reply("/ns/add") == "rr/ns/addReply");
  CHECK(dds_type("std_msgs/msg/String") == "std_msgs::msg::dds_::String_");
  CHECK(dds_type("std_srvs/srv/Trigger_Request") == "std_srvs::srv::dds_::Trigger_Request_");
  CHECK(ros_type("std_srvs::srv::dds_::Trigger_Request_") == "std_srvs/srv/Trigger_Request");
  CHECK(!ros_type("std_msgs::String"));

  const auto topic = ros_topic("rt/ns/chatter");
  REQUIRE(topic);
  CHECK(topic->kind == TopicKind::kTopic);
  CHECK(topic->name == "/ns/chatter");
  const auto service = ros_topic("rr/ns/addReply");
  REQUIRE(service);
  CHECK(service->kind == TopicKind::kReply);
  CHECK(service->name == "/ns/add");
  for (const char* other : {"ros_discovery_info", "rt", "rt/", "rq/Request", "rq/addReply", ""}) {
    CAPTURE(other);
    CHECK(!ros_topic(other));
  }
}

TEST_CASE("pairs of user data are found, whatever else stands there") {
  CHECK(user_datum("enclave=/;", "enclave") == "/");
  CHECK(user_datum("clientid=01.02;typehash=RIHS01_ab;", "typehash") == "RIHS01_ab");
  CHECK(user_datum("a;b=;c=1", "c") == "1");
  CHECK(user_datum("typehash", "typehash").empty());
  CHECK(user_datum("", "x").empty());
  CHECK(user_datum("xtypehash=1;", "typehash").empty());
  CHECK(type_hash_datum("RIHS01_ab") == "typehash=RIHS01_ab;");
  CHECK(type_hash_datum("").empty());
}

}  // namespace convoy::ros2
