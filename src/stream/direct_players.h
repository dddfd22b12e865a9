// Players who get their pictures over a line of their own (a WebSocket), where WebRTC does not get through: as the encoder
// made them, or as JPEG.
//
// No more than two pictures are under way to a player: what comes before it has taken one is left out for it, and so are
// pictures that need one that was left out. Nobody waits for a player.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/bytes.h"
#include "stream/video_stream.h"

namespace convoy::stream {

// The way to these players of one stream.
class DirectLine {
 public:
  virtual ~DirectLine() = default;
  // Where a player may come, ws://..., once and soon.
  virtual std::string invite() = 0;
  virtual void send(const PlayerId& player, SharedBytes message) = 0;
  virtual void close(const PlayerId& player, const std::string& why) = 0;
};

// What goes to them: a byte for its kind, and for pictures whether it is a key picture and its time (u64, little-endian,
// us), then the picture, or what else goes by the data channel.
enum class ToDirect : std::uint8_t { kMessage = 0, kVideo = 1, kJpeg = 2 };
inline constexpr std::size_t kDirectHeader = 10;  // bytes before a picture

class DirectPlayers {
 public:
  static constexpr unsigned kMostUnderWay = 2;  // pictures

  explicit DirectPlayers(DirectLine* line) : line_(line) {}

  std::string invite() { return line_ == nullptr ? std::string() : line_->invite(); }
  void add(const PlayerId& player, CodedPicture::Kind kind) { players_[player] = Player{.kind = kind}; }
  bool remove(const PlayerId& player) { return players_.erase(player) != 0; }
  bool has(const PlayerId& player) const { return players_.contains(player); }
  bool wants(CodedPicture::Kind kind) const;

  // True: somebody can go on with a key picture alone.
  bool show(const CodedPicture& picture);
  void taken(const PlayerId& player);
  void send(const PlayerId& player, ByteView message);
  void close(const PlayerId& player, const std::string& why);

 private:
  struct Player {
    CodedPicture::Kind kind = CodedPicture::Kind::kJpeg;
    unsigned under_way = 0;
    bool broken = true;  // the next picture that it can use is a key picture
  };
  DirectLine* line_;
  std::map<PlayerId, Player> players_;
};

}  // namespace convoy::stream
