#include "adapters/web/films.h"

#include <algorithm>

namespace convoy::web {

namespace {

using Json = nlohmann::json;

constexpr double kGap = 2;                      // m between two grounds
constexpr double kNoGround[] = {-5, -5, 5, 5};  // what is shown of a world without one

std::string host_of(Owner) { return ""; }  // owners are not recorded

Json bounds_of_scene(const SceneBook& book) {
  const Json& told = book.scene()["bounds"];
  return told.is_array() ? told : Json(kNoGround);
}

// The row of an entity (docs/web.md) of the second.
void put_beside(Json& row) {
  row[0] = row[0].get<std::uint32_t>() + kBeside;
  row[1] = row[1].get<std::string>() + " (2)";
  row[2] = row[2].get<std::uint32_t>() + kModelsBeside;
  if (row[3] != 0) row[3] = row[3].get<std::uint32_t>() + kBeside;
}

void append(Json& to, Json from, bool beside) {
  for (Json& row : from["set"]) {
    if (beside) put_beside(row);
    to["set"].push_back(std::move(row));
  }
  for (Json& number : from["gone"])
    to["gone"].push_back(beside ? Json(number.get<std::uint32_t>() + kBeside) : std::move(number));
}

}  // namespace

void Films::add(const Recording& recording, Player player) {
  EXPECTS(all_.size() < 2);
  all_.push_back({&recording, std::move(player), SceneBook(log_), {}});
  Film& film = all_.back();
  film.scene.begin(recording.setup(), film.player.world());
}

Status Films::show(std::uint64_t time_ns) {
  Status out;
  for (Film& film : all_)
    if (auto ok = film.player.show(time_ns); !ok && out) out = ok;
  return out;
}

Status Films::show_next() {
  Film& film = all_.front().player.time_ns() < all_.front().recording->end_ns() ? all_.front() : all_.back();
  if (auto ok = film.player.show_next(); !ok) return ok;
  return show(film.player.time_ns());
}

std::uint64_t Films::time_ns() const {
  std::uint64_t out = 0;
  for (const Film& film : all_) out = std::max(out, film.player.time_ns());
  return out;
}

std::uint64_t Films::end_ns() const {
  std::uint64_t out = 0;
  for (const Film& film : all_) out = std::max(out, film.recording->end_ns());
  return out;
}

Films::News Films::follow() {
  News out;
  Json all{{"all", false}, {"hosts", {""}}, {"set", Json::array()}, {"gone", Json::array()}};
  bool any = false, anew = false;
  for (Film& film : all_) {
    out.scene = film.scene.follow(film.player.world()) || out.scene;
    EntityList::News news = film.entities.follow(film.player.world(), film.player.place().run, host_of);
    if (news.entities.is_null()) continue;
    any = true, anew = anew || news.entities["all"] == true;
    append(all, std::move(news.entities), &film != &all_.front());
  }
  if (anew) out.entities = entities();
  else if (any) out.entities = std::move(all), out.entities["structure"] = structure();
  return out;
}

Json Films::entities() const {
  Json out{{"all", true}, {"structure", structure()}, {"hosts", {""}}, {"set", Json::array()}, {"gone", Json::array()}};
  for (const Film& film : all_) append(out, film.entities.whole(), &film != &all_.front());
  return out;
}

std::uint32_t Films::structure() const {
  std::uint32_t out = 0;
  for (const Film& film : all_) out += film.entities.structure();
  return out;
}

// From the second one's place as it was recorded to where it is drawn, along x.
double Films::shift() const {
  return bounds_of_scene(all_.front().scene)[2].get<double>() - bounds_of_scene(all_.back().scene)[0].get<double>() +
         kGap;
}

Json Films::scene() const {
  Json out = all_.front().scene.scene();
  if (all_.size() == 1) return out;
  const SceneBook& second = all_.back().scene;
  for (Json model : second.scene()["models"]) {
    model["index"] = model["index"].get<std::uint32_t>() + kModelsBeside;
    out["models"].push_back(std::move(model));
  }
  const Json a = bounds_of_scene(all_.front().scene), b = bounds_of_scene(second);
  out["bounds"] = {a[0], std::min(a[1].get<double>(), b[1].get<double>()), b[2].get<double>() + shift(),
                   std::max(a[3].get<double>(), b[3].get<double>())};
  out["beside"] = {{"first", kBeside}, {"shift", shift()}, {"glb", second.scene()["glb"]}};
  return out;
}

SceneFiles Films::files() const {
  SceneFiles out;
  for (const Film& film : all_) out.insert(film.scene.files().begin(), film.scene.files().end());
  return out;
}

std::vector<const World*> Films::worlds() const {
  std::vector<const World*> out;
  for (const Film& film : all_) out.push_back(&film.player.world());
  return out;
}

}  // namespace convoy::web
