// Those who look at one stream, each by its way: WebRTC, or a line of its own. The video begins with the first of them.
//
// Threads: one, but for show(), which the thread that draws calls.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "stream/direct_players.h"
#include "stream/video_stream.h"

namespace convoy::stream {

class Audience {
 public:
  // Both outlive it; without a line nobody comes by one.
  Audience(VideoFormat format, DirectLine* line, VideoEvents& events)
      : format_(std::move(format)), events_(events), direct_(line) {}
  ~Audience() { end(); }
  Audience(const Audience&) = delete;
  Audience& operator=(const Audience&) = delete;

  // If the video has not begun: true, it has now. kUnsupported: as VideoStream::make().
  Result<bool> begin();
  // All who came by WebRTC are gone, and the rest see nothing until it begins anew.
  void end();
  std::string encoder() const { return video_ ? video_->encoder() : std::string(); }

  // After begin().
  Status add(const PlayerId& player, const VideoRoutes& routes) { return video_->add(player, routes); }
  void add_direct(const PlayerId& player, CodedPicture::Kind kind);
  void remove(const PlayerId& player);

  // Of those who come by WebRTC.
  Status answer(const PlayerId& player, const std::string& sdp);
  void candidate(const PlayerId& player, const std::string& candidate, unsigned line);
  // Of those who come by a line; empty, or false: it is none.
  std::string invitation() { return direct_.invite(); }
  void coded(const CodedPicture& picture);
  void taken(const PlayerId& player) { direct_.taken(player); }
  bool close(const PlayerId& player, const std::string& why);

  // The picture of the instant.
  void show(Bytes rgb);
  void send(const PlayerId& player, ByteView message);
  std::optional<std::uint32_t> adapt() { return video_ ? video_->adapt() : std::nullopt; }  // as VideoStream

 private:
  void hand_out();

  VideoFormat format_;
  VideoEvents& events_;
  DirectPlayers direct_;
  std::shared_ptr<VideoStream> video_;
  mutable std::mutex mutex_;  // of video_ itself, for show()
};

}  // namespace convoy::stream
