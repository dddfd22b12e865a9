#include "adapters/ros2/simulation_entities.h"

#include <limits>
#include <simulation_interfaces/srv/delete_entity.hpp>
#include <simulation_interfaces/srv/get_entities.hpp>
#include <simulation_interfaces/srv/get_entities_states.hpp>
#include <simulation_interfaces/srv/get_entity_bounds.hpp>
#include <simulation_interfaces/srv/get_entity_info.hpp>
#include <simulation_interfaces/srv/get_entity_state.hpp>
#include <simulation_interfaces/srv/set_entity_info.hpp>
#include <simulation_interfaces/srv/set_entity_state.hpp>

#include "adapters/ros2/old_hashes.h"
#include "adapters/ros2/testing.h"
#include "messages/geometry.h"

namespace simulation_entities_test {

using namespace convoy;
using namespace convoy::ros2;
namespace srv = simulation_interfaces::srv;
using simulation_interfaces::msg::Bounds;
using simulation_interfaces::msg::EntityCategory;
using simulation_interfaces::msg::EntityFilters;
using simulation_interfaces::msg::TagsFilter;

namespace {

using Names = std::vector<std::string>;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Beside the robots a crate at x = -3, which is tagged.
DoorRigOptions with_crate(bool free = false) {
  DoorRigOptions out{.free = free};
  out.setup.entities.push_back(testing::robot("crate", "box", -3, 0, 0, DriverKind::kNone));
  out.setup.entities.back().tags = {"wood", "small"};
  out.setup.entities[0].tags = {"small"};
  return out;
}

struct Hall : DoorRig {
  explicit Hall(bool free = false) : DoorRig(with_crate(free)) {}
  srv::GetEntities::Response ask(const EntityFilters& filters) {
    srv::GetEntities::Request request;
    request.filters = filters;
    return call<srv::GetEntities>("/get_entities", request);
  }
  Names select(const EntityFilters& filters) {
    const auto told = ask(filters);
    CHECK(told.result.result == SimResult::RESULT_OK);
    return told.entities;
  }
  srv::SetEntityState::Response set(const srv::SetEntityState::Request& request) {
    return call<srv::SetEntityState>("/set_entity_state", request);
  }
};

EntityFilters named(const std::string& expression) {
  EntityFilters out;
  out.filter = expression;
  return out;
}

EntityFilters tagged(Names tags, std::uint8_t mode) {
  EntityFilters out;
  out.tags.tags = std::move(tags), out.tags.filter_mode = mode;
  return out;
}

EntityFilters within(std::uint8_t type, const std::vector<Vec3>& points) {
  EntityFilters out;
  out.bounds.type = type;
  for (const Vec3& p : points) ros::put(p, out.bounds.points.emplace_back());
  return out;
}

srv::SetEntityState::Request put(const std::string& entity, double x, const std::string& frame = "") {
  srv::SetEntityState::Request out;
  out.entity = entity, out.state.header.frame_id = frame, out.state.pose.position.x = x, out.set_pose = true;
  return out;
}

template <class Message>
Bytes cdr_of(const Message& message) {
  return *ros::TypeSupport::of<Message>().to_cdr(&message);
}

}  // namespace

TEST_CASE("entities are chosen by whole names, tags, categories and bounds, and all of these at once") {
  Hall dut;
  CHECK(dut.select(EntityFilters()) == Names{"alpha", "beta", "crate"});
  CHECK(dut.select(named("(al|be).*")) == Names{"alpha", "beta"});
  CHECK(dut.select(named("[[:alpha:]]{5}")) == Names{"alpha", "crate"});
  CHECK(dut.select(named("rat")).empty());

  CHECK(dut.select(tagged({"wood", "nothing"}, TagsFilter::FILTER_MODE_ANY)) == Names{"crate"});
  CHECK(dut.select(tagged({"wood", "small"}, TagsFilter::FILTER_MODE_ALL)) == Names{"crate"});
  CHECK(dut.select(tagged({"small"}, TagsFilter::FILTER_MODE_ALL)) == Names{"alpha", "crate"});

  EntityFilters robots;
  robots.categories.resize(2);
  robots.categories[0].category = EntityCategory::CATEGORY_ROBOT;
  robots.categories[1].category = EntityCategory::CATEGORY_HUMAN;
  CHECK(dut.select(robots) == Names{"alpha", "beta"});

  CHECK(dut.select(within(Bounds::TYPE_SPHERE, {{0, 0, 0}, {1, 0, 0}})) == Names{"alpha"});
  CHECK(dut.select(within(Bounds::TYPE_BOX, {{2.2, 1, 1}, {-0.05, -1, 0}})) == Names{"alpha", "beta"});
  // What counts is its body, not its place.
  CHECK(dut.select(within(Bounds::TYPE_SPHERE, {{-2.6, 0, 0.1}, {0.3, 0, 0}})) == Names{"crate"});

  robots.filter = "b.*";
  CHECK(dut.select(robots) == Names{"beta"});
}

TEST_CASE("filters that make no sense choose nothing, and it is said why") {
  Hall dut;
  CHECK(dut.ask(named("(")).result.result == SimResult::RESULT_OPERATION_FAILED);
  CHECK(dut.ask(named(std::string(2000, 'a'))).result.result == SimResult::RESULT_OPERATION_FAILED);
  CHECK(dut.ask(tagged({"a"}, 7)).result.result == SimResult::RESULT_OPERATION_FAILED);
  CHECK(dut.ask(within(Bounds::TYPE_SPHERE, {{kNaN, 0, 0}, {1, 0, 0}})).result.result ==
        SimResult::RESULT_OPERATION_FAILED);
  const auto hull = dut.ask(within(Bounds::TYPE_CONVEX_HULL, {{}, {}, {}}));
  CHECK(hull.result.result == SimResult::RESULT_FEATURE_UNSUPPORTED);
  CHECK(hull.entities.empty());
  CHECK(!hull.result.error_message.empty());
}

TEST_CASE("states of many are told in the world, at the boundary where it stands") {
  Hall dut;
  REQUIRE(dut.rig.call(testing::step(5)).error() == 0);
  srv::GetEntitiesStates::Request request;
  request.filters = named(".*a");
  const auto told = dut.call<srv::GetEntitiesStates>("/get_entities_states", request);
  CHECK(told.entities == Names{"alpha", "beta"});
  REQUIRE(told.states.size() == 2);
  CHECK(told.states[1].pose.position.x == 2);
  CHECK(told.states[1].header.frame_id == "world");
  CHECK(told.states[1].header.stamp.nanosec == nanos(5 * dut.rig.run().setup().tick));
}

TEST_CASE("an entity is put somewhere and asked for, in both modes, and is there when it is said to be") {
  for (const bool free : {false, true}) {
    CAPTURE(free);
    Hall dut(free);
    CHECK(dut.set(put("crate", -4)).result.result == SimResult::RESULT_OK);
    CHECK(dut.place("crate").x == -4);
    CHECK(dut.set(put("crate", 1, "beta")).result.result == SimResult::RESULT_OK);
    CHECK(dut.place("crate").x == doctest::Approx(3));
    CHECK(dut.set(put("crate", -1, "map")).result.result == SimResult::RESULT_OK);
    srv::GetEntityState::Request request;
    request.entity = "crate";
    const auto told = dut.call<srv::GetEntityState>("/get_entity_state", request);
    CHECK(told.result.result == SimResult::RESULT_OK);
    CHECK(told.state.pose.position.x == -1);
    CHECK(told.state.header.frame_id == "world");
    request.entity = "nobody";
    CHECK(dut.call<srv::GetEntityState>("/get_entity_state", request).result.result == SimResult::RESULT_NOT_FOUND);
  }
}

TEST_CASE("of a state what the flags name is set, and what cannot be set is refused") {
  Hall dut;
  auto request = put("alpha", 1);
  request.set_pose = false, request.set_twist = true, request.state.twist.linear.x = 0.1;
  CHECK(dut.set(request).result.result == SimResult::RESULT_OK);
  CHECK(dut.place("alpha").x == 0);
  CHECK(dut.rig.state("alpha").twist.v.x == doctest::Approx(0.1));

  request.entity = "crate";
  CHECK(dut.set(request).result.result == SimResult::RESULT_OPERATION_FAILED);  // it does not move
  request.state.twist.linear.x = kNaN, request.entity = "alpha";
  CHECK(dut.set(request).result.result == SimResult::RESULT_OPERATION_FAILED);
  request = put("alpha", 1), request.set_acceleration = true;
  CHECK(dut.set(request).result.result == SimResult::RESULT_OK);
  request.set_pose = false;
  CHECK(dut.set(request).result.result == SimResult::RESULT_OPERATION_FAILED);

  CHECK(dut.set(put("alpha", kNaN)).result.result == srv::SetEntityState::Response::INVALID_POSE);
  CHECK(dut.set(put("alpha", 1e9)).result.result == srv::SetEntityState::Response::INVALID_POSE);
  CHECK(dut.set(put("nobody", 1)).result.result == SimResult::RESULT_NOT_FOUND);
  CHECK(dut.set(put("alpha", 1, "nobody")).result.result == SimResult::RESULT_NOT_FOUND);
  CHECK(dut.place("alpha").x == 1);
}

TEST_CASE("a state of 1.x ends early and means pose and twist, by its hash, or where nobody says a hash") {
  Hall dut;
  const auto type = ros::ServiceSupport::of<srv::SetEntityState>();
  const std::string old(kOldHashes[2].hash);
  REQUIRE(is_old(type.request.name(), old));
  auto request = put("alpha", 1);
  request.set_pose = false;
  Bytes bytes = cdr_of(request);
  const Bytes whole = bytes;
  bytes.resize(bytes.size() - 3);
  const auto result_of = [&](const Bytes& reply) {
    const auto response = message_in<srv::SetEntityState::Response>(*dut.outside, reply);
    return response ? int{response->result.result} : -1;
  };

  RawClient by_hash(dut, "/set_entity_state", type, {old, {}});
  CHECK(result_of(by_hash.call(bytes)) == SimResult::RESULT_OK);
  CHECK(dut.place("alpha").x == 1);

  RawClient unnamed(dut, "/set_entity_state", type, {});
  CHECK(result_of(unnamed.call(whole)) == SimResult::RESULT_OK);  // 2.1, with no flag set
  request = put("alpha", 2), bytes = cdr_of(request), bytes.resize(bytes.size() - 3);
  CHECK(result_of(unnamed.call(bytes)) == SimResult::RESULT_OK);
  CHECK(dut.place("alpha").x == 2);

  // Of 2.1, and cut short.
  const std::uint64_t before = dut.count("ros2_malformed");
  RawClient newer(dut, "/set_entity_state", type, {std::string(type.request.hash()), {}});
  CHECK(newer.call(bytes).empty());
  bytes.resize(bytes.size() - 9);
  CHECK(by_hash.call(bytes).empty());
  CHECK(unnamed.call(bytes).empty());
  CHECK(dut.count("ros2_malformed") == before + 3);
}

TEST_CASE("an entity's category, tags and bounds are told, and its tags alone are set, for all to see") {
  Hall dut;
  srv::GetEntityInfo::Request get;
  get.entity = "crate";
  auto told = dut.call<srv::GetEntityInfo>("/get_entity_info", get);
  CHECK(told.result.result == SimResult::RESULT_OK);
  CHECK(told.info.category.category == EntityCategory::CATEGORY_OBJECT);
  CHECK(told.info.description == "model box");
  CHECK(told.info.tags == Names{"wood", "small"});

  srv::SetEntityInfo::Request set;
  set.entity = "crate", set.info = told.info, set.info.tags = {"steel"};
  CHECK(dut.call<srv::SetEntityInfo>("/set_entity_info", set).result.result == SimResult::RESULT_OK);
  CHECK(dut.world().entity(dut.world().find("crate")).kind->tags == Names{"steel"});
  set.info.tags = {"glass"}, set.info.description = "mine";
  CHECK(dut.call<srv::SetEntityInfo>("/set_entity_info", set).result.result == SimResult::RESULT_OPERATION_FAILED);
  set.info.description.clear(), set.info.category.category = EntityCategory::CATEGORY_HUMAN;
  CHECK(dut.call<srv::SetEntityInfo>("/set_entity_info", set).result.result == SimResult::RESULT_OPERATION_FAILED);
  CHECK(dut.world().entity(dut.world().find("crate")).kind->tags == Names{"steel"});
  set.entity = get.entity = "nobody";
  CHECK(dut.call<srv::SetEntityInfo>("/set_entity_info", set).result.result == SimResult::RESULT_NOT_FOUND);
  CHECK(dut.call<srv::GetEntityInfo>("/get_entity_info", get).result.result == SimResult::RESULT_NOT_FOUND);

  srv::GetEntityBounds::Request bounds;
  bounds.entity = "alpha";
  const auto box = dut.call<srv::GetEntityBounds>("/get_entity_bounds", bounds);
  CHECK(box.bounds.type == Bounds::TYPE_BOX);
  REQUIRE(box.bounds.points.size() == 2);
  CHECK(box.bounds.points[0].x > 0);
  CHECK(box.bounds.points[1].x < 0);
  CHECK(box.bounds.points[1].z == 0);
  bounds.entity = "nobody";
  CHECK(dut.call<srv::GetEntityBounds>("/get_entity_bounds", bounds).result.result == SimResult::RESULT_NOT_FOUND);
}

TEST_CASE("an entity is deleted when it is said to be, and one that is not there was not") {
  Hall dut;
  srv::DeleteEntity::Request request;
  request.entity = "crate";
  CHECK(dut.call<srv::DeleteEntity>("/delete_entity", request).result.result == SimResult::RESULT_OK);
  CHECK(dut.world().find("crate") == kNoSlot);
  CHECK(dut.call<srv::DeleteEntity>("/delete_entity", request).result.result == SimResult::RESULT_NOT_FOUND);
  request.entity.clear();
  CHECK(dut.call<srv::DeleteEntity>("/delete_entity", request).result.result == SimResult::RESULT_NOT_FOUND);
}

TEST_CASE("services are in the client's namespace, and at the root where it speaks for the run") {
  DoorRig speaks({.settings = {.ns = "/NetworkPC1"}}), second({.settings = {.ns = "/NetworkPC2", .number = 2}});
  CHECK(speaks.call<srv::GetEntities>("/NetworkPC1/get_entities").entities.size() == 2);
  CHECK(speaks.call<srv::GetEntities>("/get_entities").entities.size() == 2);
  CHECK(second.call<srv::GetEntities>("/NetworkPC2/get_entities").entities.size() == 2);
  const auto client = *second.caller->client("/get_entities", ros::ServiceSupport::of<srv::GetEntities>());
  CHECK(!second.until([&] { return client->ready(); }, 1));
  CHECK(second.until([&] { return client->ready(); }, 10));  // in a domain of its own, as it has found
}

}  // namespace simulation_entities_test
