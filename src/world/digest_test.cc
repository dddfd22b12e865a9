// The digest covers who exists at a boundary and every word of each, however many joints it has.
#include "world/digest.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "core/hash.h"

namespace digest_test {

using namespace convoy;

namespace {

Setup three() {
  Setup setup;
  setup.models = built_in_models();
  for (int i = 0; i < 3; ++i) {
    EntitySpec spec;
    spec.name = "r" + std::to_string(i), spec.model = setup.models[0].name, spec.pose.p.x = i;
    setup.entities.push_back(spec);
  }
  return setup;
}

// The same world, but that entity `from` has the number `to`: a free one below the next.
World renumbered(const World& world, WorldNumber from, WorldNumber to) {
  EntityRecord record = world.entity(world.slot_of(from)).record();
  const Bytes before = save(record);
  record.number = to;
  const Bytes after = save(record);
  Bytes image = world.image();
  const auto at = std::search(image.begin(), image.end(), before.begin(), before.end());
  REQUIRE(at != image.end());
  std::copy(after.begin(), after.end(), at);
  World out = world;
  REQUIRE(out.load_image(image).has_value());
  return out;
}

}  // namespace

TEST_CASE("who an entity is counts in the digest by its number, with the same states and the same history") {
  World world = *World::make(three());
  const WorldNumber second{2}, third{3};
  world.apply(Delete{third}, instant(0));
  const World other = renumbered(world, second, third);
  REQUIRE(other.structure_hash() == world.structure_hash());
  REQUIRE(other.snapshot().states().size() == 2);
  for (Slot slot : {Slot{0}, Slot{1}}) REQUIRE(other.snapshot().state(slot) == world.snapshot().state(slot));
  const std::vector<AgentHash> inside(2, {5, 6});

  CHECK(other.snapshot().number(Slot{1}) == third);
  CHECK(next_digest(1, 7, other, inside) != next_digest(1, 7, world, inside));
  CHECK(next_digest(1, 7, renumbered(other, third, second), inside) == next_digest(1, 7, world, inside));
}

TEST_CASE("which of two entities has a state counts, not only that one of them has it") {
  World world = *World::make(three());
  std::vector<AgentHash> inside{{1, 2}, {3, 4}, {5, 6}};
  const std::uint64_t digest = next_digest(1, 7, world, inside);

  std::swap(inside[0], inside[1]);
  CHECK(next_digest(1, 7, world, inside) != digest);
  std::swap(world.snapshot().state(Slot{0}), world.snapshot().state(Slot{1}));
  CHECK(next_digest(1, 7, world, inside) != digest);
}

TEST_CASE("every joint value counts in an agent's hash, the 65th and the 500th too, and how many there are") {
  const State state;
  const AgentHash inside{1, 2};
  std::set<std::uint64_t> by_size;
  for (std::size_t size : {0, 1, 2, 63, 64, 65, 66, 128, 500}) {
    CAPTURE(size);
    std::vector<double> tail(size, 0.25);
    const std::uint64_t hash = agent_hash(state, tail, inside);
    by_size.insert(hash);
    std::size_t same = 0;
    for (double& value : tail) {
      const double kept = std::exchange(value, 0.25 + 0x1p-54);  // its last bit
      REQUIRE(value != kept);
      same += agent_hash(state, tail, inside) == hash;
      value = kept;
    }
    CHECK(same == 0);
    CHECK(agent_hash(state, tail, {1, 3}) != hash);
    CHECK(agent_hash(state, tail, {0, 2}) != hash);
    State moved = state;
    moved.discontinuity = 1;
    CHECK(agent_hash(moved, tail, inside) != hash);
  }
  CHECK(by_size.size() == 9);
}

TEST_CASE("what a model looks like, which follows from its other files, changes no digest") {
  Setup plain;
  Model model = built_in_models()[0];
  const Bytes document{1, 2, 3}, look{4, 5};
  model.name = "m", model.files = {{"m.xml", hash64(document)}};
  plain.models = {model}, plain.files = {document};
  Setup seen = plain, other = plain;
  seen.models[0].files.push_back({kShapesFile, hash64(look)}), seen.files.push_back(look);
  other.models[0].files.push_back({"m.stl", hash64(look)}), other.files.push_back(look);

  CHECK(digest_seed(seen) == digest_seed(plain));
  CHECK(digest_seed(other) != digest_seed(plain));
}

TEST_CASE("from which files users' code is loaded changes no digest, what it is and is told does") {
  Setup setup = three();
  EntitySpec& robot = setup.entities[0];
  robot.components = {ComponentSpec{"lib/liba.so", "A", {}}};
  SensorSpec gas;
  gas.name = gas.type = "gas", gas.library = "/runs/a/libgas.so";
  robot.sensors = {gas};
  setup.sensors.sets = {{setup.models[0].name, {gas}}};
  setup.models[0].engine = {"bicycle", "/runs/a/libbicycle.so", {1}};
  const std::uint64_t before = digest_seed(setup);
  Setup moved = setup;
  moved.entities[0].components[0].library = "b", moved.entities[0].sensors[0].library = "b";
  moved.sensors.sets[0].sensors[0].library = "b", moved.models[0].engine.library = "b";
  CHECK(digest_seed(moved) == before);
  moved.models[0].engine.parameters = {2};
  CHECK(digest_seed(moved) != before);
  moved = setup;
  moved.models[0].engine.type = "tricycle";
  CHECK(digest_seed(moved) != before);

  World world = *World::make(three()), other = *World::make(three());
  EntitySpec spawned = robot;
  spawned.name = "late";
  world.apply(Spawn{spawned, kNobody}, {});
  spawned.sensors[0].library = spawned.components[0].library = "b";
  other.apply(Spawn{spawned, kNobody}, {});
  CHECK(world.structure_hash() == other.structure_hash());
}

}  // namespace digest_test
