#include "roles/sample_recorder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "roles/recorded_run.h"

namespace sample_recorder_test {

using namespace convoy;
using namespace convoy::testing;

namespace {

struct SampleLine {
  Place place;
  std::uint64_t time_ns = 0;
  Boundary boundary;
};

// What stands in the file, decoded: samples, or all boundaries.
std::vector<SampleLine> samples_of(const Recording& recording) {
  std::vector<SampleLine> out;
  auto cursor = recording.from_start();
  BoundaryCoder coder;
  for (; const Recording::Item* item = cursor.peek(); cursor.next()) {
    if (item->kind != RecordKind::kSample && item->kind != RecordKind::kReached && item->kind != RecordKind::kEdited)
      continue;
    SampleLine sample{item->place, item->time_ns, {}};
    REQUIRE(coder.decode(item->bytes, sample.boundary).has_value());
    if (item->kind != RecordKind::kEdited) out.push_back(std::move(sample));
  }
  CHECK_FALSE(cursor.trouble());
  return out;
}

const RecordDetail kTenHz{std::chrono::milliseconds(100)};

// A recorded run in free mode of two hosts, `meddle`d with before each delivery.
Bytes free_run(RecordDetail detail, const std::function<void(ServerRole&)>& meddle = {}) {
  Silence log;
  SerialExecutor executor;
  const KinematicFactory factory;
  MemorySink sink;
  const Setup setup = room();
  RecordingHead head;
  head.mode = "free";
  SampleRecorder recorder(sink, setup, head, "", detail);
  ServerOptions options;
  options.membership.liveness = Duration{0};
  options.membership.new_token = [] { return Token{}; };
  options.membership.free_mode = true;
  options.live.end = kEnd;
  options.live.watchers = {&recorder};
  options.hosts = {"host0", "host1"};
  Embedded embedded;
  auto server = ServerRole::make(setup, options, embedded.server_network(), log);
  REQUIRE(server.has_value());
  embedded.set_server(**server);
  std::vector<std::unique_ptr<ClientRole>> clients;
  for (const std::string& name : options.hosts) {
    ClientOptions client;
    client.session.name = name;
    client.session.datagrams = true;
    clients.push_back(std::make_unique<ClientRole>(client, embedded.add_client(), executor, factory, log));
    embedded.set_client(clients.size() - 1, *clients.back());
  }
  Moment now{};
  embedded.run(
      [&] {
        if (meddle && !(*server)->run().gathering() && !(*server)->run().over()) meddle(**server);
        return now += std::chrono::microseconds(100);
      },
      [&](Moment) { now += std::chrono::milliseconds(1); });
  REQUIRE(recorder.file().close().has_value());
  return std::move(sink.bytes);
}

// Something of each kind, and a reset.
std::function<void(ServerRole&)> busy_live() {
  return [step = 0](ServerRole& server) mutable {
    Run& run = server.run();
    const auto at = [&](int number, std::uint32_t in, Tick tick) {
      if (step != number || run.run() != in || run.tick() < tick) return false;
      ++step;
      return true;
    };
    if (at(0, 0, 20)) run.submit(Spawn{extra("late", 3, 3), kNobody}, [](const auto& r) { CHECK(r.has_value()); });
    if (at(1, 0, 30)) CHECK(run.submit(Input{drive(WorldNumber(8), 0.2)}).has_value());
    if (at(2, 0, 40)) run.submit(SetState{WorldNumber(2), {{2.5, -2.5, 0}, from_yaw(1)}, {}}, [](const auto&) {});
    if (at(3, 0, 60)) run.submit(Reset{}, [](const auto&) {});
  };
}

}  // namespace

TEST_CASE("poses are those of the full recording at their times, and nothing else") {
  const Trial full = busy_run(false), dut = busy_run(false, kTenHz);
  CHECK(dut.digest == full.digest);
  const auto recording = Recording::open(dut.file), whole = Recording::open(full.file);
  REQUIRE(recording.has_value());

  CHECK(recording->head().detail == "poses@10Hz");
  CHECK_FALSE(recording->head().repeatable());
  CHECK_FALSE(recording->has_digests());
  CHECK(recording->intact());
  const auto samples = samples_of(*recording), all = samples_of(*whole);
  REQUIRE(samples.size() == 14);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const Boundary &is = samples[k].boundary, &was = all[10 * k].boundary;
    CHECK(samples[k].place == Place{0, static_cast<Tick>(10 * k)});
    CHECK(samples[k].time_ns == 100'000'000 * k);
    REQUIRE(is.numbers == was.numbers);
    for (std::size_t i = 0; i < is.size(); ++i) {
      const State a = is.state(i), b = was.state(i);
      CHECK(std::abs(a.pose.p.x - b.pose.p.x) <= 0.5 / 8192);
      CHECK(std::abs(a.pose.p.y - b.pose.p.y) <= 0.5 / 8192);
      CHECK(std::abs(yaw_of(a.pose.q) - yaw_of(b.pose.q)) < 1e-4);
      CHECK(a.twist == Twist{});
      CHECK(is.of(i).size() == kStateWords);
    }
  }
  CHECK(names_of(*recording) == names_of(*whole));
  for (const JournalEntry& entry : recording->journal()) CHECK(std::holds_alternative<Edit>(entry.what));
}

TEST_CASE("each run of a recording of poses begins with a sample") {
  const Trial dut = busy_run(true, RecordDetail{std::chrono::milliseconds(700)});
  const auto recording = Recording::open(dut.file);
  REQUIRE(recording.has_value());

  std::string places;
  for (const SampleLine& s : samples_of(*recording))
    places += std::to_string(s.place.run) + ":" + std::to_string(s.place.tick) + " ";

  CHECK(places == "0:0 0:70 1:0 1:49 1:119 ");
}

TEST_CASE("a recording of poses that is cut anywhere is opened up to the cut, or refused") {
  const Trial dut = run(room(), {.detail = kTenHz});
  std::size_t opened = 0;
  Tick last = 0;
  for (std::size_t size = 0; size < dut.file.size(); size += 97) {
    const auto recording = Recording::open(ByteView(dut.file).first(size));
    if (!recording) continue;
    ++opened;
    CHECK_FALSE(recording->intact());
    const auto samples = samples_of(*recording);
    CHECK(samples.back().place == recording->end());
    CHECK(recording->end().tick >= last);
    last = recording->end().tick;
  }
  CHECK(opened > 10);
  CHECK(last >= 90);
}

TEST_CASE("a recording of poses is not run again") {
  const Trial dut = run(room(), {.detail = kTenHz});

  CHECK(replay(dut.file, 1).refused.value_or(Error{}).text.find("poses@10Hz") != std::string::npos);
}

TEST_CASE("a recording grows as was expected, within a factor of two") {
  const Setup setup = room();
  const Tick begin = kEnd, end = 1500;  // what is written once, before the first boundary, does not count
  for (const RecordDetail& detail : {RecordDetail{}, kTenHz, RecordDetail{std::chrono::milliseconds(20)}}) {
    const auto is = [&](Tick ticks) {
      return static_cast<double>(run(setup, {.detail = detail, .end = ticks, .clock = false}).file.size());
    };
    const auto expected = [&](Tick ticks) { return expected_size(setup, detail, setup.tick * ticks); };

    const double grown = is(end) - is(begin), ratio = (expected(end) - expected(begin)) / grown;

    CAPTURE(to_text(detail));
    CAPTURE(grown);
    CHECK(ratio > 0.5);
    CHECK(ratio < 2);
  }
}

TEST_CASE("a run in free mode is recorded as its owners told it, with edits and inputs, through a reset") {
  const Bytes file = free_run({}, busy_live());
  const auto recording = Recording::open(file);
  REQUIRE(recording.has_value());

  CHECK(recording->head().mode == "free");
  CHECK_FALSE(recording->head().repeatable());
  CHECK_FALSE(recording->has_digests());
  CHECK(recording->intact());
  CHECK(recording->end() == Place{1, kEnd});
  const auto samples = samples_of(*recording);
  CHECK(samples.size() >= 50);  // a round is 33 ms; of 0.6 and 1.3 s
  bool begun = false, moved = false, turned = false;
  for (const SampleLine& s : samples) {
    begun = begun || s.place == Place{1, 0};
    const std::size_t at = s.boundary.find(WorldNumber(2)), late = s.boundary.find(WorldNumber(9));
    CHECK((late < s.boundary.size()) == (s.place.run == 0 && s.place.tick > 20));
    CHECK(nanos(s.boundary.state(at).stamp) <= s.boundary.stamp + nanos(room().tick));  // owners may be a tick ahead
    moved = moved || (s.place.run == 0 && std::abs(s.boundary.state(at).pose.p.x - 2.5) < 0.3);
    turned = turned || s.boundary.state(0).twist != Twist{};
  }
  CHECK(begun);
  CHECK(moved);
  CHECK(turned);
  CHECK(names_of(*recording).at({0, WorldNumber(9)}) == "late");
  std::string kinds;
  for (const JournalEntry& entry : recording->journal())
    kinds += std::holds_alternative<Input>(entry.what)  ? "input "
             : std::holds_alternative<Edit>(entry.what) ? "edit "
                                                        : "?";
  CHECK(kinds.starts_with("edit input edit edit"));
  CHECK(replay(file, 1).refused.value_or(Error{}).text.find("free mode") != std::string::npos);
}

TEST_CASE("poses are kept of a run in free mode, too") {
  const Bytes all = free_run({}), file = free_run(kTenHz, busy_live());
  const auto recording = Recording::open(file);
  REQUIRE(recording.has_value());

  const auto samples = samples_of(*recording);
  CHECK(samples.size() >= 18);
  CHECK(samples.size() <= 24);
  for (const SampleLine& s : samples) CHECK(s.boundary.state(0).twist == Twist{});
  for (const JournalEntry& entry : recording->journal()) CHECK(std::holds_alternative<Edit>(entry.what));
  CHECK(file.size() < all.size());
}

}  // namespace sample_recorder_test
