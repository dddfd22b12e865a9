#include "adapters/web/web_viewer.h"

#include <algorithm>

#include "adapters/web/json_text.h"

namespace convoy::web {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostNamed = 20;  // entities that come or go at once and are named one by one

std::string event(Instant at, const std::string& text) {
  return dump({{"event", {{"time_s", seconds(at)}, {"level", "info"}, {"text", text}}}});
}

}  // namespace

WebViewer::WebViewer(WebViewerOptions options, ElementTypes types, Site& site, Network& network, Log& log)
    : options_(std::move(options)),
      site_(site),
      feed_(site),
      scene_(log),
      member_(as_viewer(), std::move(types), network),
      foxglove_([&site](std::function<void(FoxgloveDesk&)> work) { site.at_foxglove(std::move(work)); }) {}

ForeignOptions WebViewer::as_viewer() {
  ForeignOptions out;
  out.session = options_.session;
  out.role = PeerRole::kViewer;
  out.samples = [this](ByteView payload) { (void)foxglove_.take(payload, member_.world()); };
  out.loaded = [this](const Setup& setup, const World& world) {
    scene_.begin(setup, world);
    welcome_ = {
        {"name", setup.name}, {"seed", setup.seed}, {"tick_s", seconds(setup.tick)}, {"version", options_.version}};
    if (!options_.video.empty()) welcome_["video"] = options_.video;
    if (site_.has_foxglove()) foxglove_.begin(setup, world, options_.version);
  };
  return out;
}

std::string WebViewer::host_of(Owner owner) const {
  const auto at = hosts_.find(owner);
  return at == hosts_.end() ? "" : at->second;
}

Moment WebViewer::deadline() const {
  if (!member_.running()) return member_.deadline();
  return std::min(member_.deadline(), pages_ > 0 ? std::min(next_frame_, next_status_) : next_status_);
}

void WebViewer::on_time(Moment now) {
  if (member_.loaded() && !std::exchange(ready_, true)) member_.ready();
  if (!member_.end() && member_.running()) work(now);
  member_.on_time(now);  // what has been said above leaves
}

void WebViewer::work(Moment now) {
  take_replies(now);
  if (now >= next_status_ && asked_status_ == 0) {
    next_status_ = now + kStatusEvery;
    proto::Request request;
    request.mutable_status();
    asked_status_ = member_.ask(std::move(request));
  }
  if (now >= next_frame_) look(now);
  if (const auto watched = foxglove_.take_watched()) member_.send(FrameType::kWanted, save(WantedSamples{{*watched}}));
}

// What has come since, as pages get it: first what there is, then where it is.
void WebViewer::look(Moment now) {
  next_frame_ = now + options_.frame_every;
  if (pages_ == 0) return;
  member_.reckon(now);
  const World& world = member_.world();
  follow_world();
  if (site_.has_foxglove()) foxglove_.look(world, member_.sim_now(now), member_.run());
  if (!joining_.empty()) welcome_all();
  const auto tick = member_.begun();
  const World* const shown = &world;
  feed_.frame({&shown, 1},
              {.number = 0,
               .run = member_.run(),
               .structure = entities_.structure(),
               .time = member_.sim_now(now),
               .tick = tick ? tick->second : nanos(member_.sim_now(now)) / nanos(member_.tick_length()),
               .paused = paused_},
              now);
}

void WebViewer::follow_world() {
  const World& world = member_.world();
  const Instant at = member_.sim_now(next_frame_ - options_.frame_every);
  if (scene_.follow(world)) feed_.scene(scene_.files(), scene_.scene());
  const EntityList::News news = entities_.follow(world, member_.run(), [this](Owner owner) { return host_of(owner); });
  if (news.entities.is_null()) return;
  std::vector<std::string> texts;
  for (const auto& [names, what] : {std::pair{&news.appeared, "appeared"}, {&news.gone, "is gone"}}) {
    for (std::size_t i = 0; i < std::min(names->size(), kMostNamed); ++i)
      texts.push_back(event(at, (*names)[i] + " " + what));
    if (names->size() > kMostNamed)
      texts.push_back(event(at, "and " + std::to_string(names->size() - kMostNamed) + " more " + what));
  }
  site_.at_desk([text = dump({{"entities", news.entities}}), texts = std::move(texts)](PageDesk& desk) {
    desk.change(text);
    for (const std::string& one : texts) desk.tell_all(one);
  });
}

void WebViewer::welcome_all() {
  welcome_["mode"] = member_.session().free_mode() ? "free" : "lockstep";
  feed_.welcome(std::exchange(joining_, {}), welcome_, scene_.scene(), entities_.whole());
}

void WebViewer::joined(PageId page) {
  joining_.push_back(page);
  ++pages_;
  next_frame_ = next_status_ = Moment{};
}

void WebViewer::left(PageId page, const std::string& holder, bool has_leased) {
  std::erase(joining_, page);
  if (pages_ > 0) --pages_;
  if (!has_leased) return;
  proto::Request back;
  back.set_holder(holder);
  back.mutable_lease()->set_kind(static_cast<std::uint32_t>(Lease::Kind::kGiveBack));
  open_[member_.ask(std::move(back))] = {};
}

void WebViewer::ask(PageId page, std::uint64_t id, proto::Request request) {
  open_[member_.ask(std::move(request))] = {page, id};
}

void WebViewer::wants(const std::set<std::string>& topics) {
  foxglove_.want(topics);
  next_frame_ = Moment{};
}

void WebViewer::take_replies(Moment now) {
  if (asked_status_ != 0)
    if (const auto reply = member_.take_reply(asked_status_)) {
      asked_status_ = 0;
      take_status(*reply, now);
    }
  for (auto it = open_.begin(); it != open_.end();) {
    auto reply = member_.take_reply(it->first);
    if (!reply) {
      ++it;
      continue;
    }
    const Asked asked = it->second;
    it = open_.erase(it);
    if (asked.page == 0) continue;
    site_.answered(asked.page, asked.id, *reply);
  }
}

// Who runs what by name, and how the run stands.
void WebViewer::take_status(const proto::Reply& reply, Moment now) {
  const Json raw = Json::parse(reply.json(), nullptr, false);
  if (!raw.is_object()) return;
  std::map<Owner, std::string> hosts;
  for (const Json& one : raw.value("connections", Json::array()))
    if (one.value("role", "") == "robot client") hosts[Owner(one.value("number", 0U))] = one.value("name", "");
  if (std::exchange(hosts_, hosts) != hosts) entities_.forget_hosts();
  paused_ = raw.value("phase", "") == "paused";
  const double sim = raw.value("sim_s", 0.0);
  const Instant at = instant(static_cast<std::int64_t>(sim * 1e9));
  const double wall = seconds(now - last_status_.at);
  Json status{{"paused", paused_},
              {"speed", raw.value("speed", 0.0)},
              {"time_s", sim},
              {"tick", raw.value("tick", 0)},
              {"entities", raw.value("entities", 0)},
              {"environment", raw.value("environment", Json::object())},
              {"hosts", raw.value("hosts", Json::array())},
              {"raw", raw}};
  if (last_status_.at != Moment{} && at >= last_status_.sim && wall > 0)
    status["rtf"] = seconds(at - last_status_.sim) / wall;
  last_status_ = {now, at};
  if (site_.has_foxglove()) foxglove_.set_run(paused_, raw.value("speed", 0.0));
  site_.at_desk([status = std::move(status)](PageDesk& desk) mutable { desk.status(std::move(status)); });
}

}  // namespace convoy::web
