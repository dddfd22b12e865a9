#include "core/nearest.h"

#include <doctest/doctest.h>

namespace nearest_test {

using namespace convoy;

TEST_CASE("the nearest of the known words is found, the first of those that are as near") {
  const std::vector<std::string> known{"lockstep",          "free", "random_walk", "turtlebot3_burger",
                                       "turtlebot3_waffle", "pd"};
  CHECK(nearest_name("lokstep", known) == "lockstep");
  CHECK(nearest_name("locsktep", known) == "lockstep");
  CHECK(nearest_name("fre", known) == "free");
  CHECK(nearest_name("randomwalk", known) == "random_walk");
  CHECK(nearest_name("turtlebot3_burgr", known) == "turtlebot3_burger");
  CHECK(nearest_name("pid", known) == "pd");
  CHECK(nearest_name("ab", {"ac", "ad"}) == "ac");
}

TEST_CASE("a word that is a part of a known one means that") {
  const std::vector<std::string> known{"box", "turtlebot3_burger", "turtlebot3_waffle"};
  CHECK(nearest_name("burger", known) == "turtlebot3_burger");
  CHECK(nearest_name("turtlebot3", known) == "turtlebot3_burger");
  CHECK(nearest_name("urg", known) == "");
}

TEST_CASE("a word that is like none has no nearest one") {
  CHECK(nearest_name("crazy", {"none", "random_walk"}) == "");
  CHECK(nearest_name("2", {"1"}) == "");
  CHECK(nearest_name("", {"a", ""}) == "");
  CHECK(nearest_name("a", {}) == "");
}

TEST_CASE("of long words the first characters are compared") {
  const std::string head(kComparedCharacters - 1, 'x');
  CHECK(nearest_name(head + std::string(1'000'000, 'y'), {"short", head + "y"}) == head + "y");
  CHECK(nearest_name("z" + head + "1", {head + std::string(1'000'000, '2')}).size() > kComparedCharacters);
  CHECK(nearest_name(std::string(1'000'000, 'q'), {head}) == "");
}

}  // namespace nearest_test
