// Introduces viewers of video to those who stream it: the part of Epic's Pixel Streaming protocol 1.3 that needs no SFU.
//
// Streamers say under what id they can be found, players list them and subscribe to one; what the two then have to say to
// each other (offers, answers, candidates) is handed on unread but for who it is for. No picture comes by here.
// Messages are JSON objects with a `type` (docs/viewer.md). Runs in the web server's thread and has no sockets.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "adapters/web/page_desk.h"
#include "core/ports.h"

namespace convoy::web {

// Where a browser finds out how it can be reached (STUN), or has its packets handed on (TURN).
struct IceServer {
  std::string url;  // "stun:HOST:PORT", "turn:HOST:PORT?transport=udp"
  std::string username, credential;
};

struct SignalingOptions {
  // Asked for each who comes: credentials may be short-lived.
  std::function<std::vector<IceServer>()> ice_servers = [] { return std::vector<IceServer>{}; };
  std::size_t max_streamers = 64, max_players = 256;
  // In front of players' ids: another one for each start, since a streamer may still have players of the last one.
  std::string prefix;
};

class SignalingDesk {
 public:
  enum class Part : std::uint8_t { kPlayer, kStreamer };
  static constexpr std::size_t kMaxId = 128;  // bytes of a streamer's id

  SignalingDesk(SignalingOptions options, PagePort& port, Log& log)
      : options_(std::move(options)), port_(port), log_(log) {}

  // From the sockets.
  void opened(PageId who, Part part, Moment now);
  void text(PageId who, std::string_view text);
  void closed(PageId who);
  void on_time(Moment now);

  std::vector<std::string> streamers() const;                                       // their ids, ascending
  std::size_t players() const { return members_.size() - streamers_of_all(); }      // that are connected
  const std::map<std::string, std::uint64_t>& refused() const { return refused_; }  // by reason

 private:
  using Json = nlohmann::json;
  struct Member {
    Part part = Part::kPlayer;
    Moment opened{};
    std::string id;       // of a streamer, once it has said it
    PageId streamer = 0;  // of a player, that it is subscribed to; 0: none
  };
  std::size_t streamers_of_all() const;
  std::string name_of(PageId player) const { return options_.prefix + std::to_string(player); }
  void send(PageId who, const Json& message);
  void refuse(PageId who, const char* reason, const std::string& text);
  void identified(PageId who, Member& streamer, const Json& message);
  void of_streamer(PageId who, Member& streamer, const std::string& type, Json message);
  void of_player(PageId who, Member& player, const std::string& type, Json message);
  void subscribe(PageId who, Member& player, const Json& message);
  void unsubscribe(PageId who, Member& player);
  // The player of one of the streamer's messages, or null.
  Member* player_of(PageId streamer, const Json& message, PageId& player);

  SignalingOptions options_;
  PagePort& port_;
  Log& log_;
  std::map<PageId, Member> members_;
  std::map<std::string, PageId> by_id_;  // streamers
  std::map<std::string, std::uint64_t> refused_;
};

}  // namespace convoy::web
