// docs/scenario.md stays the reference: its example loads, and holds every field that the schema knows.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "scenario/scenario.h"

namespace docs_test {

using namespace convoy;
using namespace convoy::scenario;

namespace {

// The first YAML block of the page; with the lines marked "#|" taken in, where `alternatives`.
std::string example(bool alternatives) {
  std::string page = read_file(CONVOY_SOURCE_DIR "/docs/scenario.md", 1 << 20).value_or("");
  const std::size_t begin = page.find("```yaml\n");
  REQUIRE(begin != page.npos);
  page = page.substr(begin + 8, page.find("```\n", begin + 8) - begin - 8);
  for (std::size_t at = 0; alternatives && (at = page.find("#| ", at)) != page.npos;) page.erase(at, 3);
  return page;
}

void collect(const Node& node, const std::string& path, std::set<std::string>& fields) {
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (node.kind == Node::Kind::kList) {
      collect(node.items[i], path + "[]", fields);
      continue;
    }
    const std::string field = path.empty() ? node.keys[i] : path + "." + node.keys[i];
    fields.insert(field);
    collect(node.items[i], field, fields);
  }
}

}  // namespace

TEST_CASE("the example of docs/scenario.md loads without a warning") {
  const auto scenario = parse(example(false), "docs/scenario.md", "");
  REQUIRE_MESSAGE(scenario, scenario.error().message());
  CHECK(scenario->warnings == std::vector<std::string>{});
  CHECK(scenario->setup.entities.size() == 20);
}

TEST_CASE("docs/scenario.md shows every field of the schema and no other") {
  const auto tree = parse_yaml(example(true), "docs/scenario.md");
  REQUIRE_MESSAGE(tree, tree.error().message());
  std::set<std::string> shown;
  collect(*tree, "", shown);

  const auto known = known_scenario_fields();
  CHECK(std::set<std::string>(known.begin(), known.end()) == shown);
  for (const std::string& field : known) CHECK_MESSAGE(shown.count(field) == 1, "missing: ", field);
  for (const std::string& field : shown)
    CHECK_MESSAGE(std::count(known.begin(), known.end(), field) == 1, "unknown: ", field);
}

}  // namespace docs_test
