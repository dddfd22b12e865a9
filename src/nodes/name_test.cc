#include "nodes/name.h"

#include <doctest/doctest.h>

namespace name_test {

using namespace convoy::nodes;

namespace {
std::string full(const char* name, NodeName node = {"slam", "/robot_b"}) {
  const auto found = expand(name, node);
  return found ? *found : "error: " + found.error().text;
}
}  // namespace

TEST_CASE("names are resolved as in ROS 2") {
  CHECK(full("scan") == "/robot_b/scan");
  CHECK(full("/scan") == "/scan");
  CHECK(full("~") == "/robot_b/slam");
  CHECK(full("~/map") == "/robot_b/slam/map");
  CHECK(full("a/b", {"n", "/"}) == "/a/b");
  CHECK(full("~/a", {"n", "/"}) == "/n/a");
  CHECK(full("{node}/x") == "/robot_b/slam/x");
  CHECK(full("{ns}/x") == "/robot_b/x");
  CHECK(full("{namespace}/x", {"n", "/"}) == "/x");
}

TEST_CASE("bad names are errors") {
  for (const char* bad :
       {"", "/", "a/", "//a", "a//b", "1a", "/a/1b", "a b", "a-b", "~a", "a~", "{x}/a", "{node", "\xc3\xa9"})
    CHECK(full(bad).find("error: ") == 0);
  CHECK(full(std::string(240, 'a').c_str()).find("is too long") != std::string::npos);
  CHECK(check_node_name("slam_2"));
  for (const char* bad : {"", "2slam", "a/b", "a.b"}) CHECK_FALSE(check_node_name(bad));
  CHECK(check_namespace("/"));
  CHECK(check_namespace("/a/b"));
  for (const char* bad : {"", "a", "/a/", "/1"}) CHECK_FALSE(check_namespace(bad));
}

TEST_CASE("the first remap that fits is followed, and only once") {
  const std::vector<Remap> remaps{
      {"scan", "/front/scan"}, {"/robot_b/scan", "never"}, {"/front/scan", "other"}, {"~/get", "fetch", false, true}};
  const auto to = [&](const char* name, NameOf kind) { return *resolve(name, kind, {"slam", "/robot_b"}, remaps); };

  CHECK(to("scan", NameOf::kTopic) == "/front/scan");
  CHECK(to("/robot_b/scan", NameOf::kTopic) == "/front/scan");
  CHECK(to("/front/scan", NameOf::kTopic) == "/robot_b/other");
  CHECK(to("map", NameOf::kTopic) == "/robot_b/map");
  CHECK(to("~/get", NameOf::kService) == "/robot_b/fetch");
  CHECK(to("~/get", NameOf::kTopic) == "/robot_b/slam/get");
}

}  // namespace name_test
