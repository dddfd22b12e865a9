// Whole worlds as rays meet them.
#include "sensing/ray_world.h"

#include <doctest/doctest.h>

#include "core/approx.h"
#include "sensing/embree/caster.h"
#include "world/state.h"

namespace ray_world_test {

using namespace convoy;

namespace {

Setup two_burgers() {
  Setup setup;
  setup.map.width = setup.map.height = 40, setup.map.resolution = 0.25;
  setup.map.origin = {-5, -5, 0};
  setup.map.cells.assign(1600, 0);
  for (std::size_t i = 0; i < 40; ++i) setup.map.cells[40 * i + 39] = 1;  // a wall from x = 4.75 on
  BoxShape box;
  box.x = -3, box.length = box.width = 1, box.height = 0.1;
  setup.boxes.push_back(box);
  setup.models = built_in_models();
  for (const double x : {0.0, 2.0}) {
    EntitySpec spec;
    spec.name = x == 0 ? "first" : "second", spec.model = "turtlebot3_burger", spec.pose.p.x = x;
    setup.entities.push_back(spec);
  }
  return setup;
}

double range_along(const RayField& field, const Vec3& from, const Vec3& way, WorldNumber but, WorldNumber met) {
  const Beam beam{from, way, 0, 100};
  Hit hit;
  field.cast({&beam, 1}, but, {&hit, 1});
  CHECK(hit.number == met);
  return hit.range;
}

}  // namespace

TEST_CASE("rays meet robots where the snapshot has them, walls, boxes and the ground") {
  const Setup setup = two_burgers();
  World world = *World::make(setup);
  const auto caster = *embree_caster();
  ShapeBook book;
  RayWorld rays(*caster, book, world, setup);
  const WorldNumber first(1), second(2);
  const Vec3 at{0, 0, 0.15}, ahead{1, 0, 0};
  CHECK(range_along(rays.at(world), at, ahead, first, second) == approx(2 - 0.105));
  CHECK(range_along(rays.at(world), {0, 0, 0.5}, ahead, first, kNoEntity) == approx(4.75));
  CHECK(range_along(rays.at(world), {0, 0, 0.05}, {-1, 0, 0}, first, kNoEntity) == approx(2.5));
  CHECK(range_along(rays.at(world), at, {0, 0, -1}, first, kNoEntity) == approx(0.15));
  CHECK(range_along(rays.at(world), at, {0, 0, -1}, kNoEntity, first) == approx(0.15 - 0.0165));

  world.snapshot().state(Slot(1)).pose = {{3, 0, 0}, from_yaw(3.14159265358979312)};
  CHECK(range_along(rays.at(world), at, ahead, first, second) == approx(3 - 0.041));
}

TEST_CASE("what is spawned, and its model, is met from then on") {
  const Setup setup = two_burgers();
  World world = *World::make(setup);
  const auto caster = *embree_caster();
  ShapeBook book;
  RayWorld rays(*caster, book, world, setup);
  (void)rays.at(world);
  Model tower = *world.model("box");
  tower.name = "tower", tower.height = 3;
  world.apply(AddModel{tower}, instant(0));
  EntitySpec spec;
  spec.name = "tower", spec.model = "tower", spec.pose.p = {1, 0, 0};
  world.apply(Spawn{spec, kNobody}, instant(0));
  CHECK(range_along(rays.at(world), {-1, 0, 2.9}, {1, 0, 0}, kNoEntity, WorldNumber(3)) < 2);
}

}  // namespace ray_world_test
