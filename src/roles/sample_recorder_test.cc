#include "roles/sample_recorder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "roles/recorded_run.h"

using namespace convoy;
using namespace convoy::testing;

namespace {

struct Sample {
  Place place;
  std::uint64_t time_ns = 0;
  Boundary boundary;
};

// What stands in the file, decoded: samples, or all boundaries.
std::vector<Sample> samples_of(const Recording& recording) {
  std::vector<Sample> out;
  auto cursor = recording.from_start();
  BoundaryCoder coder;
  for (; const Recording::Item* item = cursor.peek(); cursor.next()) {
    if (item->kind != RecordKind::kSample && item->kind != RecordKind::kReached && item->kind != RecordKind::kEdited)
      continue;
    Sample sample{item->place, item->time_ns, {}};
    REQUIRE(coder.decode(item->bytes, sample.boundary).has_value());
    if (item->kind != RecordKind::kEdited) out.push_back(std::move(sample));
  }
  CHECK_FALSE(cursor.trouble());
  return out;
}

const RecordDetail kTenHz{std::chrono::milliseconds(100)};

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
  for (const Sample& s : samples_of(*recording))
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
