// Those who look at this viewer's streams and act: each by a connection of its own, with its own credentials.
//
// What a page says as text (Interaction) is a JSON object with one member (docs/viewer.md): `hello` with credentials,
// `call` with a call as convoy web takes them, `drive` with a robot's name, or null. Who has said no hello may look, and
// nothing else.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "stream/broadcast.h"
#include "stream/player_drive.h"
#include "stream/player_session.h"

namespace convoy::stream {

// How fast a robot goes; nothing: there is no such robot.
struct Pace {
  double speed = 0, turn = 0;  // m/s, rad/s
};

class Players {
 public:
  using Respond = std::function<void(const std::string& text)>;
  using PaceOf = std::function<std::optional<Pace>(const std::string& robot)>;
  static constexpr std::size_t kMaxActing = 64;  // players with a connection of their own
  static constexpr std::size_t kMaxText = 64 * 1024;

  // `session`: of each player; its credentials are set here.
  Players(SessionOptions session, PaceOf pace_of, Network& network)
      : session_(std::move(session)), pace_of_(std::move(pace_of)), network_(network) {}

  void on_opened(LinkId link, Moment now);
  void on_bytes(LinkId link, ByteView bytes, Moment now);
  void on_closed(LinkId link, Moment now);
  void on_time(Moment now);
  Moment deadline() const;

  // True: it is of use to nobody else.
  bool said(const PlayerId& player, const PlayerMessage& message, const Respond& respond, Moment now);
  void gone(const PlayerId& player);
  std::size_t acting() const { return acting_.size(); }

 private:
  using Json = nlohmann::json;
  struct Actor {
    std::unique_ptr<PlayerSession> session;
    PlayerDrive drive;
    Respond respond;
    bool told = false;  // that it may act
  };
  void text(const PlayerId& player, const std::string& text, const Respond& respond, Moment now);
  void hello(const PlayerId& player, const Json& value, const Respond& respond, Moment now);
  void call(Actor& actor, const Json& value);
  void drive(Actor& actor, const Json& value);

  SessionOptions session_;
  PaceOf pace_of_;
  Network& network_;
  std::map<PlayerId, Actor> acting_;
  std::map<PlayerId, std::unique_ptr<PlayerSession>> leaving_;  // until what they said last has left
  std::uint64_t holders_ = 0;
};

}  // namespace convoy::stream
