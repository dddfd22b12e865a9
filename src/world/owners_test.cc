#include "world/owners.h"

#include <doctest/doctest.h>

namespace owners_test {

using namespace convoy;

namespace {

// Of robots on these hosts, "" for any.
World world_of(const std::vector<std::pair<std::string, std::string>>& robots) {
  Setup setup;
  setup.models = built_in_models();
  for (const auto& [name, host] : robots) {
    EntitySpec spec;
    spec.name = name, spec.model = "turtlebot3_burger", spec.host = host;
    setup.entities.push_back(spec);
  }
  return *World::make(setup);
}

const std::vector<HostName> kHosts{{Owner(1), "host0"}, {Owner(2), "host1"}, {Owner(3), "host0.scout"}};

}  // namespace

TEST_CASE("a host for one robot gets that robot and no other, and the robot goes nowhere else") {
  World world = world_of({{"a", ""}, {"scout", "host0.scout"}, {"b", ""}, {"c", ""}, {"shy", "host1.shy"}});
  std::vector<std::string> unknown;

  share_out(
      world, kHosts, [](const Entity&) { return true; }, unknown);

  std::vector<std::uint32_t> owners;
  for (const Entity& entity : world.entities()) owners.push_back(entity.owner.value());
  CHECK(owners == std::vector<std::uint32_t>{1, 3, 2, 1, 0});
  CHECK(unknown == std::vector<std::string>{"host1.shy"});
}

TEST_CASE("what is spawned gets a host for one robot only by its name, and only a free one") {
  World world = world_of({{"a", "host0"}, {"b", "host1"}});
  std::vector<std::string> unknown;
  share_out(
      world, kHosts, [](const Entity&) { return true; }, unknown);

  CHECK(least_loaded(world, kHosts, "") == Owner(1));
  CHECK(least_loaded(world, kHosts, "host0.scout") == Owner(3));
  const auto none = least_loaded(world, kHosts, "host0.other");
  REQUIRE_FALSE(none);
  CHECK(none.error().text == "no host named 'host0.other' takes part");

  world.set_owner(Slot(0), Owner(3));
  const auto taken = least_loaded(world, kHosts, "host0.scout");
  REQUIRE_FALSE(taken);
  CHECK(taken.error().text == "'host0.scout' is for one robot, and has one");
}

TEST_CASE("a client's name is a name, or two with a dot between them") {
  for (const char* good : {"host0", "host0.scout", "h.r_1"}) CHECK(valid_client_name(good));
  for (const char* bad : {"", ".", "host0.", ".scout", "a.b.c", "host 0.scout", "0.a"})
    CHECK_FALSE(valid_client_name(bad));
}

}  // namespace owners_test
