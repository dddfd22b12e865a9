#include "film/view.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/approx.h"
#include "core/pose.h"
#include "sensing/camera.h"

namespace view_test {

using namespace convoy;
using namespace convoy::film;

namespace {

// Where a camera sees a point, in pixels; `ahead`: along its axis, m.
struct Spot {
  double x = 0, y = 0, ahead = 0;
};
Spot spot_of(const Pose& X_WC, const PictureLens& lens, const Vec3& p_W) {
  const Vec3 p = X_WC.inverse() * p_W;
  return {lens.fx * p.x / p.z + lens.cx, lens.fy * p.y / p.z + lens.cy, p.z};
}

std::shared_ptr<const Shapes> one(Shape shape) {
  Shapes out;
  out.links.push_back({"base", Link::Base::kRobot, kNoPart, 0, {}, {}});
  out.shapes.push_back(std::move(shape));
  return std::make_shared<const Shapes>(std::move(out));
}
Shape of_kind(Shape::Kind kind, const Vec3& size) {
  Shape out;
  out.kind = kind, out.size = size;
  return out;
}
PictureBody body(Shape shape, const Pose& X_WL, std::uint32_t number = 1) {
  return {WorldNumber(number), 3, one(std::move(shape)), {X_WL}};
}

constexpr PictureSize kSize{640, 360};

struct Nowhere {
  World world;
  PictureScene scene;
  Nowhere() : world(std::move(*World::make(Setup{}))) {}
  Seen seen() const { return {world, scene}; }
};

}  // namespace

TEST_CASE("a box around what is turned holds its corners, and planes without end hold nothing") {
  Extents dut;
  const double eighth = math::kPi / 4;
  const Box box = dut.of(body(of_kind(Shape::Kind::kBox, {1, 1, 0.5}), {{2, 0, 1}, from_yaw(eighth)}));

  CHECK(box.high.x == approx(2 + std::sqrt(2.0)));
  CHECK(box.low.y == approx(-std::sqrt(2.0)));
  CHECK(box.high.z == approx(1.5));
  CHECK(dut.of(body(of_kind(Shape::Kind::kPlane, {0, 0, 0}), {})).empty());
  CHECK(dut.of(body(of_kind(Shape::Kind::kCapsule, {0.1, 0.4, 0}), {})).high.z == approx(0.5));
}

TEST_CASE("what nobody sees does not count") {
  Shape hidden = of_kind(Shape::Kind::kSphere, {9, 0, 0});
  hidden.visible = false;
  CHECK(Extents().of(body(hidden, {})).empty());
}

TEST_CASE("a box is in the picture with all of its corners, and fills it one way") {
  const PictureLens lens = lens_of(CameraModel{.width = 640, .height = 360, .field = 0.7});
  for (const Box& box : {Box{{-5, -4, 0}, {5, 4, 1}}, Box{{10, 10, 0}, {11, 60, 3}}, Box{{0, 0, 0}, {2, 2, 9}}})
    for (const Quat& q :
         {optical_frame({{}, from_yaw(0.3)}).q, optical_frame({{}, from_yaw(1) * from_axis_angle({0, 1, 0}, 0.7)}).q,
          optical_frame({{}, from_axis_angle({0, 1, 0}, math::kPi / 2)}).q}) {
      const Pose X_WC = place_before({&box, 1}, q, lens);
      double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
      for (const double x : {box.low.x, box.high.x})
        for (const double y : {box.low.y, box.high.y})
          for (const double z : {box.low.z, box.high.z}) {
            const Spot spot = spot_of(X_WC, lens, {x, y, z});
            CHECK(spot.ahead > 0);
            left = std::min(left, spot.x), right = std::max(right, spot.x);
            top = std::min(top, spot.y), bottom = std::max(bottom, spot.y);
          }
      CHECK(left > 0);
      CHECK(right < 639);
      CHECK(top > 0);
      CHECK(bottom < 359);
      CHECK((right - left > 0.85 * 640 || bottom - top > 0.85 * 360));
      CHECK(left == approx(639 - right).epsilon(0.01));
      CHECK(top == approx(359 - bottom).epsilon(0.01));
    }
}

TEST_CASE("a point is looked at from before it") {
  const PictureLens lens = lens_of(CameraModel{.width = 640, .height = 360, .field = 0.7});
  const Box point{{1, 2, 3}, {1, 2, 3}};
  const Pose X_WC = place_before({&point, 1}, optical_frame({}).q, lens);
  CHECK(spot_of(X_WC, lens, {1, 2, 3}).ahead >= 0.5);
}

TEST_CASE("from above y is upwards, and the scenery is there as well as the bodies") {
  Stage stage;
  stage.bodies[WorldNumber(1)] = {{-1, -1, 0}, {1, 1, 0.5}};
  stage.scenery.add(Box{{-20, -10, 0}, {20, 10, 2}});
  const Nowhere nowhere;
  const Shot shot = *view_from_above(stage, kSize)->shot(nowhere.seen());
  const Spot middle = spot_of(shot.X_WC, shot.lens, {0, 0, 0}), north = spot_of(shot.X_WC, shot.lens, {0, 10, 0}),
             east = spot_of(shot.X_WC, shot.lens, {20, 0, 0});

  CHECK(middle.x == approx(319.5));
  CHECK(north.x == approx(319.5));
  CHECK(north.y < middle.y);
  CHECK(north.y > 0);
  CHECK(east.x > middle.x);
  CHECK(east.x < 639);
}

TEST_CASE("obliquely the bodies fill the picture, however far the scenery goes") {
  Stage stage;
  stage.bodies[WorldNumber(1)] = {{-1, -1, 0}, {1, 1, 0.5}};
  stage.bodies[WorldNumber(2)] = {};  // a program: nobody sees it
  stage.scenery.add(Box{{-500, -500, 0}, {500, 500, 2}});
  const Nowhere nowhere;
  const Shot shot = *oblique_view(stage, kSize)->shot(nowhere.seen());
  const Spot low = spot_of(shot.X_WC, shot.lens, {-1, -1, 0}), high = spot_of(shot.X_WC, shot.lens, {1, 1, 0.5});

  CHECK(low.y - high.y > 60);
  CHECK(norm(shot.X_WC.p) < 12);
}

TEST_CASE("with nothing to see there is a picture all the same") {
  const Nowhere nowhere;
  CHECK(oblique_view({}, kSize)->shot(nowhere.seen()));
  CHECK(view_from_above({}, kSize)->shot(nowhere.seen()));
  CHECK_FALSE(following_view("nobody", kSize, std::chrono::milliseconds(33))->shot(nowhere.seen()));
}

TEST_CASE("through a camera there is what the camera sees, and in colour") {
  CameraModel model{.width = 320, .height = 240, .color = false, .depth = true, .others = false};
  SensorSpec eye;
  eye.name = "eye", eye.type = "camera", eye.X_LS.p = {0, 0, 0.5}, eye.parameters = save(model);
  Setup setup;
  setup.models = built_in_models();
  EntitySpec robot;
  robot.name = "one", robot.model = "turtlebot3_burger", robot.pose.p = {3, 4, 0}, robot.sensors = {eye};
  setup.entities = {robot};
  const World world = *World::make(setup);
  ShapeBook book;
  const PictureScene scene;
  const auto shot = camera_view("one", "eye", kSize, book)->shot({world, scene});
  REQUIRE(shot);
  CHECK(shot->X_WC.p == Vec3{3, 4, 0.5});
  CHECK(shot->color);
  CHECK_FALSE(shot->depth);
  CHECK(shot->alone == kNoEntity);
  CHECK(shot->lens.height == 360);
  CHECK(shot->lens.width == 480);
}

}  // namespace view_test
