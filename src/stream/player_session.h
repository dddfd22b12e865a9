// One player's own connection to the server: it makes calls with the player's credentials, and no others.
//
// The server knows its role, bounds its calls, and gives back what it has leased when it ends.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "convoy/control.pb.h"
#include "session/session.h"

namespace convoy::stream {

class PlayerSession final : private SessionEvents {
 public:
  using Answer = std::function<void(const proto::Reply&)>;
  static constexpr std::size_t kMaxCalls = 64;  // that wait for their answer

  // `holder`: as whom it leases robots.
  PlayerSession(SessionOptions options, std::string holder, Network& network, Moment now);
  ~PlayerSession() override;
  PlayerSession(const PlayerSession&) = delete;
  PlayerSession& operator=(const PlayerSession&) = delete;

  bool on_opened(LinkId link, Moment now) { return session_.on_opened(link, now); }
  void on_bytes(LinkId link, ByteView bytes, Moment now) { session_.on_bytes(link, bytes, now); }
  void on_closed(LinkId link, Moment now) { session_.on_closed(link, now); }
  void on_time(Moment now);
  Moment deadline() const { return session_.deadline(); }

  // Why it cannot be used, as the server has declined it; nothing: it can.
  std::optional<Error> end() const { return session_.ended(); }
  bool welcome() const { return session_.welcome(); }
  // Answered once; at the latest when the session ends.
  void ask(proto::Request request, Answer answer);

 private:
  void welcomed(Moment) override {}
  void setup_loaded(ByteView, Moment) override {}
  void frame(FrameType type, ByteView payload, Moment now) override;
  bool datagram(const Datagram&, Moment) override { return true; }

  std::string holder_;
  Session session_;
  std::uint64_t calls_ = 0;
  std::map<std::uint64_t, Answer> open_;
};

}  // namespace convoy::stream
