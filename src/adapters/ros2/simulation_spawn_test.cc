#include "adapters/ros2/simulation_spawn.h"

#include <limits>
#include <simulation_interfaces/srv/get_spawnables.hpp>
#include <simulation_interfaces/srv/spawn_entities.hpp>
#include <simulation_interfaces/srv/spawn_entity.hpp>

#include "adapters/ros2/old_hashes.h"
#include "adapters/ros2/testing.h"
#include "core/hash.h"
#include "record/foxglove/cdr.h"

namespace simulation_spawn_test {

using namespace convoy;
using namespace convoy::ros2;
namespace srv = simulation_interfaces::srv;
using simulation_interfaces::msg::SpawnEntity;
using simulation_interfaces::msg::SpawnResult;

namespace {

constexpr const char* kBox = "convoy:///model/box";

SpawnEntity wish(const std::string& name, double x = 0, const std::string& uri = kBox) {
  SpawnEntity out;
  out.name = name, out.entity_resource.uri = uri, out.initial_pose.pose.position.x = x;
  return out;
}

struct Hall : DoorRig {
  using DoorRig::DoorRig;
  srv::SpawnEntity::Response spawn(const SpawnEntity& wish) {
    srv::SpawnEntity::Request request;
    request.name = wish.name, request.allow_renaming = wish.allow_renaming;
    request.entity_resource = wish.entity_resource, request.entity_namespace = wish.entity_namespace;
    request.initial_pose = wish.initial_pose;
    return call<srv::SpawnEntity>("/spawn_entity", request);
  }
  int result(const SpawnEntity& wish) { return spawn(wish).result.result; }
  const Entity& entity(const std::string& name) {
    REQUIRE(world().find(name) != kNoSlot);
    return world().entity(world().find(name));
  }
};

// Whoever describes a box gets it, as tall as the description says; with a file of two pieces.
struct Reader final : RobotImporter {
  explicit Reader(std::vector<RobotDescription>& a) : asked(a) {}
  void import(RobotDescription what, Imported imported) override {
    asked.push_back(what);
    waiting.emplace_back(std::move(what), std::move(imported));
  }
  void proceed() override {
    for (const auto& [what, imported] : std::exchange(waiting, {})) {
      if (what.text.find("broken") != std::string::npos) imported(fail(ErrorCode::kInvalid, "it is broken"));
      else if (what.text.find("mesh") != std::string::npos) imported(fail(ErrorCode::kNotFound, "no mesh"));
      else if (what.file == "/lost.urdf") imported(fail(ErrorCode::kNotFound, "no file '/lost.urdf'"));
      else if (what.file.ends_with(".xacro")) imported(fail(ErrorCode::kUnsupported, "this is xacro"));
      else imported(made_of(what));
    }
  }
  static ImportedModel made_of(const RobotDescription& what) {
    ImportedModel out;
    for (const Model& model : built_in_models())
      if (model.name == "box") out.model = model;
    out.model.name = what.model_name.empty() ? "file_" + std::to_string(what.file.size()) : what.model_name;
    out.model.height = 0.5;
    out.files = {Bytes(kMaxFilePiece + 5, 7), Bytes{1, 2, 3}};
    return out;
  }
  std::vector<RobotDescription>& asked;
  std::vector<std::pair<RobotDescription, Imported>> waiting;
};

struct Reading : Hall {
  Reading() : Reading(std::make_unique<std::vector<RobotDescription>>()) {}
  explicit Reading(std::unique_ptr<std::vector<RobotDescription>> a)
      : Hall({.importer = std::make_unique<Reader>(*a)}), asked(std::move(a)) {}
  static SpawnEntity described(const std::string& text, double x = 3) {
    SpawnEntity out = wish("", x, "");
    out.entity_resource.resource_string = text;
    return out;
  }
  const Model& model_of(const std::string& name) { return *world().models()[entity(name).model]; }
  std::unique_ptr<std::vector<RobotDescription>> asked;
};

}  // namespace

TEST_CASE("a robot's description is read, its files and its model brought to all, and the robot spawned") {
  Reading dut;
  const std::string urdf = "<?xml version='1.0'?><robot name='my scout'><link name='base'/></robot>";
  auto first = Reading::described(urdf);
  CHECK(dut.result(first) == SpawnResult::NAME_INVALID);  // the name in it is none here
  first.allow_renaming = true;
  const auto told = dut.spawn(first);
  CHECK(told.result.result == SimResult::RESULT_OK);
  CHECK(told.entity_name == "my_scout");
  CHECK(dut.model_of("my_scout").height == 0.5);
  CHECK(dut.model_of("my_scout").name.starts_with("my_scout_"));
  CHECK(dut.world().files().count(hash64(Bytes(kMaxFilePiece + 5, 7))) == 1);
  REQUIRE(dut.asked->size() == 1);
  CHECK(dut.asked->at(0).file == "my_scout.urdf");
  CHECK(dut.asked->at(0).text == urdf);

  // The same text again is known, and that of another robot of the same name is another model.
  CHECK(dut.spawn(first).entity_name == "my_scout_1");
  CHECK(dut.asked->size() == 1);
  CHECK(dut.spawn(Reading::described("<mujoco model='my_scout_2'/>", 4)).entity_name == "my_scout_2");
  CHECK(dut.asked->at(1).file == "my_scout_2.xml");
  auto named = Reading::described("<sdf><model name='x'/></sdf>", 2);
  named.name = "tower";
  CHECK(dut.spawn(named).entity_name == "tower");
}

TEST_CASE("a file of the client's machine is read by its path, and its name is the entity's") {
  Reading dut;
  CHECK(dut.spawn(wish("", 3, "file:///robots/scout.urdf")).entity_name == "scout");
  CHECK(dut.asked->at(0).file == "/robots/scout.urdf");
  CHECK(dut.asked->at(0).text.empty());
  CHECK(dut.result(wish("a", 4, "robots/scout.xml")) == SimResult::RESULT_OK);
  CHECK(dut.result(wish("b", 4, "/lost.urdf")) == SpawnResult::NO_RESOURCE);
  CHECK(dut.result(wish("b", 4, "/a.urdf.xacro")) == SpawnResult::UNSUPPORTED_FORMAT);
  CHECK(dut.result(wish("b", 4, "package://robots/scout.urdf")) == SpawnResult::UNSUPPORTED_FORMAT);
  CHECK(dut.result(wish("b", 4, "/robots/scout.usd")) == SpawnResult::UNSUPPORTED_FORMAT);
}

TEST_CASE("a description that is none, broken, or names what is not there, is refused by the code that is for it") {
  Reading dut;
  CHECK(dut.result(Reading::described("no robot")) == SpawnResult::UNSUPPORTED_FORMAT);
  CHECK(dut.result(Reading::described("<world/>")) == SpawnResult::UNSUPPORTED_FORMAT);
  CHECK(dut.result(Reading::described("<robot name='a'>broken")) == SpawnResult::RESOURCE_PARSE_ERROR);
  CHECK(dut.result(Reading::described("<robot name='a'>mesh")) == SpawnResult::MISSING_ASSETS);
  CHECK(dut.world().entities().size() == 2);
  Hall none;
  CHECK(none.result(Reading::described("<robot name='a'/>")) == SpawnResult::UNSUPPORTED_FORMAT);
}

TEST_CASE("two that are spawned of one text at once are of one model, which is read once") {
  Reading dut;
  srv::SpawnEntities::Request request;
  request.spawn_requests = {Reading::described("<robot name='a'/>", 3), Reading::described("<robot name='a'/>", 4),
                            wish("crate", 2)};
  request.spawn_requests[1].name = "b";
  const auto told = dut.call<srv::SpawnEntities>("/spawn_entities", request);
  CHECK(told.result.result == SimResult::RESULT_OK);
  CHECK(dut.asked->size() == 1);
  CHECK(dut.model_of("a").name == dut.model_of("b").name);
}

TEST_CASE("an entity is spawned by URI or by the name of a model, where it is wanted, and runs at the client asked") {
  for (const bool free : {false, true}) {
    CAPTURE(free);
    Hall dut({.free = free});
    auto first = wish("crate", 3);
    first.entity_namespace = "/store/crates", first.initial_pose.header.frame_id = "world";
    const auto told = dut.spawn(first);
    CHECK(told.result.result == SimResult::RESULT_OK);
    CHECK(told.entity_name == "crate");
    CHECK(dut.place("crate").x == 3);
    CHECK(dut.entity("crate").kind->ns == "store/crates");
    CHECK(dut.rig.run().hosts().at(dut.entity("crate").owner).name == "host0");

    auto second = wish("scout", -1, "turtlebot3_burger");
    second.initial_pose.header.frame_id = "crate";
    CHECK(dut.result(second) == SimResult::RESULT_OK);
    CHECK(dut.place("scout").x == doctest::Approx(2));
    CHECK(dut.entity("scout").kind->ns.empty());
  }
}

TEST_CASE("a spawn that cannot be says why, by the code that is for it") {
  Hall dut;
  CHECK(dut.result(wish("alpha")) == SpawnResult::NAME_NOT_UNIQUE);
  CHECK(dut.result(wish("no name")) == SpawnResult::NAME_INVALID);
  CHECK(dut.result(wish("1st")) == SpawnResult::NAME_INVALID);
  CHECK(dut.result(wish("a", 0, "convoy:///model/boks")) == SpawnResult::NO_RESOURCE);
  CHECK(dut.spawn(wish("a", 0, "boks")).result.error_message == "unknown model 'boks'; did you mean 'box'?");
  CHECK(dut.result(wish("a", 0, "")) == SpawnResult::NO_RESOURCE);
  CHECK(dut.result(wish("a", 0, "gz://fuel/box")) == SpawnResult::UNSUPPORTED_FORMAT);
  auto odd = wish("a");
  odd.entity_namespace = "/no good";
  CHECK(dut.result(odd) == SpawnResult::NAMESPACE_INVALID);
  CHECK(dut.result(wish("a", std::numeric_limits<double>::infinity())) == SpawnResult::INVALID_POSE);
  CHECK(dut.result(wish("a", 1e8)) == SpawnResult::INVALID_POSE);
  odd = wish("a"), odd.initial_pose.header.frame_id = "nowhere";
  CHECK(dut.result(odd) == SpawnResult::INVALID_POSE);
  CHECK(dut.world().entities().size() == 2);
}

TEST_CASE("who lets an entity be renamed gets another name where its own is taken, no name, or none") {
  Hall dut;
  const auto name_of = [&](SpawnEntity one) {
    one.allow_renaming = true;
    const auto told = dut.spawn(one);
    CHECK(told.result.result == SimResult::RESULT_OK);
    CHECK(dut.world().find(told.entity_name) != kNoSlot);
    return told.entity_name;
  };
  CHECK(name_of(wish("alpha", 3)) == "alpha_1");
  CHECK(name_of(wish("alpha", 4)) == "alpha_2");
  CHECK(name_of(wish("my crate", 3, "box")) == "my_crate");
  CHECK(name_of(wish("", 1)) == "box");
  CHECK(name_of(wish("", 1)) == "box_1");
  CHECK(name_of(wish(std::string(300, 'a'), 1)).size() == 120);
  CHECK(dut.spawn(wish("", 2, "turtlebot3_burger")).entity_name == "turtlebot3_burger");  // its resource's
  CHECK(dut.result(wish("", 2, "turtlebot3_burger")) == SpawnResult::NAME_NOT_UNIQUE);
}

TEST_CASE("many are spawned at once, each with its own result, and names among them differ") {
  Hall dut;
  srv::SpawnEntities::Request request;
  CHECK(dut.call<srv::SpawnEntities>("/spawn_entities", request).result.result == SimResult::RESULT_OK);
  request.spawn_requests = {wish("a", 1), wish("a", 2), wish("b", 3), wish("c", 4, "nothing")};
  request.spawn_requests[1].allow_renaming = true;
  const auto told = dut.call<srv::SpawnEntities>("/spawn_entities", request);
  CHECK(told.result.result == srv::SpawnEntities::Response::ENTITIES_SPAWN_FAILED);
  CHECK(told.result.error_message == "1 of 4 were not spawned");
  REQUIRE(told.results.size() == 4);
  CHECK(told.results[0].entity_name == "a");
  CHECK(told.results[1].entity_name == "a_1");
  CHECK(told.results[2].result.result == SimResult::RESULT_OK);
  CHECK(told.results[3].result.result == SpawnResult::NO_RESOURCE);
  CHECK(told.results[3].entity_name.empty());
  CHECK(dut.place("a_1").x == 2);
  request.spawn_requests.assign(kMaxSpawned + 1, wish("d"));
  CHECK(dut.call<srv::SpawnEntities>("/spawn_entities", request).result.result == SimResult::RESULT_OPERATION_FAILED);
}

TEST_CASE("names that others take at the same moment are chosen anew, or refused") {
  Hall dut;
  std::vector<srv::SpawnEntity::Response> told;
  for (int i = 0; i < 3; ++i) {
    srv::SpawnEntity::Request request;
    request.name = "crate", request.allow_renaming = i != 1, request.entity_resource.uri = "box";
    request.initial_pose.pose.position.x = 3 + i;
    dut.send<srv::SpawnEntity>("/spawn_entity", request, [&](const auto& response) { told.push_back(response); });
  }
  REQUIRE(dut.until([&] { return told.size() == 3; }));
  std::map<std::string, int> names;
  for (const auto& one : told) ++names[one.entity_name];
  CHECK(names == std::map<std::string, int>{{"", 1}, {"crate", 1}, {"crate_1", 1}});
}

TEST_CASE("a doubt about a place is told beside the success") {
  Hall dut;
  const auto told = dut.spawn(wish("crate", 4.99));
  CHECK(told.result.result == SimResult::RESULT_OK);
  CHECK(told.result.error_message == "it stands in a wall or outside the map");
}

TEST_CASE("spawnables are the run's models, and each can be spawned") {
  Hall dut;
  const auto told = dut.call<srv::GetSpawnables>("/get_spawnables");
  CHECK(told.result.result == SimResult::RESULT_OK);
  CHECK(told.spawnables.size() > 3);
  double x = -4;
  for (const auto& one : told.spawnables) {
    CAPTURE(one.entity_resource.uri);
    CHECK(one.spawn_bounds.points.size() == 2);
    auto entity = wish("", x, one.entity_resource.uri);
    CHECK(dut.result(entity) == SimResult::RESULT_OK);
    x += 1.5;
  }
  srv::GetSpawnables::Request request;
  request.sources = {"convoy:///model/"};
  CHECK(dut.call<srv::GetSpawnables>("/get_spawnables", request).result.result == SimResult::RESULT_OK);
  request.sources = {"/home/me/models"};
  CHECK(dut.call<srv::GetSpawnables>("/get_spawnables", request).result.result == SimResult::RESULT_NOT_FOUND);
}

TEST_CASE("a client of 1.x, by its hash or by the settings, is told of spawnables without a text in each") {
  const auto type = ros::ServiceSupport::of<srv::GetSpawnables>();
  const std::string old(kOldHashes[0].hash);
  REQUIRE(is_old(type.response.name(), old));
  Bytes request;
  Cdr(request).number(std::uint32_t{0});
  const auto first_description = [](const Bytes& reply) -> std::string {
    // result, empty message, count, uri: then the description, or the empty text.
    const std::string text(as_text(ByteView(reply)));
    const std::size_t uri = text.find(kModelUri), end = text.find('\0', uri);
    std::size_t at = (end + 1 - 4 + 3) / 4 * 4 + 4;
    return text.substr(at + 4, text.find('\0', at + 4) - at - 4);
  };
  Hall dut, humble({.settings = {.ns = "/", .two_x = false}});
  const std::string name = dut.call<srv::GetSpawnables>("/get_spawnables").spawnables.at(0).description;
  const std::string own(type.response.hash());
  CHECK(first_description(RawClient(dut, "/get_spawnables", type, {own, own}).call(request)).empty());
  CHECK(first_description(RawClient(dut, "/get_spawnables", type, {own, old}).call(request)) == name);
  CHECK(first_description(RawClient(dut, "/get_spawnables", type, {}).call(request)).empty());
  CHECK(first_description(RawClient(humble, "/get_spawnables", type, {}).call(request)) == name);
  CHECK(first_description(RawClient(humble, "/get_spawnables", type, {own, own}).call(request)).empty());
}

TEST_CASE("a request of 1.x to spawn has two texts where 2.1 has a resource: the same bytes") {
  Hall dut;
  const auto type = ros::ServiceSupport::of<srv::SpawnEntity>();
  Bytes request;
  Cdr cdr(request);
  cdr.text("crate"), cdr.number(std::uint8_t{0}), cdr.text("box"), cdr.text(""), cdr.text("");
  cdr.number(std::int32_t{0}), cdr.number(std::uint32_t{0}), cdr.text("");
  cdr.vector({3, 0, 0}), cdr.turn({});
  RawClient old(dut, "/spawn_entity", type, {std::string(kOldHashes[3].hash), {}});
  const auto told = message_in<srv::SpawnEntity::Response>(*dut.outside, old.call(request));
  REQUIRE(told);
  CHECK(told->result.result == SimResult::RESULT_OK);
  CHECK(dut.place("crate").x == 3);
  request.resize(request.size() - 20);
  CHECK(old.call(request).empty());
}

}  // namespace simulation_spawn_test
