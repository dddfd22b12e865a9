// What pictures look like: textures, weather, light, shadows, and what can be seen through.
#include <doctest/doctest.h>

#include "core/math.h"
#include "core/pose.h"
#include "render/picture_rig.h"

namespace look_test {

using namespace convoy;
using namespace convoy::render;
using namespace convoy::render::rig;

namespace {

Texture checkers() {  // black where it begins, then white
  Texture out{2, 2, 1, false, {0, 255, 255, 0}};
  return out;
}

}  // namespace

TEST_CASE("a texture's cells are where they belong, on planes, boxes and meshes") {
  const auto dut = renderer();
  const auto with = [](Shapes shapes) {
    Material tiles;
    tiles.texture = 0;
    shapes.textures = {checkers()}, shapes.materials = {tiles};
    for (Shape& s : shapes.shapes) s.material = 0, s.color = {255, 255, 255, 255};
    return item(std::move(shapes), 1, 1, {{2, 0, 0}, {}});
  };
  // Seen from below the camera's axis: the plane's x is to the right, its y upwards.
  const Quat facing = unit({0.5, 0.5, -0.5, -0.5});
  Shapes plane, mesh;
  plane.shapes = {shape(Kind::kPlane, {0.5, 0.5, 0}, {{}, facing})};
  for (const auto& [x, y] : {std::pair{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}}) {
    mesh.meshes.resize(1);
    add_corner(mesh.meshes[0], x, y, 0);
  }
  add_triangle(mesh.meshes[0], 0, 1, 2), add_triangle(mesh.meshes[0], 0, 2, 3);
  for (const float uv : {0.f, 1.f, 1.f, 1.f, 1.f, 0.f, 0.f, 1.f, 1.f, 0.f, 0.f, 0.f})
    Writer(mesh.meshes[0].texture).raw(&uv, 4);
  mesh.shapes = {shape(Kind::kMesh, {}, {{}, facing})}, mesh.shapes[0].data = 0;
  for (const Shapes& shapes : {plane, mesh}) {
    const Picture p = drawn(*dut, {with(shapes)}, view());
    // 15 pixels a cell each way; the texture's first row is the upper one. Between cells it is smooth.
    const auto cell = [&](int x, int y) {
      return colour(p, static_cast<std::uint32_t>(40 + x), static_cast<std::uint32_t>(30 + y))[1];
    };
    CHECK(cell(-8, -8) < 60);
    CHECK(cell(8, -8) > 120);
    CHECK(cell(-8, 8) > 120);
    CHECK(cell(8, 8) < 60);
  }
}

TEST_CASE("a far checkerboard is as bright as a near one on the whole, and calm") {
  const auto dut = renderer();
  Shapes shapes;
  Material tiles;
  tiles.texture = 0, tiles.uniform = true, tiles.repeat_x = tiles.repeat_y = 2;
  shapes.textures = {checkers()}, shapes.materials = {tiles};
  shapes.shapes = {shape(Kind::kPlane, {}, {}, {255, 255, 255, 255})}, shapes.shapes[0].material = 0;
  View v = view(121, 121, 100);
  v.X_WC = {{0.013, 0, 60}, kAlongX * from_axis_angle({1, 0, 0}, -math::kPi / 2)};

  const Picture p = drawn(*dut, {item(shapes, 1)}, v, weather(12));

  const Rgb8 middle = colour(p, 60, 60);
  CHECK(difference(middle, colour(p, 50, 57)) < 12);
  CHECK(middle[1] > 120);  // the mean of light, not of bytes
  CHECK(middle[1] < 215);
}

TEST_CASE("fog hides what is far in the colour of the sky behind it, and nothing near") {
  for (const Quality quality : {Quality::kPlain, Quality::kNice}) {
    const auto dut = renderer({.quality = quality});
    const std::vector<Item> near{item(shape(Kind::kBox, {0.5, 0.4, 0.3}), 1, 1, {{2, 0, 0}, {}})};
    const std::vector<Item> far{item(shape(Kind::kBox, {0.5, 40, 30}), 1, 1, {{200, 0, 0}, {}})};
    const Environment fog = weather(12, 1);

    const Rgb8 sky = colour(drawn(*dut, {}, view(), fog), 40, 30);

    CHECK(difference(colour(drawn(*dut, far, view(), fog), 40, 30), sky) <= 2);
    CHECK(difference(colour(drawn(*dut, near, view(), fog), 40, 30), sky) > 60);
    CHECK(difference(colour(drawn(*dut, far, view(), weather(12)), 40, 30), sky) > 60);
  }
}

TEST_CASE("nights are dark and not black, lamps shine in them, and rain and wet ground are seen") {
  for (const Quality quality : {Quality::kPlain, Quality::kNice}) {
    const auto dut = renderer({.quality = quality});
    const std::vector<Item> items{item(shape(Kind::kPlane, {}, {{0, 0, -0.5}, {}}, {150, 150, 150, 255}), 1)};
    const auto bright = [&](const Environment& e) { return brightness(drawn(*dut, items, view(), e)); };

    CAPTURE(static_cast<int>(quality));
    const int noon = bright(weather(12)), night = bright(weather(0));
    CHECK(night < noon / 2);
    CHECK(night > 15);
    CHECK(bright(weather(18)) > night);
    CHECK(bright(weather(18)) < noon);
    CHECK(!(drawn(*dut, items, view(), weather(12, 0, 0, 1)).rgb == drawn(*dut, items, view(), weather(12)).rgb));
    CHECK(!(drawn(*dut, items, view(), weather(12, 0, 1)).rgb == drawn(*dut, items, view(), weather(12)).rgb));

    Shapes lamp;
    Material glow;
    glow.emission = 1;
    lamp.materials = {glow};
    lamp.shapes = {shape(Kind::kSphere, {0.5, 0, 0}, {}, {255, 240, 200, 255})};
    const int unlit = colour(drawn(*dut, {item(lamp, 1, 1, {{2, 0, 0}, {}})}, view(), weather(0)), 40, 30)[0];
    lamp.shapes[0].material = 0;
    CHECK(colour(drawn(*dut, {item(lamp, 1, 1, {{2, 0, 0}, {}})}, view(), weather(0)), 40, 30)[0] > unlit + 60);
  }
}

TEST_CASE("rain falls with the scene's time, and with nothing else") {
  const auto dut = renderer({.quality = Quality::kNice});
  const auto at_time = [&](double time, const Environment& e) {
    auto made = dut->render({{}, e, time}, view());
    REQUIRE(made);
    return std::move(made->rgb);
  };

  CHECK(!(at_time(1, weather(12, 0, 1)) == at_time(1.05, weather(12, 0, 1))));
  CHECK(at_time(1, weather(12, 0, 1)) == at_time(1, weather(12, 0, 1)));
  CHECK(at_time(1, weather(12)) == at_time(1.05, weather(12)));
}

TEST_CASE("things throw shadows where they are asked for") {
  View v = view(121, 91, 90);
  v.X_WC = {{-3, 0, 3}, kAlongX * from_axis_angle({1, 0, 0}, -0.75)};
  const Item ground = item(shape(Kind::kPlane, {}, {}, {180, 180, 180, 255}), 1);
  const Item post = item(shape(Kind::kBox, {0.3, 0.3, 0.8}, {{0, 0, 0.8}, {}}), 2);
  using Shadows = RendererOptions::Shadows;
  for (const auto& [quality, shadows, expected] : {std::tuple{Quality::kPlain, Shadows::kByQuality, false},
                                                   {Quality::kPlain, Shadows::kOn, true},
                                                   {Quality::kNice, Shadows::kByQuality, true},
                                                   {Quality::kNice, Shadows::kOff, false}}) {
    const auto dut = renderer({.quality = quality, .shadows = shadows, .lines = false});
    const Picture bare = drawn(*dut, {ground}, v), with = drawn(*dut, {ground, post}, v);
    std::size_t darker = 0, brighter = 0;
    for (std::uint32_t y = 0; y < v.height; ++y)
      for (std::uint32_t x = 0; x < v.width; ++x) {
        if (with.instance[at(with, x, y)] != 1) continue;
        const int change = colour(with, x, y)[1] - colour(bare, x, y)[1];
        darker += change<-20, brighter += change> 3;
      }
    CHECK((darker > 300) == expected);
    if (quality == Quality::kNice) continue;  // whose edges are a mixture
    CHECK((darker == 0) == !expected);
    CHECK(brighter == 0);
  }
}

TEST_CASE("what can be seen through is blended from the back, whatever the order, and named from a half on") {
  const auto dut = renderer();
  const auto pane = [](double x, const Color& color, std::uint32_t id) {
    return item(shape(Kind::kBox, {0.01, 0.5, 0.5}, {}, color), id, 1, {{x, 0, 0}, {}});
  };
  const Item red = pane(2, {255, 0, 0, 160}, 1), blue = pane(3, {0, 0, 255, 160}, 2),
             faint = pane(1.5, {0, 255, 0, 100}, 3);

  const Picture a = drawn(*dut, {red, blue}, view()), b = drawn(*dut, {blue, red}, view());
  CHECK(a == b);
  CHECK(a.instance[at(a, 40, 30)] == 1);
  CHECK(a.depth[at(a, 40, 30)] == doctest::Approx(1.99));
  CHECK(colour(a, 40, 30)[0] > colour(a, 40, 30)[2]);

  const Picture c = drawn(*dut, {faint, red}, view());
  CHECK(c.instance[at(c, 40, 30)] == 1);
  CHECK(c.depth[at(c, 40, 30)] == doctest::Approx(1.99));
  CHECK(colour(c, 40, 30)[1] > colour(drawn(*dut, {red}, view()), 40, 30)[1] + 30);
}

TEST_CASE("an empty world is sky") {
  const auto dut = renderer({.quality = Quality::kNice});

  const Picture p = drawn(*dut, {}, view(), weather(12));

  CHECK(std::all_of(p.depth.begin(), p.depth.end(), [](float z) { return z == kInfinity; }));
  CHECK(std::all_of(p.instance.begin(), p.instance.end(), [](std::uint32_t id) { return id == kNothing; }));
  CHECK(colour(p, 40, 0)[2] > colour(p, 40, 0)[0]);
}

TEST_CASE("a fingerprint is the same each time") {
  const auto first = fingerprint(), second = fingerprint();

  if (!first) FAIL(first.error().message());
  CHECK(*first == *second);
  CHECK(*first != 0);
}

}  // namespace look_test
