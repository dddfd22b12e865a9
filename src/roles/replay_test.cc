#include "roles/replay.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "core/altered.h"
#include "roles/recorded_run.h"

namespace replay_test {

using namespace convoy;
using namespace convoy::testing;

TEST_CASE("a recorded run is the unrecorded one, and is verified on any number of hosts and from any checkpoint") {
  const Trial plain = run(room(), {.record = false});

  const Trial dut = run(room(), {.hosts = 2});

  CHECK(dut.digest == plain.digest);
  for (int hosts : {1, 2, 3}) check_equal(dut, hosts);
  for (double from : {0.2, 0.25, 0.6, 1.29, 99.0}) check_equal(dut, 2, from);
  CHECK(replay(dut.file, 3, 0.6).began == Place{0, 50});
  CHECK(replay(dut.file, 1).digests == kEnd + 1);
  CHECK(replay(dut.file, 1, 0, false).digest == dut.digest);
}

TEST_CASE("spawn, delete, set, attach, detach, drive, weather and named resets come again from the journal") {
  const Trial dut = busy_run(false);

  CHECK_FALSE(dut.failed);
  for (int hosts : {1, 2, 3}) check_equal(dut, hosts);
  for (double from : {0.25, 0.5, 0.75, 1.0, 1.25}) check_equal(dut, 3, from);
}

TEST_CASE("a replay has the recording's hosts, and each robot where it was, unless another number is asked for") {
  Setup setup = room();
  setup.entities[1].host = "left";
  const Trial dut = run(setup, {.hosts = 2, .names = {"right", "left"}});
  const auto recording = Recording::open(dut.file);
  const auto owner_of_robot1 = [&](int hosts) {
    Silence log;
    SerialExecutor executor;
    const KinematicFactory factory;
    auto made = Replay::make(*recording, {.hosts = hosts}, executor, factory, log);
    Moment now{};
    (*made)->run([&] { return now += std::chrono::microseconds(200); }, [&](Moment until) { now = until; });
    CHECK((*made)->digest() == dut.digest);
    const World& world = (*made)->conductor().world();
    return (*made)->conductor().hosts().at(world.entity(world.find("robot1")).owner).name;
  };

  CHECK(owner_of_robot1(0) == "left");
  CHECK(owner_of_robot1(2) == "left");
  CHECK(owner_of_robot1(3) == "host1");
}

TEST_CASE("a run with a reset of the whole world is replayed through all its runs") {
  const Trial dut = busy_run(true);

  CHECK(Recording::open(dut.file)->end() == Place{1, kEnd});
  for (int hosts : {1, 2, 3}) check_equal(dut, hosts);
  for (double from : {0.5, 0.9, 1.0, 1.3, 1.8}) check_equal(dut, 2, from);  // 0.9 s and later: the second run
}

TEST_CASE(
    "a host that is killed in a tick freezes or takes its robots along, and the replay with other hosts does so") {
  for (LeavePolicy leave : {LeavePolicy::kFreeze, LeavePolicy::kRemove}) {
    for (Tick at : {40, 49, 50}) {
      CAPTURE(at);
      const Trial dut = run(room(), {.hosts = 3, .leave = leave, .faults = {{at, "host1", FaultKind::kKill, {}}}});

      CHECK_FALSE(dut.failed);
      const auto recording = Recording::open(dut.file);
      CHECK(std::any_of(recording->journal().begin(), recording->journal().end(),
                        [](const auto& e) { return std::holds_alternative<Lost>(e.what); }));
      for (int hosts : {1, 2, 3}) check_equal(dut, hosts);
      for (double from : {0.25, 0.5, 0.75}) check_equal(dut, 2, from);
    }
  }
}

TEST_CASE("a host that leaves after its Done has made its states of that tick, for all") {
  bool left = false;
  const Trial dut = run(room(), {.hosts = 3, .meddle = [&](ServerRole&, auto& clients) {
                                   const LockstepHost* host = clients[0]->host();
                                   if (left || !host || host->tick() != 40) return;
                                   left = true;
                                   clients[0]->stop();
                                 }});

  REQUIRE(left);
  CHECK_FALSE(dut.failed);
  const auto recording = Recording::open(dut.file);
  CHECK(std::none_of(recording->journal().begin(), recording->journal().end(),
                     [](const auto& e) { return std::holds_alternative<Lost>(e.what); }));
  for (int hosts : {1, 2, 3}) check_equal(dut, hosts);
}

TEST_CASE("a file that enters in pieces is recorded with the journal and with checkpoints, not with each piece") {
  constexpr std::size_t kPieces = 8;
  Bytes file(kPieces * kMaxFilePiece);
  Random random{7, 0};  // no compression makes it smaller
  for (std::uint8_t& byte : file) byte = static_cast<std::uint8_t>(random.below(256));
  std::size_t sent = 0;
  const Trial dut = run(room(), {.meddle = [&](ServerRole& server, auto&) {
                          if (sent == kPieces || server.run().tick() < 10 + static_cast<Tick>(sent)) return;
                          const auto from = file.begin() + static_cast<long>(sent * kMaxFilePiece);
                          server.run().submit(AddFile{hash64(file), sent * kMaxFilePiece, file.size(),
                                                      Bytes(from, from + static_cast<long>(kMaxFilePiece))},
                                              nullptr);
                          ++sent;
                        }});

  CHECK_FALSE(dut.failed);
  CHECK(sent == kPieces);
  CHECK(dut.file.size() < 3 * file.size());
  check_equal(dut, 2);
  for (double from : {0.25, 0.75}) check_equal(dut, 1, from);
}

TEST_CASE("edits at one boundary that fill more than a frame reach the hosts, and come again") {
  const auto many = [](Conductor& c) {
    for (int i = 0; i < 300; ++i) {
      EntitySpec e = extra("crowd" + std::to_string(i), 0.1 * (i % 40) - 2, 0.1 * (i / 40) + 3);
      e.driver = {.kind = DriverKind::kNone};
      e.driver.waypoints.resize(300);
      submit(c, Spawn{e, kNobody});
    }
  };
  Setup setup = room();
  setup.network.range = 1;

  const Trial dut = run(setup, {.meddle = Steps{{{60, many}}}});

  CHECK_FALSE(dut.failed);
  check_equal(dut, 3);
  check_equal(dut, 1, 0.75);
}

TEST_CASE("without the digests in the file a replay comes to the same one") {
  const Trial dut = busy_run(false);

  const Bytes stripped = rewritten(dut.file, [](const std::string& name, Bytes&) { return name != topic::kDigest; });

  const Again again = replay(stripped, 2);
  CHECK(again.equal());
  CHECK(again.digests == 0);
  CHECK(again.digest == dut.digest);
}

TEST_CASE("with other digests in the file a replay comes to the same one, and --verify fails") {
  const Trial dut = run(room(), {});

  const Bytes other = rewritten(dut.file, [](const std::string& name, Bytes& data) {
    DigestRecord record;
    if (name != topic::kDigest) return true;
    REQUIRE(load(data, record));
    record.digest ^= 1;
    data = save(record);
    return true;
  });

  CHECK(replay(other, 2, 0, false).digest == dut.digest);
  CHECK(replay(other, 2).difference.value_or("equal").find("tick 0 (0 s), digest: ") == 0);
}

TEST_CASE("an altered journal entry is named by tick, entity and field") {
  const Trial dut = busy_run(false);
  const auto named = [](const Bytes& file) -> std::string {
    const std::string one = replay(file, 1).difference.value_or("equal");
    CHECK(replay(file, 3).difference.value_or("equal") == one);
    return one;
  };

  const auto check = [&](const Bytes& file, const char* expected) {
    const std::string text = named(file);
    CHECK_MESSAGE(text.find(expected) != std::string::npos, text);
  };

  check(with_altered<SetState>(dut.file, [](SetState& e) { e.pose.p.x += 0.5; }),
        "entity robot1, pose.p.x: 2.5 recorded, 3 replayed");
  check(with_altered<DriveCommand>(dut.file, [](DriveCommand& e) { e.twist.v.x = -0.2; }), "entity robot7, pose.p.");
  // Shows in no state until the command runs out: the inner bytes of the next checkpoint show it.
  check(with_altered<DriveCommand>(dut.file, [](DriveCommand& e) { e.timeout += std::chrono::milliseconds(50); }),
        "entity robot7, inner.drive_until: 340000000ns at tick 25 recorded, 390000000ns at tick 25 replayed");
  check(with_altered<SetEnvironment>(dut.file, [](SetEnvironment& e) { e.environment.fog = 0.5; }),
        "environment.fog: 0.25 recorded, 0.5 replayed");
  check(with_altered<Spawn>(dut.file, [](Spawn& e) { e.spec.name = "later"; }),
        "entity late, spec.name: late recorded, later replayed");
  check(with_altered<Delete>(dut.file, [](Delete& e) { e.entity = WorldNumber(4); }),
        "entity robot2, existence: does not exist recorded, exists replayed");
  check(with_altered<Attach>(dut.file, [](Attach& e) { e.child = WorldNumber(999); }),
        "journal: carried out recorded, refused");
  const Trial twice = busy_run(true);
  CHECK_FALSE(replay(with_altered<Reset>(twice.file, [](Reset& e) { e.entities = {WorldNumber(1)}; }), 1).equal());
}

TEST_CASE("any field of the journal that is altered is named with its tick, but for where robots run") {
  const Trial dut = busy_run(false);
  const std::vector<JournalEntry> journal = [&] {
    const auto recording = Recording::open(dut.file);
    return std::vector<JournalEntry>(recording->journal().begin(), recording->journal().end());
  }();
  REQUIRE(journal.size() > 9);
  std::set<std::string> unnamed;
  std::size_t altered = 0;
  for (std::size_t i = 0; i < journal.size(); ++i) {
    for (std::size_t n = 0;; ++n) {
      JournalEntry entry = journal[i];
      const auto path = alter(entry, n);
      if (!path) break;
      if (*path == "run" || *path == "tick") continue;  // it is then at the wrong place of the file
      std::size_t at = 0;
      const Bytes file = rewritten(dut.file, [&](const std::string& name, Bytes& data) {
        if (name == topic::kJournal && at++ == i) data = save(entry);
        return true;
      });
      const Again again = replay(file, 1);
      CAPTURE(i);
      CAPTURE(*path);
      const std::string field = path->substr(path->rfind('.') + 1);
      if (field == "host" || field == "owner") {
        CHECK(again.equal());
        continue;
      }
      ++altered;
      const std::string text = again.difference.value_or("equal");
      CHECK_MESSAGE(text.rfind("tick ", 0) == 0, text);
      const bool entity = text.find(", entity ") != std::string::npos,
                 refused = text.find("refused: ") != std::string::npos;
      const bool world = text.find(" environment.") != std::string::npos || text.find(" models[") != std::string::npos;
      if (!(entity || world || refused) || text.find("hash ") != std::string::npos) unnamed.insert(*path);
    }
  }
  CHECK(altered > 80);
  CHECK(unnamed == std::set<std::string>{"what.twist.given"});  // no twist is a twist of 0: only the history differs
}

TEST_CASE("every part of a recording that is cut off leaves a part that verifies") {
  const Trial dut = busy_run(true);
  std::size_t opened = 0;
  Place last{};
  for (std::size_t n = 0; n <= dut.file.size(); n += 1 + dut.file.size() / 90) {
    CAPTURE(n);
    const Again again = replay(Bytes(dut.file.begin(), dut.file.begin() + static_cast<std::ptrdiff_t>(n)), 1);
    CHECK_FALSE(again.difference);
    if (again.refused) continue;
    ++opened;
    CHECK(again.end >= last);
    CHECK(again.digests == again.boundaries - (again.end.run > 0 ? 1 : 0));
    last = again.end;
  }
  CHECK(opened > 45);
}

TEST_CASE("no bit of a recording is flipped without notice") {
  const Trial dut = busy_run(false);
  REQUIRE(Recording::open(dut.file)->intact());
  CHECK(Recording::open(dut.file)->whole_share() == 1);
  std::size_t damaged = 0;
  const auto flip = [&](std::size_t at, int bit) {
    CAPTURE(at);
    CAPTURE(bit);
    Bytes bad = dut.file;
    bad[at] ^= static_cast<std::uint8_t>(1u << bit);
    const auto recording = Recording::open(bad);
    CHECK((!recording || !recording->intact()));
    if (!recording) return;
    CHECK(recording->whole_share() > 0);
    CHECK(recording->whole_share() <= 1);
    ++damaged;
  };
  for (std::size_t at = 0; at < dut.file.size(); at += 1 + dut.file.size() / 150) flip(at, static_cast<int>(at % 8));
  // The end has the most kinds of records: the last indexes, the summary, the footer.
  for (std::size_t at = dut.file.size() - 300; at < dut.file.size(); ++at) flip(at, static_cast<int>(at * 5 % 8));
  CHECK(damaged > 200);
}

TEST_CASE("a flipped byte is noticed, or hurts nothing: what is left verifies") {
  const Trial dut = busy_run(false);
  std::size_t opened = 0;
  for (std::size_t at = 0; at < dut.file.size(); at += 1 + dut.file.size() / 150) {
    CAPTURE(at);
    Bytes bad = dut.file;
    bad[at] ^= static_cast<std::uint8_t>(1u << (at % 8));
    const Again again = replay(bad, 1);
    CHECK_FALSE(again.difference);
    if (again.refused) continue;
    ++opened;
    if (again.end == Place{0, kEnd}) CHECK(again.digest == dut.digest);
  }
  CHECK(opened > 50);
}

TEST_CASE("records that were taken out end the recording before them") {
  const Trial dut = busy_run(false);
  std::size_t count = 0;
  const Bytes holed =
      rewritten(dut.file, [&](const std::string& name, Bytes&) { return name != topic::kJournal || ++count != 3; });

  const auto recording = Recording::open(holed);
  REQUIRE(recording.has_value());
  CHECK(recording->damage().find("records are missing on /convoy/journal") != std::string::npos);
  CHECK(recording->end().tick < 25);
  CHECK(replay(holed, 1).equal());
}

TEST_CASE("files that are no recordings are refused with the reason") {
  CHECK(Recording::open(Bytes{}).error().text.find("not a recording of convoy") != std::string::npos);
  CHECK(Recording::open(Bytes(1000, 'x')).error().text.find("not an MCAP file") != std::string::npos);
  MemorySink sink;
  McapWriter other(sink);
  REQUIRE(other.close().has_value());
  CHECK(Recording::open(sink.bytes).error().text.find("it has no head") != std::string::npos);
}

namespace {

// A program outside that drives a host's robots in some ticks, and notes when they move.
class OutsideDoor final : public Gateway {
 public:
  void before_tick(const Fleet& fleet, Tick k, std::vector<Input>& inputs) override {
    if (k < 20 || k % 7 != 3) return;
    for (const auto& agent : fleet.all())
      inputs.push_back(DriveCommand{
          agent->number(), {{0.02 * static_cast<double>(k % 5), 0, 0}, {0, 0, 0.3}}, std::chrono::milliseconds(40)});
    if (first_command < 0) first_command = k;
  }
  void after_tick(const Fleet& fleet, Tick reached, const Snapshot& states) override {
    for (const auto& agent : fleet.all())
      if (states.state(fleet.world().slot_of(agent->number())).twist.v.x != 0 && first_motion < 0 &&
          agent->number() == WorldNumber(8))  // robot7, which has no driver
        first_motion = reached;
  }
  void on_time(const Fleet*, Moment) override {}
  Moment deadline() const override { return kNever; }

  Tick first_command = -1, first_motion = -1;
};

}  // namespace

TEST_CASE("what comes through a gateway acts in the tick that begins, and replays to the same digest") {
  const Setup setup = room();
  const std::uint64_t alone = run(setup, {}).digest;
  OutsideDoor left, right;
  const Trial dut = run(setup, {.gateways = {&left, &right}});

  CHECK_FALSE(dut.failed);
  CHECK(dut.digest != alone);
  const OutsideDoor& owner = left.first_motion >= 0 ? left : right;
  CHECK(owner.first_command == 24);
  CHECK(owner.first_motion == owner.first_command + 1);
  for (int hosts : {1, 3}) {
    const Again again = replay(dut.file, hosts);
    CHECK(again.equal());
    CHECK(again.digest == dut.digest);
  }
  CHECK(replay(dut.file, 2, 0.6).equal());  // from a checkpoint
}

TEST_CASE("a replay can be recorded in its turn, edits, resets and losses included, and that recording verifies") {
  const Trial lossy = run(room(), {.hosts = 3, .faults = {{40, "host1", FaultKind::kKill, {}}}});
  for (const Trial& first : {busy_run(false), busy_run(true), lossy}) {
    auto recording = Recording::open(first.file);
    REQUIRE(recording.has_value());
    MemorySink sink;
    RecordingHead head;
    head.version = "test", head.hosts = hosts_of(*recording, 2);
    Recorder recorder(sink, recording->setup(), head, recording->scenario_text());
    Silence log;
    SerialExecutor executor;
    const KinematicFactory factory;
    ReplayOptions options{.hosts = 2};
    options.watchers = {&recorder};
    auto replayed = Replay::make(*recording, options, executor, factory, log);
    REQUIRE(replayed.has_value());
    Moment now{};
    (*replayed)->run([&] { return now += std::chrono::microseconds(200); }, [](Moment) {});
    REQUIRE(recorder.file().close().has_value());

    CHECK((*replayed)->digest() == first.digest);
    check_equal(Trial{sink.bytes, first.digest}, 1);
    check_equal(Trial{sink.bytes, first.digest}, 3, 0.5);
  }
}

}  // namespace replay_test
