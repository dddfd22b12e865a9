#include "scenario/lists.h"

#include <doctest/doctest.h>

namespace lists_test {

using namespace convoy;
using namespace convoy::scenario;

TEST_CASE("a spawn list may be a map with robots, a bare list, a single entry or JSON") {
  for (const char* text : {"robots:\n  - {name: a, model: box, pose: [1, 2, 0]}\n",
                           "- {name: a, model: box, pose: [1, 2, 0]}\n", "name: a\nmodel: box\npose: [1, 2, 0]\n",
                           R"({"robots": [{"name": "a", "model": "box", "pose": [1, 2, 0]}]})"}) {
    const auto dut = read_spawn_list(text, "list.yaml");

    REQUIRE_MESSAGE(dut, (dut ? "" : dut.error().message()));
    REQUIRE(dut->size() == 1);
    CHECK(dut->front().spec.name == "a");
    CHECK(dut->front().spec.pose == Pose{{1, 2, 0}, {}});
  }
}

TEST_CASE("what is wrong with a spawn list is reported with file, line and field") {
  CHECK(read_spawn_list("- {name: a, modle: box}\n", "l.yaml")
            .error()
            .message()
            .rfind("l.yaml:1: robots[0].modle: ", 0) == 0);
  CHECK(read_spawn_list("- {name: a}\n", "l.yaml").error().message().find("model") != std::string::npos);
  CHECK(read_spawn_list("[]", "l.yaml").error().message() == "l.yaml: nothing to spawn");
  CHECK_FALSE(read_spawn_list("{{", "l.yaml"));
  CHECK_FALSE(read_spawn_list("", "l.yaml"));
}

TEST_CASE("a model file holds one model, like a built-in one if it names that") {
  const auto dut = read_model_file("name: big_box\nlike: box\nheight: 2\n", "m.yaml");

  REQUIRE_MESSAGE(dut, (dut ? "" : dut.error().message()));
  CHECK(dut->name == "big_box");
  CHECK(dut->height == 2);

  CHECK(read_model_file("models:\n  - {name: a, like: box}\n  - {name: b, like: box}\n", "m.yaml").error().message() ==
        "m.yaml: one model is needed, here are 2");
  CHECK(read_model_file("name: box\n", "m.yaml").error().message().find("already") != std::string::npos);
}

}  // namespace lists_test
