// One stream that players can choose: a view of the world, its video, and those who look at it.
//
// It speaks with the signaling server as a streamer of Epic's protocol: says its id, gets players, hands offers and
// candidates on. Whom WebRTC does not reach may come over a line of its own (direct_players.h), to which the offer
// invites. Pictures are wanted only while somebody looks.
//
// Threads: one, but for show(), which the thread that draws calls. What the video tells in threads of its own comes back
// by `post`.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/ports.h"
#include "stream/audience.h"
#include "stream/player_message.h"

namespace convoy::stream {

// The way to a signaling server; texts are dropped while there is none.
class SignalingLine {
 public:
  virtual ~SignalingLine() = default;
  virtual void send(const std::string& text) = 0;
};

class BroadcastEvents {
 public:
  virtual ~BroadcastEvents() = default;
  virtual void said(const PlayerId& player, const PlayerMessage& message) = 0;
  virtual void gone(const PlayerId& player) = 0;
};

struct BroadcastOptions {
  std::string id;  // as players list it; the server may change it
  VideoFormat format;
  std::vector<std::string> addresses;               // at which players reach it; empty: all but loopback
  DirectLine* direct = nullptr;                     // for whom WebRTC does not reach; none: they are not served
  std::function<bool(std::function<void()>)> post;  // into this object's thread, from any; false: it has ended
};

class Broadcast final : private VideoEvents {
 public:
  Broadcast(BroadcastOptions options, SignalingLine& line, BroadcastEvents& events, Log& log);
  ~Broadcast() override;
  Broadcast(const Broadcast&) = delete;
  Broadcast& operator=(const Broadcast&) = delete;

  // From the line.
  void line_text(std::string_view text);
  void line_closed();  // those who look go on looking; new ones need the line

  // From the direct line.
  void direct_opened(const PlayerId& player, CodedPicture::Kind kind);
  void direct_bytes(const PlayerId& player, ByteView bytes) { took(player, bytes); }
  void direct_taken(const PlayerId& player) { audience_.taken(player); }
  void direct_closed(const PlayerId& player) { left(player); }

  bool wanted() const { return !players_.empty(); }
  const std::string& id() const { return id_; }
  // The picture of the instant; another thread.
  void show(Bytes rgb) { audience_.show(std::move(rgb)); }
  void send(const PlayerId& player, ByteView bytes) { audience_.send(player, bytes); }
  void respond(const PlayerId& player, const std::string& text);  // to its page
  void send_away(const std::string& why);                         // all who look: there is nothing to be seen
  void on_second();                                               // once a second

 private:
  using Json = nlohmann::json;
  struct Player {
    bool connected = false;
    std::vector<std::string> mids;  // of the media offered
  };
  void tell(const Json& message);
  void joined(const PlayerId& player, const Json& message);
  Status begin();  // the video, if it has not begun
  void left(const PlayerId& player);
  void drop(const PlayerId& player, const std::string& why);
  void took(const PlayerId& player, ByteView bytes);
  void greet(const PlayerId& player);
  void later(std::function<void()> work);

  void described(const PlayerId& player, std::string offer) override;
  void candidate(const PlayerId& player, std::string candidate, unsigned line) override;
  void connected(const PlayerId& player) override;
  void failed(const PlayerId& player) override;
  void channel(const PlayerId& player) override;
  void message(const PlayerId& player, Bytes bytes) override;
  void coded(CodedPicture picture) override;
  void broken(std::string why) override;

  BroadcastOptions options_;
  std::string id_;
  SignalingLine& line_;
  BroadcastEvents& events_;
  Log& log_;
  std::vector<VideoIceServer> servers_;
  std::map<PlayerId, Player> players_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for what is posted and comes later
  Audience audience_;                                           // the same players
};

}  // namespace convoy::stream
