// Edits that agents ask for, in recordings: worked out again by a replay, and compared.
#include <doctest/doctest.h>

#include "agent/asker_rig.h"
#include "roles/recorded_run.h"

namespace asked_replay_test {

using namespace convoy;
using namespace convoy::testing;
using namespace std::chrono_literals;

namespace {

// Two of the robots build, take away and carry things that they made.
Setup site() {
  Setup setup = room();
  setup.entities.resize(6);
  for (int i : {1, 4}) {
    const EntitySpec like = setup.entities[static_cast<std::size_t>(i)];
    EntitySpec& spec = setup.entities[static_cast<std::size_t>(i)] = asker(like.name, like.pose.p.x);
    spec.pose = like.pose;
  }
  return setup;
}

Askers builders() {
  Askers askers;
  const auto spawn = [](const char* name, double x) { return spawn_request(name, {x, 3, 0}); };
  askers.plans["robot1"] = {{42ms, spawn("first", 1)},
                            {42ms, spawn_request("", {-0.6, 0, 0}, "~")},
                            {151ms, attach_request("first", "box_8")},
                            {300ms, attach_request("~", "first")},
                            {600ms, about(EditKind::kDetach, "first")},
                            {700ms, about(EditKind::kDelete, "box_8")}};
  askers.plans["robot4"] = {{42ms, spawn("second", 2)},
                            {42ms, spawn("first", -1)},
                            {202ms, about(EditKind::kSet, "robot0")},
                            {999ms, about(EditKind::kDelete, "~")}};
  return askers;
}

Trial built(int hosts, std::vector<Fault> faults = {}) {
  Askers askers = builders();
  Steps steps{{{5, [](Conductor& c) { submit(c, Spawn{extra("outside", 0, 3), kNobody}); }}}};
  return run(site(), {.hosts = hosts, .faults = std::move(faults), .software = &askers, .meddle = steps});
}

Again again(const Bytes& file, int hosts) {
  Askers askers = builders();
  return replay(file, hosts, 0, true, &askers);
}

}  // namespace

TEST_CASE("what agents build is one digest on any hosts, and its replay builds it again") {
  const Trial one = built(1);
  const auto recording = Recording::open(one.file);
  std::vector<std::size_t> asked;
  for (const JournalEntry& entry : recording->journal())
    if (const auto* edit = std::get_if<AskedEdit>(&entry.what)) asked.push_back(edit->edit.index());
  CHECK(asked == std::vector<std::size_t>{0, 0, 0, 3, 2, 3, 4, 1, 1});
  CHECK(names_of(*recording).at({0, WorldNumber(9)}) == "second");
  for (int hosts : {1, 2, 3}) {
    const Trial dut = built(hosts);
    CHECK_FALSE(dut.failed);
    CHECK(dut.digest == one.digest);
    for (int others : {1, 2, 3}) {
      const Again seen = again(dut.file, others);
      CHECK(seen.refused.value_or(Error{}).text == "");
      CHECK(seen.difference.value_or("") == "");
      CHECK(seen.digest == one.digest);
    }
  }
}

TEST_CASE("a host that is killed takes along what its agents asked for in that tick, in the replay, too") {
  for (Tick at : {4, 15, 30}) {
    const Trial dut = built(3, {{at, "host1", FaultKind::kKill, {}}});
    CHECK_FALSE(dut.failed);
    for (int others : {1, 2}) {
      const Again seen = again(dut.file, others);
      CHECK(seen.refused.value_or(Error{}).text == "");
      CHECK(seen.difference.value_or("") == "");
      CHECK(seen.digest == dut.digest);
    }
  }
}

TEST_CASE("a replay never takes agents' edits from the journal, and names one that is another there") {
  const Trial dut = built(2);
  const auto with = [&](const std::function<void(AskedEdit&)>& alter) {
    return again(rewritten(dut.file,
                           [&](const std::string& name, Bytes& data) {
                             JournalEntry entry;
                             if (name != topic::kJournal || !load(data, entry)) return true;
                             if (auto* asked = std::get_if<AskedEdit>(&entry.what)) alter(*asked), data = save(entry);
                             return true;
                           }),
                 1);
  };

  const Again named = with([](AskedEdit& asked) {
    if (auto* spawn = std::get_if<Spawn>(&asked.edit); spawn && spawn->spec.name == "second")
      spawn->spec.name = "other";
  });
  CHECK(named.difference.value_or("equal") ==
        "tick 5 (0.05 s), entity robot4, edit asked for, edit.spec.name: other recorded, second replayed");
  CHECK(named.digest == dut.digest);
  const Again by_another = with([](AskedEdit& asked) {
    if (std::holds_alternative<SetState>(asked.edit)) asked.agent = WorldNumber(1);
  });
  CHECK(by_another.difference.value_or("equal") ==
        "tick 21 (0.21 s), entity robot4, edit asked for, agent: 1 recorded, 5 replayed");
}

}  // namespace asked_replay_test
