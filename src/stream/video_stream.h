// Video for browsers: pictures go in, are encoded once, and go to each player over WebRTC.
//
//   auto video = VideoStream::make({.width = 640, .height = 480, .rate = 30}, events);
//   video->add(player, routes);             // its offer comes by events.described(); the answer goes to answer()
//   video->push(std::move(rgb), time);
//
// A picture that comes while the last two are still being encoded is dropped: nobody ever waits for a player. What
// players report of lost packets bounds the bitrate of all.
//
// Threads: one thread may call at a time, and another push(). Events come in threads of GStreamer, during calls too: they may hand on what
// they are told, and call nothing here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "convoy/result.h"
#include "convoy/time.h"
#include "core/bytes.h"

namespace convoy::stream {

using PlayerId = std::string;  // as the signaling server calls it

struct VideoFormat {
  std::uint32_t width = 1280, height = 720;  // px
  std::uint32_t rate = 30;                   // pictures a second, at most
  std::string codec = "vp8";                 // or h264
  std::uint32_t bitrate = 4000;              // kbit/s, at most
};

// As the signaling server names them: "stun:HOST:PORT", "turn:HOST:PORT?transport=udp".
struct VideoIceServer {
  std::string url, username, credential;
};

// How players may reach the stream.
struct VideoRoutes {
  std::vector<VideoIceServer> servers;
  std::vector<std::string> addresses;  // of this machine; empty: all but loopback
};

// A picture by itself, for who takes it otherwise than over WebRTC.
struct CodedPicture {
  enum class Kind : std::uint8_t { kVideo, kJpeg };  // kVideo: as the encoder made it; H.264 with start codes
  Kind kind = Kind::kVideo;
  bool key = true;
  std::uint64_t time_us = 0;  // since the stream began
  Bytes bytes;
};

class VideoEvents {
 public:
  virtual ~VideoEvents() = default;
  virtual void described(const PlayerId& player, std::string offer) = 0;  // SDP
  virtual void candidate(const PlayerId& player, std::string candidate, unsigned line) = 0;
  virtual void connected(const PlayerId& player) = 0;
  virtual void failed(const PlayerId& player) = 0;   // its connection; it may be removed
  virtual void channel(const PlayerId& player) = 0;  // its data channel is open
  virtual void message(const PlayerId& player, Bytes bytes) = 0;
  virtual void coded(CodedPicture picture) = 0;  // of the kinds that hand_out() has named
  // The encoder, for all: there will be no picture any more.
  virtual void broken(std::string why) = 0;
};

class VideoStream {
 public:
  virtual ~VideoStream() = default;

  // kUnsupported: an element of GStreamer is missing; the text names its package. kInvalid: a format that is none.
  static Result<std::unique_ptr<VideoStream>> make(const VideoFormat& format, VideoEvents& events);

  // Can it be made here, with players, in the codec that all have? kUnsupported: as make().
  static Status check();

  // Three bytes a pixel, row by row from the top, sRGB.
  virtual void push(Bytes rgb) = 0;

  // Its offer follows. kUnsupported: as make().
  virtual Status add(const PlayerId& player, const VideoRoutes& routes) = 0;
  virtual void remove(const PlayerId& player) = 0;
  virtual Status answer(const PlayerId& player, const std::string& sdp) = 0;
  virtual void candidate(const PlayerId& player, const std::string& candidate, unsigned line) = 0;
  // Over the data channel; nothing, while that is not open.
  virtual void send(const PlayerId& player, ByteView bytes) = 0;

  // From now on these come as events, too.
  virtual void hand_out(bool video, bool jpeg) = 0;
  virtual void ask_for_key() = 0;

  // Asks for the players' reports, and sets the bitrate by those that have come: once a second. What it is, in kbit/s,
  // where that is worth a line.
  virtual std::optional<std::uint32_t> adapt() = 0;
  virtual const std::string& encoder() const = 0;  // "vp8enc", for people
};

}  // namespace convoy::stream
