// Follows one run and streams pictures of it: a member that owns nothing, as the page's server is.
//
// A role as any other, without sockets. Of each stream that somebody looks at a picture is drawn at most `rate` times a
// second, from the newest state that is known; while the last one is still being drawn or encoded, none. Nobody waits for
// it: in lockstep it is a guest that is shown a boundary when it asks for one.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "client/foreign.h"
#include "sensing/picture_world.h"
#include "stream/broadcast.h"
#include "stream/camera_thread.h"
#include "stream/players.h"
#include "stream/quality_choice.h"
#include "stream/views.h"

namespace convoy::stream {

struct StreamOptions {
  ViewName view;
  BroadcastOptions broadcast;  // its `post` is set here
};

struct StreamViewerOptions {
  SessionOptions session;  // role and datagrams are set here
  std::vector<StreamOptions> streams;
  PictureQuality quality = PictureQuality::kPlain;  // to begin with
  bool adapts = false;                              // plainer, where this machine does not come along
  bool stamped = false;                             // with the wall clock in each picture (stamp.h)
  std::function<bool(std::function<void()>)> post;  // into this role's thread, from any
};

class StreamViewer final : public Role {
 public:
  // `lines`: one a stream, by their order.
  StreamViewer(StreamViewerOptions options, ElementTypes types, std::vector<SignalingLine*> lines, PictureMaker& maker,
               Network& network, Log& log);
  ~StreamViewer() override;

  // Links are the member's or a player's: whoever does not know one takes no notice.
  void on_opened(LinkId link, Moment now) override { member_.on_opened(link, now), players_.on_opened(link, now); }
  void on_bytes(LinkId link, ByteView bytes, Moment now) override {
    member_.on_bytes(link, bytes, now), players_.on_bytes(link, bytes, now);
  }
  void on_closed(LinkId link, Moment now) override { member_.on_closed(link, now), players_.on_closed(link, now); }
  void on_datagram(const Endpoint& from, ByteView bytes, Moment now) override { member_.on_datagram(from, bytes, now); }
  void on_time(Moment now) override;
  Moment deadline() const override;
  bool finished() const override { return member_.finished(); }

  void leave() { member_.leave(); }
  const ForeignRole& member() const { return member_; }
  Broadcast& broadcast(std::size_t stream);

 private:
  class Stream;
  ForeignOptions as_viewer();
  void loaded(const Setup& setup, const World& world);
  void look(Moment now);
  void adapt();
  std::optional<Pace> pace_of(const std::string& robot) const;

  StreamViewerOptions options_;
  PictureMaker& maker_;
  Log& log_;
  ShapeBook book_;
  std::unique_ptr<PictureWorld> pictures_;
  Setup setup_;  // of pictures_
  QualityChoice quality_;
  ForeignRole member_;
  Players players_;
  std::vector<std::unique_ptr<Stream>> streams_;
  bool ready_ = false;
  Moment next_second_{}, now_{};
};

}  // namespace convoy::stream
