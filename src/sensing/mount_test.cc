// Where mounted sensors are, and how they move.
#include "sensing/mount.h"

#include <doctest/doctest.h>

#include "core/math.h"
#include "core/pose.h"
#include "world/model.h"

namespace mount_test {

using namespace convoy;

namespace {

// A mast that turns about z at x = 1, with a boom that slides out along its x.
struct Crane {
  Model model;
  Shapes shapes;
  State state;
  std::vector<double> tail;  // turn, slide; rad/s, m/s

  Crane() : tail(4) {
    model.joints = {"turn", "slide"};
    Link mast, boom;
    mast.name = "mast", mast.base = Link::Base::kRobot, mast.X_PL.p = {1, 0, 0};
    mast.joints = {{LinkJoint::Type::kHinge, 0, {}, {0, 0, 1}, 0, 0}};
    boom.name = "boom", boom.base = Link::Base::kLink, boom.parent = 0, boom.X_PL.p = {0, 0, 2};
    boom.joints = {{LinkJoint::Type::kSlide, 1, {}, {1, 0, 0}, 0, 0}};
    shapes.links = {mast, boom};
  }
  MountedFrame place(const char* link, const Vec3& at) const {
    SensorSpec spec;
    spec.link = link, spec.X_LS.p = at;
    return place_mount(spec, {model, shapes, state, {}, tail});
  }
};

void check_near(const Vec3& a, const Vec3& b, double within = 1e-8) { CHECK(norm(a - b) < within); }

}  // namespace

TEST_CASE("on the robot's own frame a sensor moves as a point of a rigid body") {
  Crane crane;
  crane.state.pose = {{3, 4, 0}, from_yaw(math::kPi / 2)};
  crane.state.twist = {{0, 1, 0}, {0, 0, 2}};
  const MountedFrame s = crane.place("", {0.5, 0, 0.1});
  check_near(s.X_WS.p, {3, 4.5, 0.1});
  check_near(s.v_WS_W.v, {-1, 1, 0});  // 2 rad/s, half a metre ahead
  check_near(s.v_WS_W.w, {0, 0, 2});
}

TEST_CASE("on a link it moves with the joints and the robot") {
  Crane crane;
  crane.tail = {math::kPi / 2, 0.5, 3, 0.2};
  crane.state.twist.v = {0, 0, 0.7};
  const MountedFrame s = crane.place("boom", {0.1, 0, 0});
  check_near(s.X_WS.p, {1, 0.6, 2});
  check_near(s.v_WS_W.v, {-3 * 0.6, 0.2, 0.7}, 1e-6);
  check_near(s.v_WS_W.w, {0, 0, 3}, 1e-6);
  crane.state.twist.w = {0, 0, -3};  // the robot turns against the mast
  check_near(crane.place("boom", {0.1, 0, 0}).v_WS_W.w, {}, 1e-6);
}

TEST_CASE("a ball joint's three velocities turn its link in the link's own frame") {
  Crane crane;
  crane.model.joints = {"ball:qw", "ball:qx", "ball:qy", "ball:qz"};
  crane.shapes.links.resize(1);
  crane.shapes.links[0].joints = {{LinkJoint::Type::kBall, 0, {}, {0, 0, 1}, 0, 0}};
  const Quat q = from_axis_angle({1, 0, 0}, math::kPi / 2);  // its y is up
  crane.tail = {q.w, q.x, q.y, q.z, 0, 0, 1.5, 0};
  check_near(crane.place("mast", {}).v_WS_W.w, {0, 0, 1.5}, 1e-6);
}

}  // namespace mount_test
