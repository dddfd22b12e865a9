// A page that is told what is new has, at any time, what is there: of one recording, and of two beside each other.
#include "adapters/web/films.h"

#include <doctest/doctest.h>

#include <map>
#include <random>

#include "adapters/web/frame.h"
#include "roles/recorded_run.h"

namespace films_test {

using namespace convoy;
using namespace convoy::web;
using Json = nlohmann::json;

namespace {

// Rows by number, as a page keeps them.
struct Kept {
  std::map<std::uint32_t, Json> rows;
  std::uint32_t structure = 0;

  void take(const Json& told) {
    if (told["all"] == true) rows.clear();
    for (const Json& number : told["gone"]) rows.erase(number.get<std::uint32_t>());
    for (const Json& row : told["set"]) rows[row[0].get<std::uint32_t>()] = row;
    structure = told["structure"].get<std::uint32_t>();
  }
};

std::uint32_t count_in(const Bytes& frame) {
  std::uint32_t count = 0;
  std::memcpy(&count, frame.data() + 32, sizeof count);
  return count;
}

}  // namespace

TEST_CASE("what is new adds up to what is there, forward and back, through edits and resets") {
  convoy::testing::Silence log;
  const convoy::testing::Trial plain = convoy::testing::busy_run(false), reset = convoy::testing::busy_run(true);
  const auto a = Recording::open(plain.file), b = Recording::open(reset.file);
  REQUIRE(a.has_value());
  REQUIRE(b.has_value());
  for (const bool both : {false, true}) {
    Films films(log);
    films.add(*a, std::move(*Player::make(*a)));
    if (both) films.add(*b, std::move(*Player::make(*b)));
    CHECK(films.end_ns() == (both ? b->end_ns() : a->end_ns()));
    Kept page;
    std::mt19937 random(3);
    for (int i = 0; i < 200; ++i) {
      REQUIRE(films.show(i < 100 ? static_cast<std::uint64_t>(i) * 20'000'000 : random() % films.end_ns()).has_value());
      if (const Films::News news = films.follow(); !news.entities.is_null()) page.take(news.entities);
      Kept whole;
      whole.take(films.entities());
      CHECK(page.rows == whole.rows);
      CHECK(page.structure == films.structure());
      std::size_t entities = 0;
      for (const World* world : films.worlds()) entities += world->entities().size();
      CHECK(page.rows.size() == entities);
      CHECK(count_in(frame_of(films.worlds(), {})) == entities);
    }
  }
}

TEST_CASE("what is of the second has names, numbers and models of its own, and is drawn beside the first") {
  convoy::testing::Silence log;
  const convoy::testing::Trial run = convoy::testing::busy_run(false);
  const auto recording = Recording::open(run.file);
  REQUIRE(recording.has_value());
  Films films(log);
  films.add(*recording, std::move(*Player::make(*recording)));
  films.add(*recording, std::move(*Player::make(*recording)));
  REQUIRE(films.show(500'000'000).has_value());
  films.follow();
  Kept page;
  page.take(films.entities());
  const Json scene = films.scene();
  CHECK(scene["beside"]["first"] == kBeside);
  CHECK(scene["beside"]["shift"] == 14);  // a room of 12 m, and a gap
  CHECK(scene["bounds"] == Json({-6, -6, 20, 6}));
  std::set<std::uint32_t> models;
  for (const Json& model : scene["models"]) CHECK(models.insert(model["index"].get<std::uint32_t>()).second);
  for (const auto& [number, row] : page.rows) {
    CHECK(models.contains(row[2].get<std::uint32_t>()));
    if (number >= kBeside) continue;
    const Json& other = page.rows.at(number + kBeside);
    CHECK(other[1] == row[1].get<std::string>() + " (2)");
    CHECK(other[2] == row[2].get<std::uint32_t>() + kModelsBeside);
    CHECK(other[3] == (row[3] == 0 ? 0 : row[3].get<std::uint32_t>() + kBeside));
    CHECK(other[6] == row[6]);
  }
}

}  // namespace films_test
