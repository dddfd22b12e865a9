#include "adapters/web/web_player.h"

#include <algorithm>

#include "adapters/web/json_text.h"
#include "roles/world_facts.h"

namespace convoy::web {

namespace {

using Json = nlohmann::json;

constexpr double kFastest = 100;            // times recorded time: what "max" is here
constexpr std::uint64_t kMostSteps = 1000;  // of one call

}  // namespace

WebPlayer::WebPlayer(WebPlayerOptions options, Films films, Site& site)
    : options_(std::move(options)),
      films_(std::move(films)),
      site_(site),
      feed_(site),
      at_ns_(static_cast<double>(options_.begin_ns)) {
  show(films_.show(options_.begin_ns));
}

Moment WebPlayer::deadline() const { return pages_ == 0 ? kNever : std::min(next_frame_, next_status_); }

void WebPlayer::on_time(Moment now) {
  if (pages_ == 0) return;
  if (now >= next_frame_) {
    move(now);
    next_frame_ = now + options_.frame_every;
    look();
  }
  if (now >= next_status_) {
    next_status_ = now + kStatusEvery;
    tell_status();
  }
}

void WebPlayer::move(Moment now) {
  const double passed = moved_ == Moment{} ? 0 : static_cast<double>(nanos(now - moved_));
  moved_ = now;
  if (paused_) return;
  const auto end = static_cast<double>(films_.end_ns());
  at_ns_ = std::min(end, at_ns_ + passed * (speed_ > 0 ? speed_ : kFastest));
  show(films_.show(static_cast<std::uint64_t>(at_ns_)));
  if (at_ns_ >= end) paused_ = true, next_status_ = Moment{};
}

// Where the file is damaged the last state stays.
void WebPlayer::show(const Status& shown) {
  const std::string why = shown ? "" : shown.error().message();
  if (why == trouble_) return;
  trouble_ = why;
  if (why.empty()) return;
  paused_ = true;
  site_.at_desk([text = dump({{"event", {{"time_s", at_ns_ * 1e-9}, {"level", "error"}, {"text", why}}}})](
                    PageDesk& desk) { desk.tell_all(text); });
}

void WebPlayer::look() {
  tell_world();
  if (!joining_.empty()) {
    const Setup& setup = films_.recording().setup();
    Json welcome{{"name", setup.name},
                 {"seed", setup.seed},
                 {"tick_s", seconds(setup.tick)},
                 {"version", options_.version},
                 {"mode", "recording"}};
    feed_.welcome(std::exchange(joining_, {}), std::move(welcome), films_.scene(), films_.entities());
  }
  feed_.frame(films_.worlds(),
              {.number = 0,
               .run = jumps_,
               .structure = films_.structure(),
               .time = instant(static_cast<std::int64_t>(films_.time_ns())),
               .tick = films_.front().place().tick,
               .paused = paused_},
              moved_);
}

void WebPlayer::tell_world() {
  const Films::News news = films_.follow();
  if (news.scene) feed_.scene(films_.files(), films_.scene());
  if (news.entities.is_null()) return;
  site_.at_desk([text = dump({{"entities", news.entities}})](PageDesk& desk) { desk.change(text); });
}

void WebPlayer::tell_status() {
  const World& world = films_.front().world();
  Json status{{"paused", paused_},
              {"speed", speed_},
              {"time_s", static_cast<double>(films_.time_ns()) * 1e-9},
              {"tick", films_.front().place().tick},
              {"entities", world.entities().size()},
              {"environment", Json::parse(environment_facts(world.environment()).dump())},
              {"recording",
               {{"file", options_.file},
                {"beside", options_.beside},
                {"end_s", static_cast<double>(films_.end_ns()) * 1e-9},
                {"difference", options_.difference},
                {"run", films_.front().place().run},
                {"run_time_s", seconds(films_.front().sim_time())},
                {"detail", films_.recording().head().detail},
                {"damage", films_.recording().damage()}}}};
  site_.at_desk([status = std::move(status)](PageDesk& desk) mutable { desk.status(std::move(status)); });
}

void WebPlayer::jump(std::uint64_t time_ns) {
  at_ns_ = static_cast<double>(std::min(time_ns, films_.end_ns()));
  ++jumps_;
  show(films_.show(static_cast<std::uint64_t>(at_ns_)));
}

void WebPlayer::joined(PageId page) {
  joining_.push_back(page);
  if (++pages_ == 1) moved_ = Moment{};  // nothing moved while nobody looked
  next_frame_ = next_status_ = Moment{};
}

void WebPlayer::left(PageId page, const std::string&, bool) {
  std::erase(joining_, page);
  if (pages_ > 0) --pages_;
}

void WebPlayer::seek(PageId, std::uint64_t time_ns) {
  jump(time_ns);
  next_frame_ = next_status_ = Moment{};
}

Status WebPlayer::carry_out(const proto::Request& request) {
  if (request.has_pause()) paused_ = true;
  else if (request.has_resume()) {
    if (at_ns_ >= static_cast<double>(films_.end_ns())) jump(0);
    paused_ = false;
  } else if (request.has_reset() && request.reset().names().empty()) {
    jump(0);
  } else if (request.has_speed()) {
    const double factor = request.speed().factor();
    if (!(factor >= 0) || factor > kFastest)
      return fail(ErrorCode::kInvalid, "a recording is shown at up to 100 times its speed; 0 is as fast as that");
    speed_ = factor;
  } else if (request.has_step()) {
    if (!paused_) return fail(ErrorCode::kState, "steps are made while the recording is paused");
    for (std::uint64_t i = std::clamp<std::uint64_t>(request.step().ticks(), 1, kMostSteps); i > 0; --i)
      show(films_.show_next());
    at_ns_ = static_cast<double>(films_.time_ns());
  } else if (!request.has_status()) {
    return fail(ErrorCode::kUnsupported, "this is a recording: it can be looked at, and nothing in it changes");
  }
  next_frame_ = next_status_ = Moment{};
  return {};
}

void WebPlayer::ask(PageId page, std::uint64_t id, proto::Request request) {
  proto::Reply reply;
  if (const Status done = carry_out(request); !done)
    reply.set_error(static_cast<std::uint32_t>(done.error().code)), reply.set_text(done.error().text);
  reply.set_tick(films_.front().place().tick);
  site_.answered(page, id, reply);
}

}  // namespace convoy::web
