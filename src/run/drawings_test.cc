#include "run/drawings.h"

#include <doctest/doctest.h>

#include "world/setup.h"

namespace drawings_test {

using namespace convoy;

namespace {

Drawn line(std::string name) {
  return {.name = std::move(name), .kind = Drawn::Kind::kStrip, .points = {{0, 0, 0}, {1, 0, 0}}};
}

std::string refusal(Drawings& all, Drawn one) {
  const auto ok = all.change({}, false, {std::move(one)});
  return ok ? "" : ok.error().message();
}

Instant at(double s) { return instant(static_cast<std::int64_t>(s * 1e9)); }

// With one entity, number 1.
World world_of_one() {
  Setup setup;
  setup.models = built_in_models();
  setup.entities.emplace_back();
  setup.entities[0].name = "crate", setup.entities[0].model = "box";
  return World::make(setup).value();
}

}  // namespace

TEST_CASE("a drawing takes the place of one of its name, and each change is a new revision") {
  Drawings dut;
  const std::uint64_t first = dut.revision();
  CHECK(first > 0);
  REQUIRE(dut.change({}, false, {line("a"), line("b")}));
  Drawn other = line("a");
  other.color = "#00ff0080";
  REQUIRE(dut.change({}, false, {other}));

  CHECK(dut.all().size() == 2);
  CHECK(dut.all().at("a").color == "#00ff0080");
  CHECK(dut.revision() == first + 2);
}

TEST_CASE("erasing comes before drawing, and one wrong word leaves all as it was") {
  Drawings dut;
  REQUIRE(dut.change({}, false, {line("a"), line("b")}));
  const std::uint64_t before = dut.revision();
  const std::string a[] = {"a"}, c[] = {"a", "c"};

  const auto no = dut.change(c, false, {line("d")});
  REQUIRE(!no);
  CHECK(no.error().code == ErrorCode::kNotFound);
  CHECK(no.error().message() == "no drawing is named 'c'");
  CHECK(dut.revision() == before);
  CHECK(dut.all().size() == 2);

  REQUIRE(dut.change(a, false, {line("a"), line("d")}));
  CHECK(dut.all().size() == 3);
  REQUIRE(dut.change({}, true, {line("e")}));
  CHECK(dut.all().size() == 1);
  CHECK(dut.all().contains("e"));
}

TEST_CASE("what cannot be drawn is refused with a reason") {
  Drawings dut;
  const auto with = [](auto change) {
    Drawn one = line("x");
    change(one);
    return one;
  };
  CHECK(refusal(dut, line("")) == "a drawing has a name of 1 to 256 bytes");
  CHECK(refusal(dut, line(std::string(257, 'n'))) == "a drawing has a name of 1 to 256 bytes");
  CHECK(refusal(dut, with([](Drawn& d) { d.points.clear(); })) == "the drawing 'x' has no points");
  CHECK(refusal(dut, with([](Drawn& d) { d.points.pop_back(); })) == "the drawing 'x' is a line of one point");
  for (const auto kind : {Drawn::Kind::kLines, Drawn::Kind::kArrows})
    CHECK(refusal(dut, with([&](Drawn& d) { d.kind = kind, d.points.push_back({}); })) ==
          "the drawing 'x' has a point without a second: they come in pairs");
  CHECK(refusal(dut, with([](Drawn& d) { d.kind = Drawn::Kind::kText; })) == "the drawing 'x' has no text");
  CHECK(refusal(dut, with([](Drawn& d) { d.text = std::string(1025, 't'); })) ==
        "the drawing 'x' has more than 1024 bytes of text");
  for (const char* color : {"", "red", "#12345", "#12345g", "#1234567"})
    CHECK(refusal(dut, with([&](Drawn& d) { d.color = color; })) ==
          "the drawing 'x' has no color as #rrggbb or #rrggbbaa");
  for (const double size : {-0.1, 1001.0, std::nan("")})
    CHECK(refusal(dut, with([&](Drawn& d) { d.size = size; })) ==
          "the drawing 'x' has a size that is not from 0 to 1000 m");
  for (const double far : {1.1e7, std::nan(""), std::numeric_limits<double>::infinity()})
    CHECK(refusal(dut, with([&](Drawn& d) { d.points[1].y = far; })) ==
          "the drawing 'x' has a point that is no number, or more than 10,000 km away");
  CHECK(dut.all().empty());
}

TEST_CASE("there is an end to how much is drawn") {
  Drawings dut;
  for (std::size_t i = 0; i < kMaxDrawings; ++i) REQUIRE(dut.change({}, false, {line("d" + std::to_string(i))}));
  CHECK(refusal(dut, line("one more")) == "there are 1000 drawings, which is the limit");
  CHECK(refusal(dut, line("d7")) == "");

  Drawn large = line("large");
  large.points.assign(kMaxDrawnBytes / 44 - 10, {});
  REQUIRE(dut.change({}, true, {large}));
  CHECK(refusal(dut, line("one more")) == "all drawings together would have more than 1 MB, which is the limit");
  CHECK(refusal(dut, large) == "");
}

TEST_CASE("a drawing ends with its time, its entity, or the run") {
  World world = world_of_one();
  Drawings dut;
  Drawn brief = line("brief"), carried = line("carried");
  brief.until = at(2), carried.frame = WorldNumber(1);
  REQUIRE(dut.change({}, false, {brief, carried, line("stays")}));
  const std::uint64_t first = dut.revision();

  dut.follow(world, 0, at(1.9));
  CHECK(dut.all().size() == 3);
  CHECK(dut.revision() == first);
  dut.follow(world, 0, at(2));
  CHECK(!dut.all().contains("brief"));
  CHECK(dut.revision() == first + 1);
  world.apply(Delete{WorldNumber(1)}, at(3));
  dut.follow(world, 0, at(3));
  CHECK(!dut.all().contains("carried"));
  CHECK(dut.all().contains("stays"));
  dut.follow(world, 1, at(0));
  CHECK(dut.all().empty());
  CHECK(dut.revision() == first + 3);
}

}  // namespace drawings_test
