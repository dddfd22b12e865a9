#include "world/name_index.h"

#include <doctest/doctest.h>

#include <map>

#include "core/random.h"

namespace name_index_test {

using namespace convoy;

TEST_CASE("the index finds what a map finds, through thousands of comings and goings") {
  std::vector<std::string> name_of_number(1);  // by number
  const auto names = [&](WorldNumber number) -> const std::string& { return name_of_number[number.value()]; };
  NameIndex dut;
  std::map<std::string, WorldNumber> expected;
  Random random{5, 0};
  CHECK(dut.find("r1", names) == kNoEntity);
  dut.erase("r1", names);
  for (int i = 0; i < 20'000; ++i) {
    const bool growing = (i / 5000) % 2 == 0;
    const std::string name = "r" + std::to_string(random.below(3000));
    if (random.below(4) < (growing ? 3 : 1)) {
      const auto number = static_cast<WorldNumber>(name_of_number.size());
      const bool made = expected.try_emplace(name, number).second;
      if (made) name_of_number.push_back(name);
      REQUIRE(dut.insert(name, number, names) == made);
    } else {
      dut.erase(name, names);
      expected.erase(name);
    }
    const std::string asked = "r" + std::to_string(random.below(3000));
    const auto there = expected.find(asked);
    REQUIRE(dut.find(asked, names) == (there == expected.end() ? kNoEntity : there->second));
    REQUIRE(dut.size() == expected.size());
  }
  for (int i = 0; i < 3000; ++i) {
    const std::string name = "r" + std::to_string(i);
    const auto there = expected.find(name);
    CHECK(dut.find(name, names) == (there == expected.end() ? kNoEntity : there->second));
  }
  dut.clear();
  CHECK(dut.size() == 0);
  CHECK(dut.find("r1", names) == kNoEntity);
}

}  // namespace name_index_test
