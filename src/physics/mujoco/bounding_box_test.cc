#include "physics/mujoco/bounding_box.h"
#include "core/approx.h"

#include <algorithm>
#include <numbers>

#include "core/random.h"
#include "physics/mujoco/library.h"
#include "physics/mujoco/numbers.h"
#include "physics/mujoco/testing.h"

namespace bounding_box_test {

using namespace convoy;
using namespace convoy::mujoco;

namespace {

class Dice {
 public:
  double between(double low, double high) { return rng_.uniform(low, high); }
  Vec3 vec(double most) { return {between(-most, most), between(-most, most), between(-most, most)}; }
  Pose pose(double most) { return {vec(most), unit({between(-1, 1), between(-1, 1), between(-1, 1), between(-1, 1)})}; }
  BoundingBox box() {
    BoundingBox out;
    const Vec3 center = vec(0.3);
    out.add(center - Vec3{between(0.01, 0.4), between(0.01, 0.4), between(0.01, 0.4)}), out.add(center);
    return out;
  }
  Vec3 in(const BoundingBox& box, const Pose& X) {  // corners, edges and faces above all
    const auto one = [this](double low, double high) {
      return std::clamp(between(1.5 * low - 0.5 * high, 1.5 * high - 0.5 * low), low, high);
    };
    return (X * Pose{{one(box.low.x, box.high.x), one(box.low.y, box.high.y), one(box.low.z, box.high.z)}, {}}).p;
  }

 private:
  Random rng_{1};
};

BoundingBox cube(double half) {
  BoundingBox out;
  out.add({-half, -half, -half}), out.add({half, half, half});
  return out;
}

bool holds(const BoundingBox& box, const Vec3& p) {
  constexpr double kSlack = 1e-6;  // sizes of meshes are floats
  const auto within = [](double low, double x, double high) { return x >= low - kSlack && x <= high + kSlack; };
  return within(box.low.x, p.x, box.high.x) && within(box.low.y, p.y, box.high.y) && within(box.low.z, p.z, box.high.z);
}

// The point of a geom that is farthest along u, in its own frame.
Vec3 farthest(const mjModel* m, int g, const Vec3& u) {
  const Vec3 s = vec(m->geom_size + 3 * g), end{0, 0, u.z < 0 ? -s.y : s.y};
  const auto sign = [](double a, double x) { return x < 0 ? -a : a; };
  const double flat = std::max(std::sqrt(u.x * u.x + u.y * u.y), 1e-12);
  switch (m->geom_type[g]) {
    case mjGEOM_SPHERE: return s.x * u;
    case mjGEOM_CAPSULE: return s.x * u + end;
    case mjGEOM_CYLINDER: return Vec3{s.x * u.x / flat, s.x * u.y / flat, 0} + end;
    case mjGEOM_BOX: return {sign(s.x, u.x), sign(s.y, u.y), sign(s.z, u.z)};
    case mjGEOM_ELLIPSOID: {
      const Vec3 a{s.x * s.x * u.x, s.y * s.y * u.y, s.z * s.z * u.z};
      return (1 / std::sqrt(dot(a, u))) * a;
    }
    default: break;
  }
  FAIL("a shape that no shipped robot has");
  return {};
}

}  // namespace

TEST_CASE("boxes face to face, corner to corner and edge to edge are as far apart as they are") {
  const double cosine = std::cos(std::numbers::pi / 8), sine = std::sin(std::numbers::pi / 8);  // a turn by 45 degrees
  CHECK(least_distance(cube(0.1), {}, cube(0.2), {{0.5, 0.05, 0}, {}}) == approx(0.2));
  CHECK(least_distance(cube(0.1), {}, cube(0.1), {{0.15, 0, 0}, {}}) == approx(-0.05));
  CHECK(least_distance(cube(0.1), {}, cube(0.1), {{0.4, 0, 0}, {cosine, 0, 0, sine}}) ==
        approx(0.3 - 0.1 * std::sqrt(2.0)));
  const Pose below{{}, {cosine, 0, sine, 0}}, above{{0, 0, 0.4}, {cosine, sine, 0, 0}};  // edges that cross
  CHECK(least_distance(cube(0.1), below, cube(0.1), above) == approx(0.4 - 0.2 * std::sqrt(2.0)));
}

TEST_CASE("no two points of two boxes are nearer than is returned, and who is apart is known to be") {
  Dice dice;
  int apart = 0, missed = 0;
  for (int i = 0; i < 400; ++i) {
    const BoundingBox a = dice.box(), b = dice.box();
    const Pose X_WA = dice.pose(0.6), X_WB = dice.pose(0.6);
    const double returned = least_distance(a, X_WA, b, X_WB);
    CHECK(returned == approx(least_distance(b, X_WB, a, X_WA)));
    double found = HUGE_VAL;
    for (int k = 0; k < 400; ++k) found = std::min(found, norm(dice.in(a, X_WA) - dice.in(b, X_WB)));
    REQUIRE(returned <= found + 1e-12);
    apart += returned > 0;
    missed += returned <= 0 && found > 0.25;
  }
  CHECK(apart > 100);
  CHECK(missed == 0);
}

TEST_CASE("the box of a robot holds all of it, for all joint positions") {
  Dice dice;
  Library library;
  for (const char* name : {"turtlebot3_burger", "turtlebot3_waffle", "rover", "arm", "quadruped", "humanoid"}) {
    CAPTURE(name);
    Stage dut(shipped(name));
    const auto kind = library.kind(dut.model(), dut.world->files(), false);
    const mjModel* m = dut.robot().compiled().model;
    mjData* d = mj_makeData(m);
    int seen = 0;
    for (int round = 0; round < 50; ++round) {
      for (int j = 0; j < m->njnt; ++j)
        if (m->jnt_type[j] == mjJNT_HINGE || m->jnt_type[j] == mjJNT_SLIDE)
          d->qpos[m->jnt_qposadr[j]] =
              m->jnt_limited[j] ? dice.between(m->jnt_range[2 * j], m->jnt_range[2 * j + 1]) : dice.between(-3.2, 3.2);
      mj_kinematics(m, d);
      for (const GhostBody& body : kind->bodies)
        for (int g = 0; g < m->ngeom; ++g) {
          const int on = m->geom_bodyid[g];
          if (!is_solid(m, g) || (body.free ? m->body_rootid[on] != body.body : on != body.body)) continue;
          const Pose X_WB{vec(d->xpos + 3 * body.body), quat(d->xquat + 4 * body.body)};
          const Pose X_WL{vec(d->xpos + 3 * on), quat(d->xquat + 4 * on)};
          const Pose X_BG = X_WB.inverse() * X_WL * Pose{vec(m->geom_pos + 3 * g), quat(m->geom_quat + 4 * g)};
          for (const Vec3 along :
               {Vec3{1, 0, 0}, Vec3{-1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, -1, 0}, Vec3{0, 0, 1}, Vec3{0, 0, -1}}) {
            REQUIRE(holds(body.box, (X_BG * Pose{farthest(m, g, rotate(X_BG.q.conjugate(), along)), {}}).p));
            ++seen;
          }
        }
    }
    CHECK(seen > 1000);
    mj_deleteData(d);
  }
}

TEST_CASE("a box of what only turns on one hinge fits, holds its contacts' margins, and grows with what is carried") {
  Library library;
  Stage burger(shipped("turtlebot3_burger"));
  const BoundingBox box = library.kind(burger.model(), burger.world->files(), false)->bodies[0].box;
  CHECK(box.low.x == approx(-0.102));
  CHECK(box.high.x == approx(0.038));
  CHECK(box.high.y == approx(0.089));  // wheels: as thick as they are, and round
  CHECK(box.high.z == approx(0.176));

  Stage pair(
      written("<mujoco><worldbody><body><freejoint/><geom type='sphere' size='.1' mass='1'/><body pos='0 0 1'>"
              "<geom type='sphere' size='.2' mass='1'/></body></body></worldbody></mujoco>"));
  CHECK(library.kind(pair.model(), pair.world->files(), false)->bodies[0].box.high.z == approx(1.2));

  Stage soft(
      written("<mujoco><worldbody><body><freejoint/><geom type='box' size='.1 .2 .3' mass='1' margin='0.04'/></body>"
              "</worldbody></mujoco>"));
  const BoundingBox wide = library.kind(soft.model(), soft.world->files(), false)->bodies[0].box;
  CHECK(wide.high.x == approx(0.14));
  CHECK(wide.low.z == approx(-0.34));

  const Carried load{WorldNumber(7), {{0, 0, 0.5}, {}}, &soft.model()};
  std::vector<Carried> carried{load};
  ModelFiles files = burger.world->files();
  files.insert(soft.world->files().begin(), soft.world->files().end());
  const BoundingBox both = library.kind(burger.model(), files, false, carried)->bodies[0].box;
  CHECK(both.low.x == approx(-0.14));
  CHECK(both.high.y >= 0.2);
  CHECK(both.high.z >= 0.8 - 0.01);
}

}  // namespace bounding_box_test
