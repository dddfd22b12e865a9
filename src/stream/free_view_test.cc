#include "stream/free_view.h"

#include <doctest/doctest.h>

#include "core/pose.h"
#include "sensing/camera.h"

namespace free_view_test {

using namespace convoy;
using namespace convoy::stream;

namespace {

// From 5 m above, looking north and down to the ground 5 m ahead.
struct Rig {
  World world{};
  PictureScene scene;
  FreeView view{from_south(), 640, 480};

  static Shot from_south() {
    const Quat q = optical_frame({{}, from_yaw(1.5707963) * from_axis_angle({0, 1, 0}, 0.7853982)}).q;
    return {.X_WC = {{0, -5, 5}, q},
            .lens = {.width = 640, .height = 480, .fx = 500, .fy = 500, .cx = 319.5, .cy = 239.5}};
  }
  Pose pose() { return view.shot({world, scene})->X_WC; }
  Vec3 gaze() { return rotate(pose().q, {0, 0, 1}); }
  void drag(int button, double dx, double dy) {
    view.take(ButtonChange{.button = static_cast<std::uint8_t>(button), .down = true});
    view.take(MouseMove{.dx = dx, .dy = dy});
    view.take(ButtonChange{.button = static_cast<std::uint8_t>(button)});
  }
};

}  // namespace

TEST_CASE("a free view begins as the view that it is given") {
  Rig rig;
  const Pose pose = rig.pose(), first = Rig::from_south().X_WC;
  CHECK(norm(pose.p - first.p) < 1e-5);
  CHECK(norm(rotate(pose.q, {1, 0, 0}) - rotate(first.q, {1, 0, 0})) < 1e-5);
  CHECK(norm(rig.gaze() - rotate(first.q, {0, 0, 1})) < 1e-5);
}

TEST_CASE("dragging to the left turns it around what it looks at, which stays in the middle") {
  Rig rig;
  const double distance = norm(rig.pose().p);
  rig.drag(0, -0.2, 0);
  CHECK(rig.pose().p.x > 0.5);  // what is near goes along with the pointer
  CHECK(norm(rig.pose().p) == doctest::Approx(distance));
  CHECK(norm(rig.pose().p + distance * rig.gaze()) < 1e-5);  // the origin, where it looked before
  // It never turns over.
  rig.drag(0, 0, 5);
  CHECK(rig.gaze().z < -0.99);
  CHECK(rotate(rig.pose().q, {0, 1, 0}).z <= 0);
}

TEST_CASE("the wheel goes nearer, and never through") {
  Rig rig;
  const double distance = norm(rig.pose().p);
  rig.view.take(WheelTurn{.delta = 120});
  CHECK(norm(rig.pose().p) < 0.9 * distance);
  for (int i = 0; i < 200; ++i) rig.view.take(WheelTurn{.delta = 1200});
  CHECK(norm(rig.pose().p) == doctest::Approx(0.2));
}

TEST_CASE("the right button takes the ground along") {
  Rig rig;
  const Vec3 before = rig.pose().p;
  rig.drag(2, 0.1, 0);  // to the right, which is east: the camera goes west
  CHECK(rig.pose().p.x < before.x - 0.5);
  CHECK(rig.pose().p.z == doctest::Approx(before.z));
}

TEST_CASE("keys move for as long as they are held, and let go when the pointer leaves") {
  Rig rig;
  const double y = rig.pose().p.y;
  rig.view.take(KeyChange{.code = 'W', .down = true});
  CHECK(rig.view.moves());
  rig.view.on_time(std::chrono::milliseconds(100));
  CHECK(rig.pose().p.y > y + 0.3);
  rig.view.take(MouseLeft{});
  CHECK_FALSE(rig.view.moves());
}

TEST_CASE("two fingers that part go nearer") {
  Rig rig;
  const double distance = norm(rig.pose().p);
  using Kind = Touches::Kind;
  rig.view.take(Touches{Kind::kStart, {{0.4, 0.5, 0}, {0.6, 0.5, 1}}});
  rig.view.take(Touches{Kind::kMove, {{0.35, 0.5, 0}, {0.65, 0.5, 1}}});
  CHECK(norm(rig.pose().p) == doctest::Approx(distance / 1.5));
}

}  // namespace free_view_test
