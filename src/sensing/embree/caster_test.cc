// What rays meet through Embree's trees is what they meet when every shape is tested.
#include "sensing/embree/caster.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "core/approx.h"
#include "sensing/embree/ray_rig.h"
#include "sensing/intersect.h"

namespace caster_test {

using namespace convoy;
using namespace convoy::ray_rig;

namespace {

constexpr double kNowhere = std::numeric_limits<double>::infinity();

// Every triangle and primitive of every body, in the order of ties.
Hit tested_one_by_one(const std::vector<Body>& bodies, const Beam& beam, WorldNumber but) {
  Hit best;
  double far = beam.far;
  for (const Body& body : bodies) {
    if (body.number == but && but != kNoEntity) continue;
    for (std::uint32_t link = 0; link < body.X_WL.size(); ++link)
      for (std::uint32_t i = 0; i < body.shapes->shapes.size(); ++i) {
        const Shape& shape = body.shapes->shapes[i];
        if (!shape.visible || shape.link != link) continue;
        const Pose X = body.X_WL[link] * shape.X_LS;
        const Line line = ShapeFrame(X).line(beam.origin, beam.direction, beam.near);
        const auto offer = [&](double range, std::uint32_t triangle) {
          if (range > far || range == kNowhere || (range == far && best.any())) return;
          far = best.range = range, best.number = body.number, best.shape = i, best.triangle = triangle;
        };
        if (shape.kind != Shape::Kind::kMesh && shape.kind != Shape::Kind::kTerrain) {
          offer(range_of(line, shape.kind, shape.size), kNoPart);
          continue;
        }
        const TriangleLine through(line);
        const auto triangles = surface_of(shape, *body.shapes);
        for (std::uint32_t t = 0; t < triangles.size(); ++t) offer(through.range_of(triangles[t]), t);
      }
  }
  return best;
}

}  // namespace

TEST_CASE(
    "every ray meets what it meets when all shapes are tested one by one, to the bit, with every instruction set") {
  const Shapes shapes = zoo();
  for (const Vec3& where : {Vec3{}, Vec3{800, -600, 3}}) {
    std::vector<Body> all = zoos(shapes, where, 12, 3);
    const std::vector<Body> moving(all.begin(), all.begin() + 8);
    std::vector<Body> scene(all.begin() + 8, all.end());
    for (Body& body : scene) body.number = kNoEntity;
    std::vector<Body> in_order = scene;
    in_order.insert(in_order.end(), moving.begin(), moving.end());
    const std::vector<Beam> beams = beams_at(all, where, 20'000, 4);
    std::vector<Hit> expected;
    for (const Beam& beam : beams) expected.push_back(tested_one_by_one(in_order, beam, WorldNumber(2)));
    CHECK(std::count_if(expected.begin(), expected.end(), [](const Hit& hit) { return hit.any(); }) > 5000);

    for (const RayIsa isa : here()) {
      CAPTURE(name_of(isa));
      const Rig dut(isa, scene, moving);
      const std::vector<Hit> hits = dut.cast(beams, WorldNumber(2));
      for (std::size_t i = 0; i < hits.size(); ++i) {
        CAPTURE(i);
        Hit got = hits[i];
        if (got.any()) {
          const Vec3 n = dut.field->normal(beams[i], got);
          REQUIRE(dot(n, beams[i].direction) <= 0);
          REQUIRE(norm(n) == approx(1));
        }
        got.place = kNoPart;
        REQUIRE(got == expected[i]);
      }
    }
  }
}

TEST_CASE("of equal ranges the lowest number, link, shape and triangle is met, in whatever order bodies were placed") {
  Shapes shapes;
  shapes.links = {{"a", Link::Base::kRobot, kNoPart, 0, {}, {}}, {"b", Link::Base::kRobot, kNoPart, 0, {}, {}}};
  Shape box;
  box.kind = Shape::Kind::kBox, box.size = {1, 1, 1}, box.link = 1;
  shapes.shapes = {box, box, box};
  shapes.shapes[1].link = shapes.shapes[2].link = 0;  // the second shape is the first one's first link's
  const std::vector<Pose> X_WL(2);
  std::vector<Body> bodies{{WorldNumber(9), &shapes, X_WL}, {WorldNumber(4), &shapes, X_WL}};
  const std::vector<Beam> beams{{{-5, 0.3, 0.2}, {1, 0, 0}, 0, 100}, {{-5, 1, 1}, {1, 0, 0}, 0, 4}};
  for (int order = 0; order < 2; ++order, std::swap(bodies[0], bodies[1])) {
    const Rig dut(RayIsa::kSse42, {}, bodies);
    const std::vector<Hit> hits = dut.cast(beams);  // the second along an edge, at the end of its range
    CHECK(dut.field->normal(beams[0], hits[0]) == Vec3{-1, 0, 0});
    for (const Hit& hit : hits) {
      CHECK(hit.range == 4);
      CHECK(hit.number == WorldNumber(4));
      CHECK(hit.shape == 1);
    }
    CHECK(dut.cast(beams, WorldNumber(4))[0].number == WorldNumber(9));
  }
  const Rig scene(RayIsa::kSse42, {{kNoEntity, &shapes, X_WL}}, bodies);
  CHECK(scene.cast(beams)[0].number == kNoEntity);
  CHECK(scene.cast(beams)[0].any());
  CHECK(scene.field->normal(beams[0], scene.cast(beams)[0]) == Vec3{-1, 0, 0});
}

TEST_CASE("what is met is as bright as its colour, or as its material reflects") {
  Shapes shapes;
  shapes.links = {{"a", Link::Base::kRobot, kNoPart, 0, {}, {}}};
  shapes.materials.resize(1);
  shapes.materials[0].reflectance = 0.75;
  Shape box;
  box.kind = Shape::Kind::kBox, box.size = {1, 1, 1};
  for (const Color& color : {Color{255, 255, 255, 255}, Color{0, 255, 0, 255}, Color{0, 0, 0, 255}}) {
    box.color = color, box.X_LS.p.y += 4;
    shapes.shapes.push_back(box);
  }
  shapes.shapes[2].material = 0;
  const std::vector<Pose> X_WL(1);
  const Rig still(RayIsa::kSse42, {{kNoEntity, &shapes, X_WL}}, {}),
      moving(RayIsa::kSse42, {}, {{WorldNumber(3), &shapes, X_WL}});
  const std::vector<Beam> beams{
      {{-5, 4, 0}, {1, 0, 0}, 0, 100}, {{-5, 8, 0}, {1, 0, 0}, 0, 100}, {{-5, 12, 0}, {1, 0, 0}, 0, 100}};
  for (const Rig* dut : {&still, &moving}) {
    const std::vector<Hit> hits = dut->cast(beams);
    CHECK(dut->field->brightness(hits[0]) == approx(1));
    CHECK(dut->field->brightness(hits[1]) == approx(0.7152));
    CHECK(dut->field->brightness(hits[2]) == 0.75);
  }
}

TEST_CASE("the ground has no end, nothing is met where nothing is, and no beams are none") {
  Shapes shapes;
  shapes.links = {{"world", Link::Base::kPlace, kNoPart, 0, {}, {}}};
  shapes.shapes.resize(1);
  shapes.shapes[0].kind = Shape::Kind::kPlane;
  const Rig dut(RayIsa::kSse42, {{kNoEntity, &shapes, {Pose{}}}}, {}), nothing(RayIsa::kSse42, {}, {});
  const double slope = 1e-3;
  const Vec3 d = (1 / norm({1, 0, -slope})) * Vec3{1, 0, -slope};
  const std::vector<Beam> beams{
      {{0, 0, 3}, d, 0, 1e5}, {{0, 0, 3}, {0, 0, 1}, 0, 1e5}, {{9e4, 9e4, 2}, {0, 0, -1}, 0, 3}};
  CHECK(dut.cast(beams)[0].range == approx(3 / slope).epsilon(1e-6));
  CHECK_FALSE(dut.cast(beams)[1].any());
  CHECK(dut.cast(beams)[1].range == kNowhere);
  CHECK(dut.cast(beams)[2].range == 2);
  CHECK_FALSE(nothing.cast(beams)[0].any());
  CHECK(dut.cast({}).empty());
}

TEST_CASE("threads that cast at the same time get the same hits") {
  const Shapes shapes = zoo();
  const std::vector<Body> bodies = zoos(shapes, {}, 8, 3);
  const std::vector<Beam> beams = beams_at(bodies, {}, 5000, 5);
  const Rig dut(best_isa(), {}, bodies);
  const std::vector<Hit> expected = dut.cast(beams);
  std::vector<Hit> other;
  std::thread second([&] { other = dut.cast(beams); });
  CHECK(dut.cast(beams) == expected);
  second.join();
  CHECK(other == expected);
}

}  // namespace caster_test
