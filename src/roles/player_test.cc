// What is shown of a recording is what the run was, at any time, in any order.
#include "record/player.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "roles/recorded_run.h"

namespace player_test {

using namespace convoy;
using namespace convoy::testing;

namespace {

constexpr std::uint64_t kEvery_ns = 100'000'000;  // a sample

using Names = std::map<WorldNumber, std::string>;

Names names_in(const World& world) {
  Names out;
  for (const Entity& entity : world.entities()) out[entity.number] = entity.name;
  return out;
}

// The last boundary of each log time, after its edits, and the structure of its digest.
struct Known {
  Boundary boundary;
  std::uint64_t structure = 0;
};
std::map<std::uint64_t, Known> all_of(const Recording& recording) {
  std::map<std::uint64_t, Known> out;
  BoundaryCoder coder;
  Recording::Cursor cursor = recording.from_start();
  for (; const Recording::Item* item = cursor.peek(); cursor.next()) {
    Known& known = out[item->time_ns];
    if (item->kind == RecordKind::kReached || item->kind == RecordKind::kEdited)
      REQUIRE(coder.decode(item->bytes, known.boundary).has_value());
    DigestRecord digest;
    if (item->kind == RecordKind::kDigest && load(item->bytes, digest)) known.structure = digest.structure;
  }
  return out;
}

void check_shows(const Player& player, const Known& known) {
  const World& world = player.world();
  CHECK(player.place() == Place{known.boundary.run, known.boundary.tick});
  CHECK(world.structure_hash() == known.structure);
  REQUIRE(world.entities().size() == known.boundary.size());
  for (const Slot slot : SlotRange(world.entities().size())) {
    CHECK(world.entity(slot).number == known.boundary.numbers[slot.index()]);
    CHECK(words(world.snapshot().state(slot)) == words(known.boundary.state(slot.index())));
    const std::vector<double> tail = known.boundary.tail(slot.index());
    CHECK(std::equal(tail.begin(), tail.end(), world.snapshot().tail(slot).begin(), world.snapshot().tail(slot).end()));
  }
}

}  // namespace

TEST_CASE("each boundary of a full recording is shown bit for bit, forward, backward, and at random") {
  for (const bool reset : {false, true}) {
    const Trial run = busy_run(reset);
    const auto recording = Recording::open(run.file);
    REQUIRE(recording.has_value());
    const auto all = all_of(*recording);
    auto player = Player::make(*recording);
    REQUIRE(player.has_value());
    CHECK(player->time_ns() == 0);
    for (const auto& [time, known] : all) {
      REQUIRE(player->show(time).has_value());
      check_shows(*player, known);
    }
    CHECK(player->place() == recording->end());
    for (auto it = all.rbegin(); it != all.rend(); ++it) {
      REQUIRE(player->show(it->first).has_value());
      check_shows(*player, it->second);
    }
    std::mt19937 random(1);
    for (int i = 0; i < 100; ++i) {
      const auto at = std::next(all.begin(), static_cast<std::ptrdiff_t>(random() % all.size()));
      REQUIRE(player->show(at->first + random() % 1000).has_value());
      check_shows(*player, at->second);
    }
  }
}

TEST_CASE("stepping shows each boundary once") {
  const Trial run = busy_run(true);
  const auto recording = Recording::open(run.file);
  REQUIRE(recording.has_value());
  auto player = Player::make(*recording);
  REQUIRE(player.has_value());
  std::vector<Place> places{player->place()};
  while (places.back() < recording->end()) {
    REQUIRE(player->show_next().has_value());
    REQUIRE(player->place() > places.back());
    places.push_back(player->place());
  }
  REQUIRE(player->show_next().has_value());
  CHECK(player->place() == recording->end());
  for (std::size_t i = 1; i < places.size(); ++i)
    CHECK((places[i].tick == places[i - 1].tick + 1 || places[i] == Place{places[i - 1].run + 1, 0}));
}

TEST_CASE("of samples, names and poses are those of the full recording, whatever was shown before") {
  for (const bool reset : {false, true}) {
    const Trial full = busy_run(reset), dut = busy_run(reset, RecordDetail{std::chrono::milliseconds(100)});
    const auto whole = Recording::open(full.file), sampled = Recording::open(dut.file);
    REQUIRE(whole.has_value());
    REQUIRE(sampled.has_value());
    auto is = Player::make(*sampled), was = Player::make(*whole);
    REQUIRE(is.has_value());
    REQUIRE(was.has_value());
    std::mt19937 random(2);
    for (int i = 0; i < 60; ++i) {
      const std::uint64_t sample = random() % (sampled->end_ns() / kEvery_ns + 1) * kEvery_ns;
      REQUIRE(is->show(sample).has_value());
      REQUIRE(was->show(sample).has_value());
      REQUIRE(was->place() == is->place());
      CHECK(names_in(is->world()) == names_in(was->world()));
      for (const Slot slot : SlotRange(was->world().entities().size())) {
        const Vec3 a = is->world().snapshot().state(slot).pose.p, b = was->world().snapshot().state(slot).pose.p;
        CHECK(std::hypot(a.x - b.x, a.y - b.y) < 1e-3);
      }
    }
  }
}

TEST_CASE("samples can be read from several places of the file, and are the same from each") {
  const Trial run = testing::run(room(), {.detail = RecordDetail{std::chrono::milliseconds(100)}, .end = 2500});
  const auto recording = Recording::open(run.file);
  REQUIRE(recording.has_value());
  CHECK(recording->marks().size() == 3);  // each kKeyEvery
  auto forward = Player::make(*recording), there = Player::make(*recording);
  REQUIRE(forward.has_value());
  REQUIRE(there.has_value());
  for (std::uint64_t sample = 0; sample <= recording->end_ns(); sample += kEvery_ns) {
    REQUIRE(forward->show(sample).has_value());
    REQUIRE(there->show(recording->end_ns()).has_value());
    REQUIRE(there->show(sample).has_value());
    REQUIRE(there->place() == forward->place());
    for (const Slot slot : SlotRange(forward->world().entities().size()))
      CHECK(words(there->world().snapshot().state(slot)) == words(forward->world().snapshot().state(slot)));
  }
}

TEST_CASE("a file that is cut shows what is left") {
  const Trial run = busy_run(false);
  const auto whole = Recording::open(run.file);
  REQUIRE(whole.has_value());
  const auto all = all_of(*whole);
  for (const double share : {0.5, 0.8, 0.95}) {
    const Bytes cut(run.file.begin(), run.file.begin() + static_cast<std::ptrdiff_t>(share * run.file.size()));
    const auto recording = Recording::open(cut);
    if (!recording) continue;
    auto player = Player::make(*recording);
    REQUIRE(player.has_value());
    REQUIRE(player->show(~std::uint64_t{0}).has_value());
    CHECK(player->time_ns() == recording->end_ns());
    CHECK(player->world().entities().size() == all.at(player->time_ns()).boundary.size());
    REQUIRE(player->show(0).has_value());
    check_shows(*player, all.begin()->second);
  }
}

}  // namespace player_test
