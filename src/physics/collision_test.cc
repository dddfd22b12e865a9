#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/approx.h"
#include "core/math.h"
#include "core/random.h"
#include "physics/kinematic.h"
#include "world/grid.h"

namespace collision_test {

using namespace convoy;
using namespace std::chrono_literals;

namespace {

constexpr Duration kTick = 10ms;

std::vector<Vec2> polygon_of(const Model& m, const Pose& pose) {
  const double yaw =
      std::atan2(2 * (pose.q.w * pose.q.z + pose.q.x * pose.q.y), 1 - 2 * (pose.q.y * pose.q.y + pose.q.z * pose.q.z));
  std::vector<Vec2> out;
  for (const Vec2& c : m.footprint)
    out.push_back(
        {pose.p.x + c.x * std::cos(yaw) - c.y * std::sin(yaw), pose.p.y + c.x * std::sin(yaw) + c.y * std::cos(yaw)});
  return out;
}

// Independent of the code under test: positive when apart, else minus how deep the two convex polygons overlap.
double separation(const std::vector<Vec2>& a, const std::vector<Vec2>& b) {
  double best = -1e9;
  for (const auto* polygon : {&a, &b})
    for (std::size_t i = 0; i < polygon->size(); ++i) {
      const Vec2 p = (*polygon)[i], q = (*polygon)[(i + 1) % polygon->size()];
      const double length = std::hypot(q.x - p.x, q.y - p.y), nx = (q.y - p.y) / length, ny = (p.x - q.x) / length;
      double nearest = 1e9;
      for (const Vec2& c : polygon == &a ? b : a) nearest = std::min(nearest, nx * (c.x - p.x) + ny * (c.y - p.y));
      best = std::max(best, nearest);
    }
  return best;
}

StaticMap made(MapData data) {
  auto map = StaticMap::make(std::move(data));
  REQUIRE(map.has_value());
  return *std::move(map);
}

MapData room(std::uint32_t side, double yaw = 0) {
  return {.width = side,
          .height = side,
          .resolution = 0.05,
          .origin = {0, 0, yaw},
          .cells = Bytes(std::size_t{side} * side, 0)};
}

bool in_wall(const StaticMap& map, const Model& m, const Pose& pose, double shrink = 1e-9) {
  Model smaller = m;
  for (Vec2& c : smaller.footprint) c.x -= std::copysign(shrink, c.x), c.y -= std::copysign(shrink, c.y);
  std::vector<Vec2> corners = polygon_of(smaller, pose);
  for (Vec2& c : corners) c = map.to_map(c.x, c.y);
  return map.touches(corners.data(), corners.size());
}

// Robots that step tick by tick, each from the snapshot of all.
struct World {
  StaticMap map;
  std::vector<Model> models;
  std::vector<KinematicPhysics> physics;
  Snapshot now;
  std::vector<PhysicsEvents> events;
  Instant time{};
  Grid grid;

  void add(const Model& m, double x, double y, double yaw) {
    State s;
    s.pose.p = {x, y, 0}, s.pose.q = from_yaw(yaw);
    models.push_back(m);
    physics.emplace_back(m);
    events.emplace_back();
    now.append(static_cast<WorldNumber>(models.size()), s, m.joints.size() * 2);
  }
  bool free(const Model& m, double x, double y, double yaw) const {
    const Pose pose{{x, y, 0}, from_yaw(yaw)};
    if (in_wall(map, m, pose)) return false;
    for (std::size_t i = 0; i < now.size(); ++i)
      if (separation(polygon_of(m, pose), polygon_of(models[i], now.state(static_cast<Slot>(i)).pose)) < 1e-6)
        return false;
    return true;
  }
  void tick(const std::vector<Twist>& commands, const std::vector<std::size_t>& order, int parts = 1) {
    Snapshot next = now;
    std::vector<double> radii;
    for (const Model& m : models) radii.push_back(circumscribed_radius(m));
    grid.rebuild(now, radii, 0.7);
    for (std::size_t i : order) {
      std::vector<Neighbour> near;
      std::vector<Slot> slots;
      const State& s = now.state(static_cast<Slot>(i));
      grid.query(now, s.pose.p.x, s.pose.p.y, KinematicPhysics::reach(models[i], kTick), static_cast<Slot>(i), slots);
      for (Slot k : slots) near.push_back({now.number(k), &now.state(k), &models[k.index()]});
      for (int part = 0; part < parts; ++part) {
        PhysicsInput in{.begin = time + part * kTick / parts,
                        .step = kTick / parts,
                        .self = now.number(static_cast<Slot>(i)),
                        .command = commands[i],
                        .map = &map,
                        .at_boundary = part > 0 ? &s : nullptr,
                        .neighbours = near,
                        .carried = {}};
        physics[i].step(in, next.state(static_cast<Slot>(i)), next.tail(static_cast<Slot>(i)), events[i]);
      }
    }
    now = next;
    time += kTick;
  }
  void tick(const std::vector<Twist>& commands) {
    std::vector<std::size_t> order(models.size());
    std::iota(order.begin(), order.end(), 0);
    tick(commands, order);
  }
};

Twist twist(double v, double w) { return {{v, 0, 0}, {0, 0, w}}; }

// Thirty robots of all models in a room that they fill to a good part.
World crammed(std::uint64_t seed) {
  World world{.map = made(room(110, 0.3))};
  const std::vector<Model> models = built_in_models();
  Random rng{stream_key(seed, 0, "crammed")};
  for (int i = 0; i < 30;) {
    const Model& m = models[i < 2 ? 3 : i < 5 ? 2 : i < 9 ? 4 : i % 2];
    const Vec2 at = world.map.to_world(rng.uniform(0, 5.5), rng.uniform(0, 5.5));
    const double yaw = rng.uniform(0, 6.3);
    const bool inner = i < 9 || rng.uniform() < 0.1 || std::hypot(at.x - 1.5, at.y - 3) < 1.6;
    if (inner && world.free(m, at.x, at.y, yaw)) world.add(m, at.x, at.y, yaw), ++i;
  }
  return world;
}

}  // namespace

TEST_CASE("no robot is ever in a wall, and it keeps moving") {
  for (const char* name : {"turtlebot3_burger", "turtlebot3_waffle", "cart", "truck"}) {
    Model model;
    for (const Model& m : built_in_models())
      if (m.name == name) model = m;
    Random rng{stream_key(3, 0, name)};
    MapData data = room(200, -0.6);
    for (int i = 0; i < 60; ++i) {
      const double c = std::cos(-0.6), s = std::sin(-0.6), u = rng.uniform(0, 10), v = rng.uniform(0, 10);
      const double x = c * u - s * v, y = s * u + c * v;
      if (i % 2 == 0) paint(data, CylinderShape{.x = x, .y = y, .radius = rng.uniform(0.02, 0.2)});
      else paint(data, BoxShape{.x = x, .y = y, .yaw = rng.uniform(0, 6), .length = rng.uniform(0.1, 1), .width = 0.1});
    }
    World world{.map = made(data)};
    for (;;) {
      const Vec2 at = world.map.to_world(rng.uniform(0, 10), rng.uniform(0, 10));
      const double yaw = rng.uniform(0, 6);
      if (!world.free(model, at.x, at.y, yaw)) continue;
      world.add(model, at.x, at.y, yaw);
      break;
    }

    double slid = 0, travelled = 0;
    int cut = 0;
    Twist command;
    for (int i = 0; i < 20'000; ++i) {
      if (i % 150 == 0)
        command = twist(rng.uniform(-0.5, 1) * model.max_speed * 1.2,
                        rng.uniform(-1, 1) * rng.uniform() * model.max_turn_rate);
      world.tick({command});
      REQUIRE_FALSE(in_wall(world.map, model, world.now.state(Slot(0)).pose));
      travelled += world.events[0].distance;
      cut += world.events[0].touched_map;
      if (world.events[0].touched_map) slid += world.events[0].distance;
    }
    MESSAGE(std::string(name) << ": travelled " << travelled << " m, " << slid << " m of it sliding in " << cut
                              << " steps");
    CHECK(cut > 100);
    CHECK(slid > 0.1);
    CHECK(travelled > 10);
  }
}

TEST_CASE("a robot that drives askew into a wall slides along it, by the tangential part of its speed") {
  for (double yaw : {0.0, 0.5}) {
    World world{.map = made(room(120, yaw))};
    const Vec2 at = world.map.to_world(1, 5);
    world.add(built_in_models()[0], at.x, at.y, yaw + 0.6);
    for (int i = 0; i < 400; ++i) world.tick({twist(0.22, 0)});
    const Vec2 before = world.map.to_map(world.now.state(Slot(0)).pose.p.x, world.now.state(Slot(0)).pose.p.y);
    CHECK(world.map.to_map(0, 0).x == 0);
    for (int i = 0; i < 800; ++i) world.tick({twist(0.22, 0)});
    const Vec2 after = world.map.to_map(world.now.state(Slot(0)).pose.p.x, world.now.state(Slot(0)).pose.p.y);
    CHECK(after.x - before.x == approx(8 * 0.22 * std::cos(0.6)).epsilon(0.02));
    CHECK(world.events[0].touched_map);
  }
}

TEST_CASE("a robot against a wall has no speed, but its wheels turn") {
  World world{.map = made(room(40))};
  world.add(built_in_models()[0], 1, 1, 0);
  for (int i = 0; i < 1000; ++i) world.tick({twist(0.22, 0)});
  CHECK(std::abs(world.now.state(Slot(0)).twist.v.x) < 1e-6);
  CHECK(world.now.state(Slot(0)).pose.p.x == approx(2 - 0.041).epsilon(1e-5));
  CHECK(world.events[0].wheel_left == 0.22);
  CHECK(world.events[0].touched_map);

  for (int i = 0; i < 100; ++i) world.tick({twist(-0.22, 0)});
  CHECK(world.now.state(Slot(0)).pose.p.x < 1.85);
}

TEST_CASE("who was put into a wall may leave it, but not go deeper") {
  MapData data = room(60);
  paint(data, BoxShape{.x = 2, .y = 1.5, .length = 0.8, .width = 3});
  World world{.map = made(data)};
  const Model burger = built_in_models()[0];
  world.add(burger, 1.58, 1.5, 0);
  REQUIRE(in_wall(world.map, burger, world.now.state(Slot(0)).pose));

  for (int i = 0; i < 300; ++i) world.tick({twist(0.22, 0)});
  CHECK(world.now.state(Slot(0)).pose.p.x < 1.65);
  for (int i = 0; i < 300; ++i) world.tick({twist(-0.22, 0)});
  CHECK(world.now.state(Slot(0)).pose.p.x < 1.2);
  CHECK_FALSE(in_wall(world.map, burger, world.now.state(Slot(0)).pose));

  world.now.state(Slot(0)).pose.p = {1.9, 1.5, 0};  // deep inside, and then far outside: it drives as it likes
  for (int i = 0; i < 500; ++i) world.tick({twist(-0.22, 0)});
  CHECK_FALSE(in_wall(world.map, burger, world.now.state(Slot(0)).pose));
  world.now.state(Slot(0)).pose.p = {-50, 1.5, 0};
  for (int i = 0; i < 100; ++i) world.tick({twist(-0.22, 0)});
  CHECK(world.now.state(Slot(0)).pose.p.x < -50.1);
}

TEST_CASE("thirty crammed robots of all models never overlap, and are the same in any order") {
  World world = crammed(1), other = crammed(1), parts = crammed(1);
  Random rng{stream_key(8, 0, "drivers")};
  std::vector<Twist> commands(30);
  std::vector<std::size_t> order(30), straight(30);
  std::iota(order.begin(), order.end(), 0);
  std::iota(straight.begin(), straight.end(), 0);
  double least = 1e9, travelled = 0;
  std::size_t touches = 0;
  for (int t = 0; t < 2000; ++t) {
    for (std::size_t i = 0; i < 30; ++i)
      if (rng.uniform() < 0.02) commands[i] = twist(rng.uniform(-0.5, 1) * 1.5, rng.uniform(-1, 1));
    for (std::size_t i = 29; i > 0; --i) std::swap(order[i], order[rng.below(i + 1)]);
    world.tick(commands, straight);
    other.tick(commands, order);
    parts.tick(commands, order, 3);
    REQUIRE(world.now == other.now);
    for (const World* w : {&world, &parts}) {
      std::vector<std::vector<Vec2>> polygons;
      for (std::size_t i = 0; i < 30; ++i)
        polygons.push_back(polygon_of(w->models[i], w->now.state(static_cast<Slot>(i)).pose));
      for (std::size_t i = 0; i < 30; ++i) {
        REQUIRE_FALSE(in_wall(w->map, w->models[i], w->now.state(static_cast<Slot>(i)).pose));
        for (std::size_t k = 0; k < i; ++k) least = std::min(least, separation(polygons[i], polygons[k]));
      }
      REQUIRE(least >= -1e-9);
    }
    for (const PhysicsEvents& e : world.events) travelled += e.distance, touches += e.touched.size();
  }
  MESSAGE("least gap " << least << " m, " << travelled << " m travelled, " << touches << " contacts");
  CHECK(travelled > 50);
  CHECK(touches > 1000);
}

TEST_CASE("two robots that meet head-on stop without touching, within a millimetre") {
  World world;
  const Model burger = built_in_models()[0];
  world.add(burger, 0, 0, 0);
  world.add(burger, 1, 0.03, math::kPi);
  for (int i = 0; i < 600; ++i) {
    world.tick({twist(0.22, 0), twist(0.22, 0)});
    REQUIRE(separation(polygon_of(burger, world.now.state(Slot(0)).pose),
                       polygon_of(burger, world.now.state(Slot(1)).pose)) >= 0);
  }
  const double gap = world.now.state(Slot(1)).pose.p.x - world.now.state(Slot(0)).pose.p.x - 2 * 0.041;
  CHECK(gap >= 0);
  CHECK(gap < 1e-3);
  CHECK(world.events[0].touched == std::vector<WorldNumber>{WorldNumber(2)});
  CHECK(std::abs(world.now.state(Slot(0)).twist.v.x) < 1e-6);
}

TEST_CASE("a robot comes as near as a millimetre to one that does not move") {
  World world;
  world.add(built_in_models()[0], 0, 0, 0);
  world.add(built_in_models()[4], 1, 0, 0.3);
  for (int i = 0; i < 600; ++i) world.tick({twist(0.22, 0), {}});
  const double gap = separation(polygon_of(world.models[0], world.now.state(Slot(0)).pose),
                                polygon_of(world.models[1], world.now.state(Slot(1)).pose));
  CHECK(gap >= 0);
  CHECK(gap < 1e-3);
}

TEST_CASE("robots that overlap may part, but come no nearer") {
  World world;
  const Model burger = built_in_models()[0];
  world.add(burger, 0, 0, 0);
  world.add(burger, 0.1, 0.01, 0);
  const auto depth = [&] {
    return separation(polygon_of(burger, world.now.state(Slot(0)).pose),
                      polygon_of(burger, world.now.state(Slot(1)).pose));
  };
  const double before = depth();
  REQUIRE(before < 0);
  for (int i = 0; i < 50; ++i) world.tick({twist(0.22, 0), twist(-0.22, 0)});
  CHECK(depth() >= before - 1e-12);
  for (int i = 0; i < 200; ++i) world.tick({twist(-0.22, 0), twist(0.22, 0)});
  CHECK(depth() > 0.1);
}

TEST_CASE("a carried box is as solid as its carrier, for walls and for others") {
  const Model waffle = built_in_models()[1], box = built_in_models()[4];
  const Carried load{.number = WorldNumber(7), .X_BC = {{0.4, 0, 0}, {}}, .model = &box};
  World world{.map = made(room(60))};
  State state;
  state.pose.p = {1, 1.5, 0};
  KinematicPhysics dut(waffle);
  PhysicsEvents events;
  std::vector<double> tail(4);
  PhysicsInput in{.step = kTick,
                  .self = WorldNumber(1),
                  .command = twist(0.26, 0),
                  .map = &world.map,
                  .neighbours = {},
                  .carried = {&load, 1}};
  for (int i = 0; i < 1000; ++i) dut.step(in, state, tail, events);
  CHECK(state.pose.p.x == approx(3 - 0.55).epsilon(1e-4));
  CHECK(events.touched_map);

  State standing;
  standing.pose.p = {2.0, 1.6, 0};
  State self_seen = state;
  const std::vector<Neighbour> near{{WorldNumber(3), &standing, &box}, {WorldNumber(7), &self_seen, &box}};
  state.pose.p = {1, 1.5, 0};
  in.map = nullptr;
  in.neighbours = near;
  for (int i = 0; i < 1000; ++i) dut.step(in, state, tail, events);
  CHECK(state.pose.p.x <= 2.0 - 0.15 - 0.55);
  CHECK(state.pose.p.x > 2.0 - 0.15 - 0.55 - 1e-3);
  CHECK(events.touched == std::vector<WorldNumber>{WorldNumber(3)});
}

namespace {

// A loose box of 0.2 x 0.4 x 0.6 m among the objects of an engine's, whose middle is beside its frame's origin.
struct Yard {
  Yard() {
    const BodyBoxes boxes{{{7, {0.05, 0, 0}, {0.1, 0.2, 0.3}}}};
    bytes = save(boxes);
    model.name = "objects", model.footprint.clear(), model.joints.resize(14);
    model.files = {{"objects", 1}, {kBodyBoxes, hash64(bytes)}};
    convoy::add(files, bytes);
    tail.resize(tail_size(model));
    put(0, {{9, 9, 9}, {}});
  }
  void put(std::size_t joint, const Pose& X_WB) {
    const double all[] = {X_WB.p.x, X_WB.p.y, X_WB.p.z, X_WB.q.w, X_WB.q.x, X_WB.q.y, X_WB.q.z};
    std::copy(std::begin(all), std::end(all), tail.begin() + static_cast<std::ptrdiff_t>(joint));
  }
  // How far a burger comes that begins at the origin, goes ahead for 10 s, and could go 2.2 m.
  double way(const Pose& X_WB, bool with_files = true) {
    put(7, X_WB);
    const Model burger = built_in_models()[0];
    KinematicPhysics dut(burger);
    State state;
    std::vector<double> joints(2 * burger.joints.size());
    touched = false;
    for (int i = 0; i < 1000; ++i) {
      const Neighbour yard{WorldNumber(5), &objects, &model, tail};
      PhysicsInput in{.begin = state.stamp, .step = kTick, .self = WorldNumber(7), .neighbours = {&yard, 1}};
      in.command.v.x = 0.22;
      if (with_files) in.files = &files;
      PhysicsEvents events;
      dut.step(in, state, joints, events);
      touched = touched || events.touched == std::vector<WorldNumber>{WorldNumber(5)};
    }
    return state.pose.p.x;
  }
  Model model;
  Bytes bytes;
  ModelFiles files;
  State objects;
  std::vector<double> tail;
  bool touched = false;
};

}  // namespace

TEST_CASE("a robot stops in front of a loose object, however that lies, and drives under what is higher") {
  Yard yard;
  const Model burger = built_in_models()[0];
  double front = 0;
  for (const Vec2& corner : burger.footprint) front = std::max(front, corner.x);
  const double r = std::sqrt(0.5), free_way = yard.way({{0, 5, 0.3}, {}});
  CHECK(free_way == approx(2.19).epsilon(0.01));
  CHECK(!yard.touched);

  CHECK(yard.way({{1, 0, 0.3}, {}}) == approx(1.05 - 0.1 - front).epsilon(2e-6));
  CHECK(yard.touched);
  CHECK(yard.way({{1, 0, 0.2}, {r, 0, 0, r}}) == approx(1 - 0.2 - front).epsilon(2e-6));  // turned left
  CHECK(yard.way({{1, 0, 0.1}, {r, 0, r, 0}}) == approx(1 - 0.3 - front).epsilon(2e-6));  // on its face
  CHECK(yard.way({{1, 0, -0.1}, {}}) == approx(1.05 - 0.1 - front).epsilon(2e-6));        // sunk in
  CHECK(yard.way({{1, 0, 0.6}, {}}) == free_way);
  CHECK(yard.way({{1, 0, -0.4}, {}}) == free_way);

  CHECK(yard.way({{1, 0, 0.3}, {}}, false) == free_way);
  yard.model.joints.resize(13);  // no seven numbers of a pose are there
  CHECK(yard.way({{1, 0, 0.3}, {}}) == free_way);
}

TEST_CASE("the hull of points is convex, runs counter-clockwise, and holds them all") {
  Random random{stream_key(3, 0, "hulls")};
  for (int round = 0; round < 200; ++round) {
    std::vector<Vec2> points;
    for (int i = 0; i < 8; ++i) {
      const double x = random.uniform(-1, 1);
      const double y = round % 2 ? random.uniform(-1, 1) : std::round(4 * x) / 4;
      points.push_back({round % 3 ? x : std::round(4 * x) / 4, y});
    }
    std::vector<Vec2> hull = points;
    make_hull(hull);
    if (hull.size() < 3) continue;
    for (std::size_t i = 0; i < hull.size(); ++i) {
      const Vec2 a = hull[i], b = hull[(i + 1) % hull.size()];
      for (const Vec2& p : points) CHECK((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) >= -1e-12);
    }
  }
  std::vector<Vec2> line{{0, 0}, {2, 2}, {1, 1}, {1, 1}};
  make_hull(line);
  CHECK(line.size() == 2);
  std::vector<Vec2> square{{0, 0}, {1, 1}, {1, 0}, {0, 1}, {0.5, 0.5}, {0.5, 0}, {0, 0}};
  make_hull(square);
  CHECK(square == std::vector<Vec2>{{0, 0}, {1, 0}, {1, 1}, {0, 1}});
}

}  // namespace collision_test
