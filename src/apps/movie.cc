#include "apps/movie.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>

#include "apps/movie_file.h"
#include "apps/record_file.h"
#include "apps/recording_facts.h"
#include "core/nearest.h"
#include "core/overloads.h"
#include "core/speed.h"
#include "engines/engines.h"
#include "film/film.h"
#include "film/view.h"
#include "os/clock.h"
#include "os/signals.h"
#include "os/standard_streams.h"
#include "os/terminal.h"
#include "record/player.h"
#include "sensing/camera_spec.h"
#include "sensing/picture_world.h"
#include "sensing/sensor_facts.h"

namespace convoy::apps {

namespace {

constexpr std::uint64_t kMostPictures = 10'000'000;
constexpr std::uint64_t kStageLooks = 300;  // instants of the film by which a view that stands still is placed

// "follow:ROBOT" and "ROBOT/CAMERA" have a robot; of the others both are empty.
struct ViewWords {
  std::string robot, camera;
};
Result<ViewWords> parse_view(const std::string& text) {
  constexpr std::string_view kFollow = "follow:";
  if (text == "above" || text == "orbit") return ViewWords{};
  if (text.starts_with(kFollow) && text.size() > kFollow.size()) return ViewWords{text.substr(kFollow.size()), {}};
  const std::size_t slash = text.rfind('/');
  if (slash == text.npos || slash == 0 || slash + 1 == text.size())
    return fail(ErrorCode::kInvalid, "--view is above, orbit, follow:ROBOT or ROBOT/CAMERA, not '" + text + "'");
  return ViewWords{text.substr(0, slash), text.substr(slash + 1)};
}

// Which of the recording's times each picture shows.
struct Reel {
  std::uint64_t from_ns = 0, to_ns = 0;
  double speed = 1;         // simulated seconds in one of the film
  std::uint32_t rate = 30;  // pictures a second
  std::uint64_t pictures = 0;

  std::uint64_t shown_ns(std::uint64_t picture) const {
    return from_ns + static_cast<std::uint64_t>(std::llround(1e9 * static_cast<double>(picture) * speed / rate));
  }
  Duration time_of(std::uint64_t picture) const {
    return Duration(static_cast<std::int64_t>(picture * 1'000'000'000 / rate));
  }
};
Result<Reel> reel_of(const Arguments& a, const Recording& recording) {
  const double end = static_cast<double>(recording.end_ns()) * 1e-9;
  const double to = std::min(a.movie.to.value_or(end), end);
  if (!(a.from >= 0 && a.movie.to.value_or(0) >= 0))
    return fail(ErrorCode::kInvalid, "--from and --to are times in seconds, 0 or more");
  if (recording.end_ns() == 0) return fail(ErrorCode::kInvalid, a.file + " holds no time that a film could show");
  if (a.from >= end)
    return fail(ErrorCode::kInvalid, fmt::format("--from {:.9g}: the recording ends at {:.9g} s", a.from, end));
  if (a.from >= to)
    return fail(ErrorCode::kInvalid, fmt::format("--from {:.9g} --to {:.9g} leaves nothing to show", a.from, to));
  Reel out{.from_ns = static_cast<std::uint64_t>(a.from * 1e9 + 0.5),
           .to_ns = static_cast<std::uint64_t>(to * 1e9 + 0.5),
           .speed = a.movie.speed,
           .rate = a.movie.rate};
  const double pictures = std::ceil((to - a.from) / out.speed * out.rate - 1e-6);
  if (pictures > static_cast<double>(kMostPictures))
    return fail(ErrorCode::kInvalid,
                fmt::format("a film of {:.0f} pictures: at most {} are made", pictures, kMostPictures));
  out.pictures = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(pictures));
  return out;
}

// Robots that the recording has at any time, and the sensors of those of a name.
struct Cast {
  std::vector<std::string> names;
  std::vector<SensorSpec> sensors;
};
Cast cast_of(const Recording& recording, const std::string& robot) {
  Cast out;
  for (const auto& [number, name] : names_of(recording)) out.names.push_back(name);
  const auto take = [&](const EntitySpec& spec) {
    if (spec.name == robot) out.sensors.insert(out.sensors.end(), spec.sensors.begin(), spec.sensors.end());
  };
  const auto spawned = [&](const Edit& edit) {
    if (const Spawn* spawn = std::get_if<Spawn>(&edit)) take(spawn->spec);
  };
  for (const EntitySpec& spec : recording.setup().entities) take(spec);
  for (const JournalEntry& entry : recording.journal())
    std::visit(Overloads{[&](const Edit& edit) { spawned(edit); }, [&](const AskedEdit& asked) { spawned(asked.edit); },
                         [](const auto&) {}},
               entry.what);
  return out;
}

// Is there anything of that name to be seen through, or to be followed?
Status check_view(const ViewWords& view, const Recording& recording) {
  if (view.robot.empty()) return {};
  const Cast cast = cast_of(recording, view.robot);
  if (std::find(cast.names.begin(), cast.names.end(), view.robot) == cast.names.end()) {
    const std::string near = nearest_name(view.robot, cast.names);
    return fail(ErrorCode::kNotFound, "the recording has no robot '" + view.robot + "'" +
                                          (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  if (view.camera.empty()) return {};
  const auto sensor = sensor_named(cast.sensors, view.camera, "'" + view.robot + "'");
  if (!sensor) return tl::unexpected(sensor.error());
  if (!camera_of(**sensor))
    return fail(ErrorCode::kInvalid,
                fmt::format("'{}' of '{}' is no camera: it is of type '{}'", view.camera, view.robot, (*sensor)->type));
  return {};
}

// Shows times of a recording that ascend, without making its world anew on the way.
class Projector {
 public:
  static Result<Projector> make(const Recording& recording) {
    auto player = Player::make(recording);
    if (!player) return tl::unexpected(player.error());
    return Projector(recording, std::move(*player));
  }
  // Far ahead the player begins anew at a mark, with new models, which would be drawn as if never seen before: so it
  // goes from mark to mark.
  Status show(std::uint64_t time_ns) {
    const auto& marks = recording_->marks();
    const auto after = [](std::uint64_t t, const Recording::Mark& mark) { return t < mark.time_ns; };
    auto next = begun_ ? std::upper_bound(marks.begin(), marks.end(), player_.time_ns(), after) : marks.end();
    for (; next != marks.end() && next->time_ns < time_ns; ++next)
      if (auto ok = player_.show(next->time_ns); !ok) return ok;
    begun_ = true;
    return player_.show(time_ns);
  }
  const Player& player() const { return player_; }

 private:
  Projector(const Recording& recording, Player player) : recording_(&recording), player_(std::move(player)) {}

  const Recording* recording_;
  Player player_;
  bool begun_ = false;
};

// Where the robots go in the film, and what is around.
Result<film::Stage> stage_of(const Recording& recording, const Reel& reel, PictureWorld& pictures,
                             const std::atomic<bool>& interrupted) {
  auto projector = Projector::make(recording);
  if (!projector) return tl::unexpected(projector.error());
  film::Stage out;
  film::Extents extents;
  const std::uint64_t step = std::max<std::uint64_t>(1, reel.pictures / kStageLooks);
  for (std::uint64_t picture = 0; picture < reel.pictures && !interrupted; picture += step) {
    if (auto ok = projector->show(reel.shown_ns(picture)); !ok) return tl::unexpected(ok.error());
    const Player& player = projector->player();
    film::add_to(out, extents, *pictures.at(player.world(), player.sim_time()));
  }
  return out;
}

// Draws the pictures of a film: the next one is begun before the last one is taken, so that encoding costs little time.
class Shooting {
 public:
  Shooting(PictureMaker& maker, film::Film& out, const film::PictureSize& size)
      : maker_(maker), film_(out), size_(size) {}

  // `shown_ns`: log time of the scene; where neither it nor the shot has changed the picture is the last one.
  Status add(std::shared_ptr<const PictureScene> scene, const Shot& shot, std::uint64_t shown_ns, Duration time) {
    Take next{.time = time, .shown_ns = shown_ns, .X_WC = shot.X_WC};
    const bool same = coming_ && coming_->shown_ns == shown_ns && coming_->X_WC == shot.X_WC;
    if (!same) next.job = maker_.draw(std::move(scene), {shot});
    if (auto ok = take(); !ok) return ok;
    coming_ = std::move(next);
    return {};
  }
  Status finish() { return take(); }
  std::uint64_t pictures() const { return pictures_; }

 private:
  struct Take {
    std::shared_ptr<PictureJob> job;  // null: as the one before
    Duration time{};
    std::uint64_t shown_ns = 0;
    Pose X_WC;
  };
  Status take() {
    if (!coming_) return {};
    if (coming_->job) {
      auto picture = coming_->job->take(0);
      if (!picture) return tl::unexpected(picture.error());
      last_ = film::mounted(std::move(*picture), size_);
    }
    if (auto ok = film_.add(last_, coming_->time); !ok) return ok;
    ++pictures_;
    return {};
  }

  PictureMaker& maker_;
  film::Film& film_;
  film::PictureSize size_;
  std::optional<Take> coming_;
  Bytes last_;
  std::uint64_t pictures_ = 0;
};

struct Plan {
  film::PictureSize size;
  ViewWords view;
  Reel reel;
};
Result<Plan> plan_of(const Arguments& a, const Recording& recording) {
  Plan out;
  auto size = parse_size(a.movie.size);
  if (!size) return tl::unexpected(size.error());
  auto view = parse_view(a.movie.view);
  if (!view) return tl::unexpected(view.error());
  if (!is_speed(a.movie.speed))
    return fail(ErrorCode::kInvalid, "--speed is a number of simulated seconds in one of the film, from 0.001 to 1000");
  auto reel = reel_of(a, recording);
  if (!reel) return tl::unexpected(reel.error());
  if (auto ok = check_view(*view, recording); !ok) return tl::unexpected(ok.error());
  return Plan{*size, std::move(*view), *reel};
}

// A film as it is made, of what the recording has at each of its times.
class Making {
 public:
  Making(const Arguments& arguments, const Recording& recording, Plan plan, os::StderrLog& log)
      : arguments_(arguments), recording_(recording), plan_(std::move(plan)), log_(log), setup_(recording.setup()) {
    setup_.sensors.pictures = arguments.movie.quality == "plain" ? PictureQuality::kPlain : PictureQuality::kNice;
  }

  // Ends early where `interrupted` becomes true; what has been made until then is a film.
  Status make(film::Film& out, PictureMaker& maker, const std::atomic<bool>& interrupted) {
    auto projector = Projector::make(recording_);
    if (!projector) return tl::unexpected(projector.error());
    PictureWorld world(book_, projector->player().world(), setup_);
    auto view = view_of(world, interrupted);
    if (!view) return tl::unexpected(view.error());
    Shooting shooting(maker, out, plan_.size);
    const Moment begun = os::now();
    const Reel& reel = plan_.reel;
    for (std::uint64_t picture = 0; picture < reel.pictures && !interrupted; ++picture) {
      if (auto ok = projector->show(reel.shown_ns(picture)); !ok) return ok;
      const Player& player = projector->player();
      const auto scene = world.at(player.world(), player.sim_time());
      const auto shot = (*view)->shot({player.world(), *scene});
      if (!shot)
        return fail(ErrorCode::kNotFound, fmt::format("'{}' is not there at {:.9g} s: --from names a time when it is",
                                                      plan_.view.robot, static_cast<double>(reel.from_ns) * 1e-9));
      if (auto ok = shooting.add(scene, *shot, player.time_ns(), reel.time_of(picture)); !ok) return ok;
      pictures_ = shooting.pictures();
      tell(begun);
    }
    const Status ok = shooting.finish();
    pictures_ = shooting.pictures();
    return ok;
  }

  std::uint64_t pictures() const { return pictures_; }

 private:
  Result<std::unique_ptr<film::View>> view_of(PictureWorld& world, const std::atomic<bool>& interrupted) {
    const auto& [robot, camera] = plan_.view;
    if (!camera.empty()) return film::camera_view(robot, camera, plan_.size, book_);
    if (!robot.empty()) return film::following_view(robot, plan_.size, plan_.reel.time_of(1));
    const auto stage = stage_of(recording_, plan_.reel, world, interrupted);
    if (!stage) return tl::unexpected(stage.error());
    return arguments_.movie.view == "above" ? film::view_from_above(*stage, plan_.size)
                                            : film::oblique_view(*stage, plan_.size);
  }
  void tell(Moment begun) {
    const Moment now = os::now();
    const double took = seconds(now - begun);
    log_.status(fmt::format("{} of {} pictures, {:.1f} a second", pictures_, plan_.reel.pictures,
                            took > 0 ? static_cast<double>(pictures_) / took : 0),
                now);
  }

  const Arguments& arguments_;
  const Recording& recording_;
  Plan plan_;
  os::StderrLog& log_;
  Setup setup_;  // the recording's, but for the pictures' quality
  ShapeBook book_;
  std::uint64_t pictures_ = 0;
};

void print_result(const Arguments& a, const Recording& recording, const Plan& plan, std::uint64_t pictures) {
  if (!a.json) return os::print("{}\n", a.movie.file);
  nlohmann::ordered_json json = json_of(a.file, recording, facts_of(recording));
  json["film"] = {{"file", a.movie.file},
                  {"width", plan.size.width},
                  {"height", plan.size.height},
                  {"pictures", pictures},
                  {"s", static_cast<double>(pictures) / plan.reel.rate},
                  {"whole", pictures == plan.reel.pictures}};
  os::print("{}\n", json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace

Result<film::PictureSize> parse_size(const std::string& text) {
  film::PictureSize out;
  const std::size_t x = text.find('x');
  const auto number = [](const std::string& digits, std::uint32_t& to) {
    const bool is = !digits.empty() && digits.size() < 6 && digits.find_first_not_of("0123456789") == digits.npos;
    if (is) to = static_cast<std::uint32_t>(std::stoul(digits));
    return is;
  };
  if (x == text.npos || !number(text.substr(0, x), out.width) || !number(text.substr(x + 1), out.height))
    return fail(ErrorCode::kInvalid, "--size is WIDTHxHEIGHT in pixels, as 1280x720, not '" + text + "'");
  return out;
}

int movie(const Arguments& a) {
  os::StderrLog log(a.log_level);
  const std::string& out = a.movie.file;
  if (const Status named = check_movie_name(out); !named) return complain(named.error().message(), kUsage);
  auto opened = open_recording(a.file);
  if (!opened) return complain(opened.error().message(), kUsage);
  const Recording& recording = (*opened)->recording;
  if (!recording.intact()) log.line(LogLevel::kWarn, a.file + ": " + damage_text(recording));
  auto plan = plan_of(a, recording);
  if (!plan) return complain(plan.error().message(), kUsage);
  if (std::error_code none; std::filesystem::equivalent(a.file, out, none))
    return complain("--movie " + out + ": that is the recording itself", kUsage);
  std::atomic<bool> interrupted{false};
  os::Signals signals([&](int) { interrupted = true; });
  auto film = open_movie({plan->size.width, plan->size.height, plan->reel.rate}, out);
  if (!film) return complain(film.error().message(), kUsage);

  const auto maker = engines::picture_maker();
  Making making(a, recording, *plan, log);
  const Status made = making.make(**film, *maker, interrupted);
  log.status("", os::now());
  // What there is of it is a film, whatever has ended it.
  const Status ended = making.pictures() > 0 ? (*film)->close() : Status{};
  if (!made) return complain(made.error().message(), kFailed);
  if (!ended) return complain(ended.error().message(), kFailed);
  if (making.pictures() > 0) print_result(a, recording, *plan, making.pictures());
  if (interrupted)
    return complain(fmt::format("interrupted: {} has {} of {} pictures", out, making.pictures(), plan->reel.pictures),
                    kInterrupted);
  return kOk;
}

}  // namespace convoy::apps
