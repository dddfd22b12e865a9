// Edits that agents ask for in a tick, at the boundary behind it.
#include "run/asked_edits.h"

#include <doctest/doctest.h>

#include "agent/asker_rig.h"
#include "lockstep/barrier_rig.h"

namespace asked_edits_test {

using namespace convoy;
using namespace convoy::testing;
using namespace std::chrono_literals;

namespace {

Setup four_askers() {
  Setup setup = four_robots();
  for (int i = 0; i < 4; ++i) setup.entities[static_cast<std::size_t>(i)] = asker("r" + std::to_string(i), i);
  return setup;
}

// "3: r0 spawns a" for what agents asked for, "3: Spawn outside" for what came from elsewhere.
std::vector<std::string> told(const std::vector<JournalEntry>& journal, const World& world) {
  std::vector<std::string> out;
  const auto text = [](const Edit& edit) {
    if (const auto* spawn = std::get_if<Spawn>(&edit)) return "spawn " + spawn->spec.name;
    if (const auto* one = std::get_if<Attach>(&edit))
      return "attach " + std::to_string(one->child.value()) + " to " + std::to_string(one->parent.value());
    if (const auto* one = std::get_if<Freeze>(&edit)) return "freeze " + std::to_string(one->entity.value());
    return "edit " + std::to_string(edit.index());
  };
  for (const JournalEntry& entry : journal) {
    const std::string at = std::to_string(entry.tick) + ": ";
    if (const auto* asked = std::get_if<AskedEdit>(&entry.what))
      out.push_back(at + world.entity(world.slot_of(asked->agent)).name + " asked: " + text(asked->edit));
    if (const auto* edit = std::get_if<Edit>(&entry.what)) out.push_back(at + text(*edit));
    if (const auto* lost = std::get_if<Lost>(&entry.what))
      out.push_back(at + std::to_string(lost->agents.size()) + " lost");
  }
  return out;
}

// Submits edits as a boundary is complete, before the agents' own are carried out.
struct Outside final : RunWatcher {
  explicit Outside(Conductor& c) : conductor(c) {}
  void completed(std::uint32_t, Tick tick, const World&, std::span<const AgentHash>,
                 std::span<const Message>) override {
    for (const auto& [at, edit] : edits)
      if (at == tick) conductor.submit(edit, nullptr);
  }
  void entered(const JournalEntry&) override {}
  void chained(std::uint32_t, Tick, std::uint64_t, const World&, std::span<const AgentHash>) override {}
  void checkpointed(std::uint32_t, Tick, const InnerBytes&) override {}
  Conductor& conductor;
  std::vector<std::pair<Tick, Edit>> edits;
};

Spawn outside_spawn(const char* name) {
  Spawn spawn;
  spawn.spec.name = name, spawn.spec.model = "box", spawn.spec.pose.p.x = 9;
  return spawn;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("agents' edits land at the boundary behind their tick, by agent and index, before those from outside") {
  Askers askers;
  askers.plans["r0"] = {{29ms, spawn_request("a", {5, 0, 0})}, {35ms, attach_request("~", "b")}};
  askers.plans["r1"] = {{20ms, spawn_request("b", {6, 0, 0})}, {20ms, spawn_request("a", {7, 0, 0})}};
  askers.plans["r2"] = {{21ms, spawn_request("", {0.5, 0, 0}, "~")}};
  BarrierRig dut({.end = 20}, four_askers(), &askers);
  Outside outside(dut.conductor);
  outside.edits = {{3, outside_spawn("outside")}};
  dut.conductor.watchers().add(&outside);

  dut.settle();

  CHECK(dut.trouble == "");
  const World& world = dut.conductor.world();
  CHECK(told(dut.diary.journal, world) == Lines{"3: r0 asked: spawn a", "3: r1 asked: spawn b",
                                                "3: r2 asked: spawn box_7", "3: spawn outside",
                                                "4: r0 asked: attach 6 to 1"});
  CHECK(askers.heard["r0"] == Lines{"30 ms: a is 5", "40 ms: b is 6"});
  CHECK(askers.heard["r1"] == Lines{"30 ms: b is 6", "30 ms: an entity named 'a' exists already"});
  CHECK(askers.heard["r2"] == Lines{"30 ms: box_7 is 7"});
  CHECK(world.entity(world.find("outside")).number == WorldNumber(8));
  CHECK(world.snapshot().state(world.find("a")).pose.p.x == 5);
  CHECK(world.snapshot().state(world.find("box_7")).pose.p.x == 2.5);  // before r2, which stands at 2
  CHECK(world.entity(world.find("b")).parent == WorldNumber(1));
  CHECK(dut.conductor.books().counts.spawned == 4);
}

TEST_CASE("an agent is told why an edit was refused, and the world is as it was") {
  Askers askers;
  EditRequest unknown_model = spawn_request("a", {});
  unknown_model.model = "boxx";
  EditRequest nowhere = spawn_request("a", {std::nan(""), 0, 0});
  askers.plans["r0"] = {{20ms, about(EditKind::kDelete, "r1")},
                        {20ms, unknown_model},
                        {20ms, nowhere},
                        {20ms, spawn_request("not a name", {})},
                        {20ms, spawn_request("a", {}, "nobody")}};
  askers.plans["r1"] = {{20ms, about(EditKind::kDelete, "r3")},
                        {20ms, about(EditKind::kSet, "nobody")},
                        {20ms, attach_request("", "r0")},
                        {20ms, attach_request("~", "~")},
                        {20ms, about(EditKind::kDetach, "r0")},
                        {20ms, about(static_cast<EditKind>(77), "r0")},
                        {20ms, about(EditKind::kSet, std::string(70'000, 'x'))}};
  Setup setup = four_askers();
  setup.entities[0].edits = {EditKind::kSpawn};
  BarrierRig dut({.end = 6}, setup, &askers);
  dut.conductor.submit(Lease{{WorldNumber(4)}, "ann", Lease::Kind::kTake}, nullptr);

  dut.settle();

  CHECK(dut.trouble == "");
  CHECK(askers.heard["r0"] ==
        Lines{"30 ms: 'r0' may not ask for this: its scenario needs edits: [delete]",
              "30 ms: unknown model 'boxx'; did you mean 'box'?", "30 ms: the pose holds NaN or infinity",
              "30 ms: 'not a name' is no valid name: letters, digits and '_', a letter first, at most 128",
              "30 ms: unknown frame 'nobody'"});
  CHECK(askers.heard["r1"] == Lines{"30 ms: its names are too long", "30 ms: 'ann' has leased 'r3'",
                                    "30 ms: unknown entity 'nobody'", "30 ms: the entity name is empty",
                                    "30 ms: attaching 'r1' to 'r1' would make a cycle", "30 ms: 'r0' is not attached",
                                    "30 ms: unknown kind of edit"});
  CHECK(dut.diary.journal.size() == 1);  // the lease
  CHECK(dut.conductor.world().entities().size() == 4);
}

TEST_CASE("one agent asks for 100 edits in a tick, and what is more is refused") {
  Askers askers;
  for (int i = 0; i < 103; ++i) askers.plans["r0"].emplace_back(20ms, spawn_request("", {1.0 * i, 5, 0}));
  askers.plans["r0"].emplace_back(30ms, spawn_request("last", {0, 6, 0}));
  BarrierRig dut({.end = 6}, four_askers(), &askers);

  dut.settle();

  CHECK(dut.conductor.world().entities().size() == 4 + 101);
  CHECK(std::count(askers.heard["r0"].begin(), askers.heard["r0"].end(), std::string("30 ms: ") + kTooManyEdits) == 3);
  CHECK(askers.heard["r0"].back() == "40 ms: last is 105");
  RequestLimit limit;  // of the server, which does not count on the host
  int admitted = 0;
  for (int i = 0; i < 103; ++i) admitted += limit.admit(WorldNumber(1), 3);
  CHECK(admitted == 100);
  CHECK(limit.admit(WorldNumber(2), 3));
}

TEST_CASE("bytes that are no request are answered, and no agent gets them") {
  Askers askers;
  askers.plans["r0"] = {{20ms, spawn_request("a", {5, 0, 0})}};
  BarrierRig dut({.end = 6}, four_askers(), &askers);
  dut.on_way = [](BarrierRig::Frame& frame) {
    Messages all;
    if (frame.to_host || frame.type != FrameType::kMessages || !load(frame.bytes, all)) return true;
    for (Message& message : all.messages)
      if (is_edit_request(message)) message.payload = {1, 2, 3};
    frame.bytes = save(all);
    return true;
  };

  dut.settle();

  CHECK(dut.trouble == "");
  CHECK(askers.heard["r0"] == Lines{"30 ms: what is asked for is malformed"});
  CHECK(dut.diary.journal.empty());
}

TEST_CASE("a lost tick loses the edits that were asked for in it, of that host alone") {
  Askers askers;
  for (const char* name : {"r0", "r1", "r2", "r3"})
    askers.plans[name] = {{55ms, spawn_request(std::string("of_") + name, {5, 0, 0})}};
  BarrierRig dut({.end = 20}, four_askers(), &askers);
  dut.on_way = [&](BarrierRig::Frame& frame) {
    Done done;
    if (frame.to_host || frame.who != Owner{2} || frame.type != FrameType::kDone) return true;
    return !load(frame.bytes, done) || done.tick < 6;
  };
  dut.settle();

  dut.conductor.leave(Owner{2});
  dut.settle();

  CHECK(told(dut.diary.journal, dut.conductor.world()) ==
        Lines{"6: 2 lost", "6: r0 asked: spawn of_r0", "6: r2 asked: spawn of_r2", "6: freeze 4", "6: freeze 2"});
  CHECK(dut.conductor.tick() == 20);
}

TEST_CASE("what was asked for in a whole tick is made though all hosts have left, and stands still") {
  Askers askers;
  askers.plans["r0"] = {{55ms, spawn_request("late", {5, 0, 0})}};
  BarrierRig dut({.end = 20}, four_askers(), &askers);
  bool closed = false;
  dut.on_way = [&](BarrierRig::Frame& frame) {
    Done done;
    if (frame.to_host || frame.type != FrameType::kDone || !load(frame.bytes, done) || done.tick < 6) return true;
    closed = closed || frame.who == Owner{1};
    return frame.who == Owner{1};
  };
  dut.settle();
  REQUIRE(closed);

  dut.conductor.leave(Owner{1});
  dut.conductor.leave(Owner{2});
  dut.settle();

  const World& world = dut.conductor.world();
  REQUIRE(world.find("late") != kNoSlot);
  CHECK(world.entity(world.find("late")).frozen);
  const Lines lines = told(dut.diary.journal, world);
  CHECK(std::count(lines.begin(), lines.end(), "6: r0 asked: spawn late") == 1);
  CHECK(std::count(lines.begin(), lines.end(), "6: freeze 5") == 1);
}

}  // namespace asked_edits_test
