#include "stream/live_film.h"

#include <utility>

namespace convoy::stream {

LiveFilm::LiveFilm(LiveFilmOptions options, ElementTypes types, film::Film& film, PictureMaker& maker, Network& network)
    : options_(std::move(options)),
      film_(film),
      maker_(maker),
      size_{options_.format.width, options_.format.height},
      every_(std::chrono::nanoseconds(1'000'000'000 / options_.format.rate)),
      member_(as_viewer(), std::move(types), network),
      camera_([this](CameraPicture picture) {
        if (auto ok = film_.add(film::mounted(std::move(picture), size_), Duration(shown_ns_)); !ok)
          film_trouble_ = ok.error(), broken_ = true;
        else ++pictures_;
      }) {}

ForeignOptions LiveFilm::as_viewer() {
  ForeignOptions out;
  out.session = options_.session;
  out.role = PeerRole::kViewer;
  out.loaded = [this](const Setup& setup, const World& world) {
    Setup own = setup;
    own.sensors.pictures = options_.quality;
    pictures_of_ = std::make_unique<PictureWorld>(book_, world, own);
  };
  return out;
}

Moment LiveFilm::deadline() const {
  return member_.running() ? std::min(member_.deadline(), next_) : member_.deadline();
}

void LiveFilm::on_time(Moment now) {
  if (member_.loaded() && !std::exchange(ready_, true)) member_.ready();
  if (!member_.end() && member_.running() && now >= next_) look(now);
  member_.on_time(now);  // what has been said above leaves
}

void LiveFilm::fail_with(ErrorCode code, std::string text) {
  if (!trouble_) trouble_ = Error{code, std::move(text), {}};
  member_.leave();
}

void LiveFilm::look(Moment now) {
  next_ = std::max(next_ + every_, now);
  if (broken_) return fail_with(film_trouble_->code, film_trouble_->text);
  if (auto why = camera_.take_trouble()) return fail_with(ErrorCode::kUnavailable, *why);
  if (camera_.busy()) return;
  member_.reckon(now);
  const World& world = member_.world();
  const Instant at = member_.sim_now(now);
  // Another run begins anew: the film goes on where it was.
  if (!view_) begun_ = at;
  else if (run_ != member_.run()) begun_ = at - (last_ - begun_) - every_;
  else if (at < last_ + every_) return;  // it stands, or goes slowly
  const auto scene = pictures_of_->at(world, at);
  const film::Seen seen{world, *scene};
  if (!view_ || std::exchange(run_, member_.run()) != member_.run())
    run_ = member_.run(), view_ = make_view(options_.view, seen, size_, every_, book_);
  const auto shot = view_->shot(seen);
  if (!shot) return fail_with(ErrorCode::kNotFound, options_.view.who() + " is not there");
  if (options_.lasts > Duration(0) && at - begun_ >= options_.lasts) return member_.leave();
  last_ = at;
  shown_ns_ = nanos(at - begun_);
  (void)camera_.offer(maker_.draw(scene, {*shot}));
}

}  // namespace convoy::stream
