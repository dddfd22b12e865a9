// One client's side of a connection: greeting, assets, reconnecting and leaving, without sockets.
//
// States: dialing -> greeting -> (bulk: loading the setup) -> up. When a link breaks it dials again with its number and
// token, and the connection resumes. It ends (ended()) when declined, on the server's goodbye, or after the liveness
// limit without a link.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "core/ports.h"
#include "session/channel.h"
#include "session/datagram_link.h"
#include "session/drops.h"
#include "session/listening.h"
#include "session/membership.h"

namespace convoy {

struct SessionOptions {
  PeerRole role = PeerRole::kRobotClient;
  std::string name;
  std::string build;
  std::uint64_t fingerprint = 0;
  std::function<std::string()> credentials;  // asked for each Hello; empty: none
  bool datagrams = false;
  bool check_datagrams = true;                       // false: a planted bug, for tests
  bool load_setup = true;                            // fetch the setup before setup_loaded()
  Endpoint server;                                   // of datagrams
  Duration dial_timeout = std::chrono::seconds(10);  // until the first Welcome, over all attempts
  Duration greet_timeout = std::chrono::seconds(2);  // from a dial to its Welcome; then another link is tried
  Duration redial_every = std::chrono::milliseconds(100);
  ChannelRules channel;
};

inline constexpr int kServerPatience = 12;  // times the liveness limit: until a silent server is given up

class SessionEvents {
 public:
  virtual ~SessionEvents() = default;
  virtual void welcomed(Moment now) = 0;                      // first time only
  virtual void held_up(const std::string& /*why*/) {}         // it dials again until it is welcomed; once
  virtual void setup_loaded(ByteView setup, Moment now) = 0;  // canonical bytes of the Setup
  virtual void frame(FrameType type, ByteView payload, Moment now) = 0;
  // False: it cannot be used now. It is not acknowledged, so the server sends its content again.
  virtual bool datagram(const Datagram& datagram, Moment now) = 0;
  virtual void acked(std::uint32_t) {}  // the server has acknowledged that datagram; called once for each
};

class Session {
 public:
  Session(SessionOptions options, Network& network, SessionEvents& events);

  void start(Moment now);
  bool on_opened(LinkId link, Moment now);  // false: it is none of its links
  void on_bytes(LinkId link, ByteView bytes, Moment now);
  void on_closed(LinkId link, Moment now);
  void on_datagram(const Endpoint& from, ByteView bytes, Moment now);
  void on_time(Moment now);
  Moment deadline() const;

  void send(FrameType type, const Payload& payload) { channel_.send(type, payload); }
  void send(FrameType type, Bytes payload, std::uint64_t hash) { channel_.send(type, std::move(payload), hash); }
  std::uint64_t payload_hash() const { return payload_hash_; }  // of the frame that is being handed over
  // Its number; see SessionEvents::acked().
  std::uint32_t send_datagram(DatagramType type, std::uint8_t flags, std::uint16_t run, ByteView payload);
  void flush() { channel_.flush(); }
  // Says goodbye and ends.
  void leave();

  bool welcome() const { return number_ != kNobody; }
  bool registered() const { return registered_; }
  Owner number() const { return number_; }
  const Token& token() const { return token_; }
  const std::string& name() const { return name_; }
  bool free_mode() const { return free_mode_; }
  bool checkpoints() const { return checkpoints_; }
  Duration liveness() const { return liveness_; }  // 0: off
  // Why it is over; nothing while it goes on. Code kUnavailable: the server is gone; kDenied: declined.
  const std::optional<Error>& ended() const { return ended_; }
  bool ended_in_order() const { return in_order_; }
  Drops& drops() { return drops_; }
  const Drops& drops() const { return drops_; }
  std::uint64_t bytes_sent() const { return channel_.bytes_sent(); }
  std::uint64_t reconnects() const { return reconnects_; }
  const Channel& channel() const { return channel_; }

 private:
  void dial(Moment now);
  void greet(Moment now);
  void handle_welcome(ByteView payload, Moment now);
  void handle_decline(ByteView payload, Moment now);
  void request_setup();
  void asset_piece(ByteView payload, Moment now);
  void read(Moment now);
  void read_bulk(Moment now);
  void lose(Moment now);
  void lose_bulk(Moment now);
  void register_endpoint(Moment now);
  void end(ErrorCode code, std::string text);

  SessionOptions options_;
  Network& network_;
  SessionEvents& events_;
  Channel channel_;
  FrameReader reader_, bulk_reader_;
  std::uint64_t payload_hash_ = 0;
  LinkId link_ = 0, bulk_ = 0;
  Owner number_ = kNobody;
  Token token_{};
  std::string name_;
  bool free_mode_ = false, checkpoints_ = false;
  std::uint64_t scenario_ = 0;
  Duration liveness_{};
  // When the last sign of life came, in listened time: by any way, on the control link, on the bulk link.
  struct Signs {
    Listening clock;
    Duration any{}, link{}, bulk{};
    std::optional<Duration> refused{};  // since then all links were closed before they were open
    // When it is given up. A server that is silent may be stopped or busy, and go on; where connections are refused for
    // the whole liveness limit there is none any more.
    Duration given_up(Duration liveness) const {
      const Duration silent = any + kServerPatience * liveness;
      return refused ? std::min(silent, std::max(any, *refused) + liveness) : silent;
    }
  } signs_;
  struct Dial {
    bool open = false;     // the link
    Moment since{};        // when the link was dialled
    Moment next = kNever;  // when to dial once more
    std::uint32_t attempt = 0;
    Moment begun{};       // the first
    std::string held_up;  // why it was not let in yet
    Duration longer{0};   // than dial_timeout, therefore
  } dial_;
  Moment next_heartbeat_ = kNever, next_register_ = kNever, next_redial_{};
  bool registered_ = false;
  DatagramLink datagrams_;
  Bytes setup_;
  bool setup_done_ = false;
  Moment next_bulk_ = kNever;
  std::optional<Error> ended_;
  bool in_order_ = false;
  std::uint64_t reconnects_ = 0;
  Drops drops_;
};

}  // namespace convoy
