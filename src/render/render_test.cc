// Pictures: where things are in them, who they are, and that nothing else matters.
#include <doctest/doctest.h>

#include <optional>
#include <set>
#include <thread>

#include "core/math.h"
#include "core/pose.h"
#include "render/context.h"
#include "render/geometry.h"
#include "render/picture_rig.h"

namespace render_test {

using namespace convoy;
using namespace convoy::render;
using namespace convoy::render::rig;

TEST_CASE("a red box in front is red in the middle, at its distance, and named") {
  const auto dut = renderer();

  const Picture p = drawn(*dut, {item(shape(Kind::kBox, {0.5, 0.4, 0.3}), 77, 5, {{2, 0, 0}, {}})}, view());

  const std::size_t middle = at(p, 40, 30);
  CHECK(p.depth[middle] == doctest::Approx(1.5).epsilon(1e-6));
  CHECK(p.instance[middle] == 77);
  CHECK(p.category[middle] == 5);
  const Rgb8 red = colour(p, 40, 30);
  CHECK(red[0] > 80);
  CHECK(red[0] > 3 * red[1]);
  CHECK(red[0] > 3 * red[2]);
  // It reaches 0.4 m to each side at 1.5 m, which is 16 pixels, and 0.3 m up and down, which is 12.
  CHECK(p.instance[at(p, 25, 30)] == 77);
  CHECK(p.instance[at(p, 55, 30)] == 77);
  CHECK(p.instance[at(p, 23, 30)] == kNothing);
  CHECK(p.instance[at(p, 57, 30)] == kNothing);
  CHECK(p.instance[at(p, 40, 19)] == 77);
  CHECK(p.instance[at(p, 40, 17)] == kNothing);
  CHECK(p.depth[at(p, 2, 2)] == kInfinity);
}

TEST_CASE("the picture is neither mirrored nor upside down, and its principal point may be anywhere") {
  const auto dut = renderer();
  View v = view();
  v.cx = 20, v.cy = 50, v.fx = 50, v.fy = 40;

  // Left of the axis (W's +y) and above it.
  const Picture p = drawn(*dut, {item(shape(Kind::kSphere, {0.02, 0, 0}), 1, 1, {{2, 0.4, 1}, {}})}, v);

  // x = -0.4 / 2 * 50 + 20, y = -1 / 2 * 40 + 50.
  CHECK(p.instance[at(p, 10, 30)] == 1);
  CHECK(std::count(p.instance.begin(), p.instance.end(), 1u) == 1);
}

TEST_CASE("ids come back bit by bit in both qualities, and no others") {
  std::vector<Item> items;
  std::set<std::uint32_t> given{kNothing};
  for (int i = 0; i < 12; ++i) {
    const auto id = static_cast<std::uint32_t>(0xFFFFFFFFu - 0x01010101u * static_cast<unsigned>(i));
    items.push_back(item(shape(i % 2 ? Kind::kSphere : Kind::kBox, {0.3, 0.3, 0.3}), id,
                         static_cast<std::uint16_t>(65535 - i),
                         {{4.0 + i % 3, -2.0 + 0.35 * i, 0.4 * (i % 4) - 0.6}, from_yaw(i)}));
    given.insert(id);
  }
  const auto plain = renderer(), nice = renderer({.quality = Quality::kNice});

  const Picture a = drawn(*plain, items, view(200, 150, 150)), b = drawn(*nice, items, view(200, 150, 150));

  const std::set<std::uint32_t> seen(a.instance.begin(), a.instance.end());
  CHECK(seen == given);
  CHECK(a.instance == b.instance);
  CHECK(a.category == b.category);
  CHECK(a.depth == b.depth);
  for (std::size_t i = 0; i < a.instance.size(); ++i)
    if (a.instance[i] == 0xFFFFFFFFu) CHECK(a.category[i] == 65535);
}

TEST_CASE("a picture depends on nothing that was drawn before, nor on who draws it, nor on what else is asked for") {
  for (const Quality quality : {Quality::kPlain, Quality::kNice}) {
    const auto dut = renderer({.quality = quality});
    std::vector<Item> a{item(shape(Kind::kPlane, {}, {{0, 0, -0.5}, {}}, {120, 130, 120, 255}), 1),
                        item(shape(Kind::kBox, {0.5, 0.4, 0.3}), 2, 1, {{3, 0.4, 0}, from_yaw(0.6)}),
                        item(shape(Kind::kCapsule, {0.3, 0.4, 0}, {}, {30, 80, 200, 120}), 3, 1, {{2, -0.4, 0}, {}})};
    const std::vector<Item> b{item(shape(Kind::kSphere, {0.7, 0, 0}), 4, 1, {{2, 0, 0}, {}})};
    const Environment foul = weather(18, 0.2, 0.7, 0.6, 0.5);

    const Picture first = drawn(*dut, a, view(), foul);
    (void)drawn(*dut, b, view(640, 480, 300), weather(12));
    (void)drawn(*dut, b, view(33, 77, 30), weather(12));
    const Picture again = drawn(*dut, a, view(), foul);
    CHECK(first == again);

    CHECK(drawn(*renderer({.quality = quality}), a, view(), foul) == first);

    std::optional<Picture> elsewhere;
    std::thread([&] { elsewhere = drawn(*renderer({.quality = quality}), a, view(), foul); }).join();
    CHECK(*elsewhere == first);
    std::thread([&] { elsewhere = drawn(*dut, a, view(), foul); }).join();  // the same one, handed over
    CHECK(*elsewhere == first);

    View colour_alone = view();
    colour_alone.channels = {true, false, false};
    CHECK(drawn(*dut, a, colour_alone, foul).rgb == first.rgb);
    View depth_alone = view();
    depth_alone.channels = {false, true, false};
    const Picture depth = drawn(*dut, a, depth_alone, foul);
    CHECK(depth.depth == first.depth);
    CHECK(depth.rgb.empty());
    CHECK(depth.instance.empty());
    View ids_alone = view();
    ids_alone.channels = {false, false, true};
    CHECK(drawn(*dut, a, ids_alone, foul).instance == first.instance);
  }
}

TEST_CASE("several views of one call are those of a call each") {
  const auto dut = renderer();
  const std::vector<Item> items{item(shape(Kind::kPlane, {}, {{0, 0, -0.5}, {}}, {120, 130, 120, 255}), 1),
                                item(shape(Kind::kCylinder, {0.5, 0.4, 0}), 2, 1, {{3, 0.4, 0}, from_yaw(0.6)})};
  std::vector<View> views;
  for (std::uint32_t i = 0; i < 20; ++i) {
    views.push_back(view(20 + 3 * (i % 4), 24, 20));
    views.back().X_WC.p = {-0.1 * i, 0.05 * i, 0.02 * i};
    views.back().channels = {i % 5 != 4, i % 2 == 0, i % 3 == 0 || i % 5 == 4};
  }

  const auto all = dut->render({items, {}, 0}, views);

  REQUIRE(all);
  REQUIRE(all->size() == views.size());
  for (std::size_t i = 0; i < views.size(); ++i) CHECK((*all)[i] == drawn(*dut, items, views[i]));
}

TEST_CASE("a model that takes the place of another in memory is another") {
  const auto dut = renderer();
  for (int i = 0; i < 20; ++i) {
    const bool is_box = i % 2 == 0;
    const Picture p =
        drawn(*dut, {item(shape(is_box ? Kind::kBox : Kind::kSphere, {0.5, 0.5, 0.5}), 1, 1, {{2, 0, 0}, {}})}, view());
    CHECK((p.instance[at(p, 22, 12)] == 1) == is_box);  // a corner, that no ball has
  }
}

TEST_CASE("what is nearer than near is not there, and what is hidden is not drawn") {
  const auto dut = renderer();
  View v = view();
  v.near = 1.2;
  Shape hidden = shape(Kind::kBox, {0.1, 5, 5}, {{1.5, 0, 0}, {}});
  hidden.visible = false;

  const Picture p = drawn(*dut,
                          {item(shape(Kind::kBox, {0.1, 5, 5}, {{1, 0, 0}, {}}), 1), item(hidden, 2),
                           item(shape(Kind::kBox, {0.1, 5, 5}, {{4, 0, 0}, {}}), 3)},
                          v);

  CHECK(p.instance[at(p, 40, 30)] == 3);
}

TEST_CASE("a lens bends the picture as plumb_bob says, and an inert one not at all") {
  const auto dut = renderer();
  View v = view(161, 121, 100);
  // A small ball at (0.5, 0.3) on the plane 1 m ahead.
  const std::vector<Item> ball{item(shape(Kind::kSphere, {0.03, 0, 0}), 1, 1, {{1, -0.5, -0.3}, {}})};
  v.lens = {-0.2, 0.05, 0.001, -0.002, 0.01};
  const double x = 0.5, y = 0.3, r2 = x * x + y * y, k = 1 + r2 * (-0.2 + r2 * (0.05 + r2 * 0.01));
  const double u = 100 * (x * k + 2 * 0.001 * x * y - 0.002 * (r2 + 2 * x * x)) + v.cx;
  const double w = 100 * (y * k + 0.001 * (r2 + 2 * y * y) + 2 * -0.002 * x * y) + v.cy;

  const Picture p = drawn(*dut, ball, v);

  double sum_x = 0, sum_y = 0, count = 0;
  for (std::uint32_t i = 0; i < v.height; ++i)
    for (std::uint32_t j = 0; j < v.width; ++j)
      if (p.instance[at(p, j, i)] == 1) sum_x += j, sum_y += i, ++count;
  REQUIRE(count > 10);
  CHECK(std::fabs(sum_x / count - u) < 0.5);
  CHECK(std::fabs(sum_y / count - w) < 0.5);

  v.lens = {};
  const Picture straight = drawn(*dut, ball, v);
  v.lens.k1 = 1e-12;
  const Picture barely = drawn(*dut, ball, v);
  CHECK(straight.instance == barely.instance);
  for (std::size_t i = 0; i < straight.depth.size(); ++i)
    if (straight.instance[i] == 1) CHECK(straight.depth[i] == doctest::Approx(barely.depth[i]).epsilon(1e-5));
  CHECK(straight.rgb == barely.rgb);
}

TEST_CASE("views and scenes that make no sense are refused, with the reason") {
  const auto dut = renderer();
  const auto said = [&](const View& v, const std::vector<Item>& items = {}, const Environment& e = {}) {
    const auto made = dut->render({items, e, 0}, v);
    return made ? std::string() : made.error().message();
  };
  const auto with = [](auto change) {
    View out = view();
    change(out);
    return out;
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

  CHECK(said(view()).empty());
  CHECK(said(with([](View& v) { v.width = 0; })).find("at least one pixel") != std::string::npos);
  CHECK(said(with([](View& v) { v.width = 16'385; })).find("too large: its sides may have 16384") != std::string::npos);
  CHECK(said(with([](View& v) { v.width = v.height = 16'384; })).find("too large: it may have 67108864") !=
        std::string::npos);
  CHECK(said(with([](View& v) { v.X_WC.p.x = kNan; })).find("pose") != std::string::npos);
  CHECK(said(with([](View& v) { v.X_WC.q = {0, 0, 0, 0}; })).find("pose") != std::string::npos);
  CHECK(said(with([](View& v) { v.fx = kNan; })).find("focal") != std::string::npos);
  CHECK(said(with([](View& v) { v.cy = kNan; })).find("principal") != std::string::npos);
  CHECK(said(with([](View& v) { v.near = 0; })).find("near") != std::string::npos);
  CHECK(said(with([](View& v) { v.far = v.near; })).find("far") != std::string::npos);
  CHECK(said(with([](View& v) { v.lens.k1 = kNan; })).find("lens") != std::string::npos);
  CHECK(said(with([](View& v) {
          v.lens.k1 = -50;
          v.lens.k2 = -50;
          v.cx = 1e5;
        })).find("lens") != std::string::npos);
  CHECK(said(with([](View& v) { v.channels = {false, false, false}; })).find("channel") != std::string::npos);
  Item lost = item(shape(Kind::kBox, {1, 1, 1}), 1);
  lost.X_WL.clear();
  CHECK(said(view(), {lost}).find("one pose a link") != std::string::npos);
  lost.X_WL = {Pose{{kNan, 0, 0}, {}}};
  CHECK(said(view(), {lost}).find("pose") != std::string::npos);
  CHECK(said(view(), {Item{}}).find("no shapes") != std::string::npos);
  CHECK(said(view(), {}, weather(12, 2)).find("fog") != std::string::npos);
}

TEST_CASE("a machine without EGL is told what to install") {
  const auto made = headless_context("libEGL_that_nobody_has.so.1");

  REQUIRE(!made);
  CHECK(made.error().code == ErrorCode::kUnsupported);
  CHECK(made.error().text.find("libegl1") != std::string::npos);
  CHECK(made.error().text.find("libgl1-mesa-dri") != std::string::npos);
  const auto other = headless_context("libm.so.6");
  REQUIRE(!other);
  CHECK(other.error().text.find("lacks functions of EGL") != std::string::npos);
}

TEST_CASE("a driver that lacks a function is told from one that has all") {
  Gl gl;
  int dummy = 0;
  const auto all_but = [&](std::string_view missing) {
    return load(gl, [&](const char* name) -> void* { return name == missing ? nullptr : &dummy; });
  };

  CHECK(all_but("") == "");
  CHECK(all_but("glClipControl") == "glClipControl");
  CHECK(all_but("glReadPixels") == "glReadPixels");
}

TEST_CASE("more is drawn of a round shape the larger it is, up to a bound") {
  CHECK(level_for(0) == 0);
  CHECK(level_for(1e9) == kLevels - 1);
  for (std::uint32_t level = 0; level + 1 < kLevels; ++level) {
    double radius = 0.1;
    while (level_for(radius) <= level) radius *= 1.01;
    CHECK(radius / 1.01 * (1 - math::cos(math::kPi / kSides[level])) < 0.31);  // pixels that its silhouette is wrong by
  }
}

}  // namespace render_test
