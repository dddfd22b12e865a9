#include "scenario/schema.h"

#include <doctest/doctest.h>

namespace schema_test {

using namespace convoy;
using namespace convoy::scenario;
using namespace std::chrono_literals;

namespace {

enum class Colour { kRed, kGreen };
constexpr Choice<Colour> kColours[] = {{"red", Colour::kRed}, {"green", Colour::kGreen}};

struct Sample {
  std::string name, path = "a";
  std::vector<std::string> tags;
  bool on = true;
  double mass = 1, share = 0, speed = 1;
  bool fastest = false, off = false;
  std::uint32_t count = 1;
  Duration wait = 10ms, life = 1s;
  Colour colour = Colour::kRed;
  double at[2] = {0, 0};
  std::vector<std::vector<double>> rows;
  std::string inner;
  std::vector<int> list;
};

void read_sample(Section& s, Sample& v) {
  s.text("name", v.name, TextRule::kName);
  s.text("path", v.path, TextRule::kPath);
  s.texts("tags", v.tags, TextRule::kName);
  s.flag("on", v.on);
  s.number("mass", v.mass, {0, 100, "kg", true});
  s.number("share", v.share, {0, 1});
  v.fastest = s.number_or("speed", v.speed, {0, 10}, "max");
  s.integer("count", v.count, 1, 10);
  s.duration("wait", v.wait, {1us, 10s});
  v.off = s.duration_or("life", v.life, {1ms, 1h}, "off");
  s.choice<Colour>("colour", v.colour, kColours);
  s.numbers("at", v.at, {-10, 10});
  s.rows("rows", v.rows, 2, 3, {});
  s.section("box", {.scalar_is = "inner"},
            [&](Section& b) { b.text("inner", v.inner, TextRule::kAny, Need::kRequired); });
  s.list(
      "list", [&](Section& e) { e.integer("n", v.list.emplace_back(0), 0, 9); }, 3);
}

// "ok", or the whole message.
std::string read(const std::string& text, Sample& v, const std::string& override = "") {
  Result<Node> root = parse_yaml(text, "a.yaml");
  if (!root) return root.error().message();
  if (!override.empty())
    if (const Status s = apply_override(*root, override); !s) return s.error().message();
  Document document("a.yaml");
  Section::read(document, *root, [&](Section& s) { read_sample(s, v); });
  const Status s = document.status();
  return s ? "ok" : s.error().message();
}
std::string read(const std::string& text, const std::string& override = "") {
  Sample v;
  return read(text, v, override);
}

}  // namespace

TEST_CASE("every kind of field is read") {
  Sample v;
  CHECK(
      read("{name: x_1, path: a/b, tags: [p, q], on: false, mass: 2.5, share: +0.5, speed: max, count: 3, wait: 20ms,\n"
           " life: off, colour: green, at: [1, -2], rows: [[1, 2], [3, 4, 5]], box: {inner: 7}, list: [{n: 4}, {}]}",
           v) == "ok");

  CHECK(v.name == "x_1");
  CHECK(v.path == "a/b");
  CHECK(v.tags == std::vector<std::string>{"p", "q"});
  CHECK_FALSE(v.on);
  CHECK(v.mass == 2.5);
  CHECK(v.share == 0.5);
  CHECK(v.fastest);
  CHECK(v.count == 3);
  CHECK(v.wait == 20ms);
  CHECK(v.off);
  CHECK(v.colour == Colour::kGreen);
  CHECK(v.at[1] == -2);
  CHECK(v.rows == std::vector<std::vector<double>>{{1, 2, 0}, {3, 4, 5}});
  CHECK(v.inner == "7");
  CHECK(v.list == std::vector<int>{4, 0});
}

TEST_CASE("a scalar may be given for a map, and nothing behind a colon for an empty one") {
  Sample v;
  CHECK(read("box: hello", v) == "ok");
  CHECK(v.inner == "hello");
  CHECK(read("box:") == "a.yaml:1: box: the field 'inner' is missing");
}

TEST_CASE("a refused value is named with its file, line, path, text and what is allowed") {
  CHECK(read("name: 7up") ==
        "a.yaml:1: name: found '7up'; allowed: a name of letters, digits and '_' that begins with a letter");
  CHECK(read("path: a//b") ==
        "a.yaml:1: path: found 'a//b'; allowed: names of letters, digits and '_' that begin with a letter, joined by "
        "'/'");
  CHECK(read("\n\ntags: [a, {b: c}]") ==
        "a.yaml:3: tags[1]: found a map; allowed: a name of letters, digits and '_' that begins with a letter");
  CHECK(read("tags: a") == "a.yaml:1: tags: found 'a'; allowed: a list");
  CHECK(read("on: 1") == "a.yaml:1: on: found '1'; allowed: true, false");
  CHECK(read("mass: 0") == "a.yaml:1: mass: found '0'; allowed: a number above 0, at most 100 kg");
  CHECK(read("mass: \"3\"") == "a.yaml:1: mass: found '3'; allowed: a number above 0, at most 100 kg");
  CHECK(read("share: 1.5") == "a.yaml:1: share: found '1.5'; allowed: a number from 0 to 1");
  CHECK(read("share:") == "a.yaml:1: share: found nothing; allowed: a number from 0 to 1");
  CHECK(read("speed: fast") == "a.yaml:1: speed: found 'fast'; allowed: max, or a number from 0 to 10");
  CHECK(read("count: 2.0") == "a.yaml:1: count: found '2.0'; allowed: a whole number from 1 to 10");
  CHECK(read("count: -1") == "a.yaml:1: count: found '-1'; allowed: a whole number from 1 to 10");
  CHECK(read("wait: 1 day") ==
        "a.yaml:1: wait: found '1 day'; allowed: a duration from 1us to 10s, as 10ms, 1.5s, or a number of seconds");
  CHECK(read("life: 0") ==
        "a.yaml:1: life: found '0'; allowed: off, or a duration from 1ms to 1h, as 10ms, 1.5s, or a "
        "number of seconds");
  CHECK(read("colour: blue") == "a.yaml:1: colour: found 'blue'; allowed: red, green");
  CHECK(read("at: [1]") == "a.yaml:1: at: found a list; allowed: a list of 2 numbers");
  CHECK(read("at: [1, x]") == "a.yaml:1: at[1]: found 'x'; allowed: a number from -10 to 10");
  CHECK(read("rows: [[1, 2], [3]]") == "a.yaml:1: rows[1]: found a list; allowed: a list of 2 to 3 numbers");
  CHECK(read("box: [1]") == "a.yaml:1: box: found a list; allowed: a map of fields");
  CHECK(read("list:\n- {n: 1}\n- {n: 10}") == "a.yaml:3: list[1].n: found '10'; allowed: a whole number from 0 to 9");
  CHECK(read("list: [{}, {}, {}, {}]") == "a.yaml:1: list: 4 elements; at most 3 are allowed");
  CHECK(read("list: [3]") == "a.yaml:1: list[0]: found '3'; allowed: a map of fields");
  CHECK(read("[1]") == "a.yaml:1: found a list; allowed: a map of fields");
}

TEST_CASE("numbers that are not finite are refused everywhere") {
  for (const char* bad : {"nan", ".nan", "inf", ".inf", "-inf", "-.INF", "1e999", "infinity", "NaN(1)"}) {
    CAPTURE(bad);
    const std::string b = bad;
    CHECK(read("share: " + b) == "a.yaml:1: share: found '" + b + "'; allowed: a number from 0 to 1");
    CHECK(read("at: [0, " + b + "]") != "ok");
    CHECK(read("rows: [[0, " + b + "]]") != "ok");
    CHECK(read("speed: " + b) != "ok");
    CHECK(read("wait: " + b) != "ok");
    CHECK(read("wait: " + b + "s") != "ok");
    CHECK(read("count: " + b) != "ok");
  }
}

TEST_CASE("an unknown field is named with the nearest known one, before any other problem") {
  CHECK(
      read("mass: -1\nconut: 3") ==
      "a.yaml:2: conut: unknown field; did you mean 'count'? allowed: name, path, tags, on, mass, share, speed, count, "
      "wait, life, colour, at, rows, box, list");
  CHECK(read("box:\n  inner: a\n  elephant: b") == "a.yaml:3: box.elephant: unknown field; allowed: inner");
  CHECK(read("box: {inner: a, \"in\\nner\": b}") ==
        "a.yaml:1: box.in ner: unknown field; did you mean 'inner'? allowed: inner");
}

TEST_CASE("durations are read exactly and written shortly") {
  CHECK(parse_duration("10ms") == 10ms);
  CHECK(parse_duration("1500ns") == 1500ns);
  CHECK(parse_duration("1.5s") == 1500ms);
  CHECK(parse_duration("0.1") == 100ms);
  CHECK(parse_duration("2") == 2s);
  CHECK(parse_duration("1e3s") == 1000s);
  CHECK(parse_duration("3min") == 3min);
  CHECK(parse_duration("-1us") == -1us);
  CHECK(parse_duration("9100000000000000000ns") == std::nullopt);
  CHECK(parse_duration("8999999999999999ns") == Duration(8999999999999999));
  for (const char* bad : {"", "s", "1 s", "1m", "--1s", "1.2.3s", "99999999999999h", "1e30s", "0x10", "."}) {
    CAPTURE(bad);
    CHECK(parse_duration(bad) == std::nullopt);
  }
  for (Duration d : {Duration(10ms), Duration(1500ns), Duration(1500ms), Duration(90s), Duration(3h), Duration(0)})
    CHECK(parse_duration(to_text(d)) == d);
  CHECK(to_text(1500us) == "1500us");
}

TEST_CASE("YAML that is broken, double, endless or too large is an error and never an exception") {
  CHECK(read("a: [") != "ok");
  CHECK(read("name: a\nname: b") == "a.yaml:2: the field 'name' stands here twice");
  CHECK(read("? [a]\n: b") == "a.yaml:1: a field's name is text, found a list");
  CHECK(read("") == "a.yaml: the file is empty");
  CHECK(read("name: a\n---\nname: b") == "a.yaml: more than one YAML document ('---')");
  CHECK(read("rows: &r [*r]") == "a.yaml:1: an alias inside its own value");
  CHECK(read("name: *none").starts_with("a.yaml:1: not YAML: "));
  CHECK(read("name: 'a").starts_with("a.yaml:1: not YAML: "));
  CHECK(read(std::string(100'000, '[')) != "ok");
  CHECK(read(std::string(100'000, '{')) != "ok");
  std::string deep;
  for (int i = 0; i < 70; ++i) deep += "- ";
  CHECK(read(deep + "a").find("too large or too deep") != std::string::npos);
  std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string n = std::to_string(i), p = std::to_string(i - 1);
    laughs += "a" + n + ": &a" + n + " [*a" + p;
    for (int k = 0; k < 9; ++k) laughs += ", *a" + p;
    laughs += "]\n";
  }
  CHECK(read(laughs).find("too large or too deep") != std::string::npos);
  CHECK(read(std::string(kMaxDocumentBytes + 1, ' ')) == "a.yaml: larger than 16777216 bytes");
}

TEST_CASE("an alias is a copy of what it names") {
  Sample v;
  CHECK(read("at: &p [1, 2]\nrows: [*p, *p]", v) == "ok");
  CHECK(v.rows == std::vector<std::vector<double>>{{1, 2, 0}, {1, 2, 0}});
}

TEST_CASE("an override sets one value before the check") {
  Sample v;
  CHECK(read("mass: 2", v, "mass=3") == "ok");
  CHECK(v.mass == 3);
  CHECK(read("mass: 2", v, "box.inner=x") == "ok");
  CHECK(v.inner == "x");
  CHECK(read("list: [{n: 1}, {n: 2}]", v, "list[1].n=7") == "ok");
  CHECK(v.list.back() == 7);
  CHECK(read("mass: 2", v, "rows=[[5, 6]]") == "ok");
  CHECK(v.rows[0][0] == 5);
  CHECK(read("tags: [a, b]", v, "tags[1]=c") == "ok");
  CHECK(v.tags[1] == "c");
}

TEST_CASE("an override that fails is named itself") {
  CHECK(read("mass: 2", "masss=3").starts_with("--set masss=3: masss: unknown field; did you mean 'mass'? allowed: "));
  CHECK(read("mass: 2", "box.outer.x=3").starts_with("--set box.outer.x=3: box.outer: unknown field; "));
  CHECK(read("mass: 2", "mass=-3") == "--set mass=-3: mass: found '-3'; allowed: a number above 0, at most 100 kg");
  CHECK(read("mass: 2", "mass=") == "--set mass=: mass: found nothing; allowed: a number above 0, at most 100 kg");
  CHECK(read("mass: 2", "mass.x=1") == "--set mass.x=1: mass is not a map, found '2'");
  CHECK(read("mass: 2", "mass[0]=1") == "--set mass[0]=1: mass is not a list, found '2'");
  CHECK(read("list: [{n: 1}]", "list[1].n=1") == "--set list[1].n=1: list has 1 elements");
  CHECK(read("mass: 2", "mass=[1").starts_with("--set mass=[1: not YAML: "));
  for (const char* bad : {"mass", "=3", ".mass=3", "mass.=3", "[0]=3", "a..b=3", "a[=3", "a[x]=3", "a[]=3", "a[0]b=3",
                          "a.[0]=3", "a[99999999999999999999]=3"})
    CHECK(read("mass: 2", bad) ==
          std::string("--set ") + bad + ": an override is PATH=VALUE, for example robots[0].count=10");
}

TEST_CASE("the schema lists its own fields") {
  Sample v;
  const auto fields = known_fields([&](Section& s) { read_sample(s, v); });
  CHECK(fields == std::vector<std::string>{"at", "box", "box.inner", "colour", "count", "life", "list", "list[].n",
                                           "mass", "name", "on", "path", "rows", "share", "speed", "tags", "wait"});
}

}  // namespace schema_test
