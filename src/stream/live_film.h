// Films a run while it goes on: a member that owns nothing, as those who stream it.
//
// Pictures are taken `rate` times a second of simulated time at most, and not while the last one is still being drawn or
// encoded: nobody waits for a film. It ends with the run, after `lasts`, or by finish().
#pragma once

#include <atomic>
#include <memory>

#include "client/foreign.h"
#include "film/film.h"
#include "sensing/picture_world.h"
#include "stream/camera_thread.h"
#include "stream/views.h"

namespace convoy::stream {

struct LiveFilmOptions {
  SessionOptions session;  // role and datagrams are set here
  ViewName view;           // not free
  film::Format format;
  PictureQuality quality = PictureQuality::kNice;
  Duration lasts{0};  // of simulated time; 0: as long as the run
};

class LiveFilm final : public Role {
 public:
  // Film and maker outlive it.
  LiveFilm(LiveFilmOptions options, ElementTypes types, film::Film& film, PictureMaker& maker, Network& network);

  void on_opened(LinkId link, Moment now) override { member_.on_opened(link, now); }
  void on_bytes(LinkId link, ByteView bytes, Moment now) override { member_.on_bytes(link, bytes, now); }
  void on_closed(LinkId link, Moment now) override { member_.on_closed(link, now); }
  void on_datagram(const Endpoint& from, ByteView bytes, Moment now) override { member_.on_datagram(from, bytes, now); }
  void on_time(Moment now) override;
  Moment deadline() const override;
  bool finished() const override { return member_.finished(); }

  void finish() { member_.leave(); }
  // Until the last picture is in the film.
  void wait() const { camera_.wait(); }
  const ForeignRole& member() const { return member_; }
  std::uint64_t pictures() const { return pictures_; }
  // Why it is not what was asked for; nothing while it goes on, and when it has ended as it should.
  const std::optional<Error>& trouble() const { return trouble_; }

 private:
  ForeignOptions as_viewer();
  void look(Moment now);
  void fail_with(ErrorCode code, std::string text);

  LiveFilmOptions options_;
  film::Film& film_;
  PictureMaker& maker_;
  film::PictureSize size_;
  Duration every_;
  ShapeBook book_;
  std::unique_ptr<PictureWorld> pictures_of_;
  ForeignRole member_;
  bool ready_ = false;
  std::unique_ptr<film::View> view_;
  std::uint32_t run_ = 0;
  Moment next_{};
  Instant begun_{}, last_{};
  std::atomic<std::int64_t> shown_ns_{0};  // in the film, of the picture that is being drawn
  std::atomic<std::uint64_t> pictures_{0};
  std::atomic<bool> broken_{false};
  std::optional<Error> trouble_;
  std::optional<Error> film_trouble_;  // of the camera's thread, before broken_
  CameraThread camera_;                // last: its thread adds to the film
};

}  // namespace convoy::stream
