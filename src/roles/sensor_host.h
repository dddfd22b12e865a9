// A sensor host: computes samples of sensors that robots' hosts order from it, from a copy of the world; it runs no robots.
//
// In lockstep it is shown a boundary when something of it is ordered, and skips all others. Whether it is there, is slow or
// dies changes no byte of a run: who waits for a sample computes it when this host is gone. In free mode it follows the
// world as viewers do, and orders say where their robots are exactly; others are where they are believed to be.
#pragma once

#include <functional>
#include <list>
#include <optional>

#include "roles/sample_work.h"
#include "session/peer_ways.h"
#include "session/session.h"

namespace convoy {

struct SensorHostOptions {
  SessionOptions session;
  std::function<void(const Session&)> welcomed;  // the server has let it in; may be empty
  PeerNetwork* peers = nullptr;              // samples go straight to robots' hosts; may be absent; outlives the role
  std::function<Token()> new_token;          // for that: 16 unguessable bytes
  Duration slow{0};                          // tests: each answer waits that long
  std::function<std::uint64_t()> stopwatch;  // ns since any moment, for policy: measured; may be empty
};

class SensorHostRole final : public Role, private SessionEvents, private DirectEvents {
 public:
  // Of the parts: rays, pictures and users' sensors.
  SensorHostRole(SensorHostOptions options, Network& network, Executor& executor, const AgentParts& parts, Log& log);

  // What is not the session's has been opened by somebody else.
  void on_opened(LinkId link, Moment now) override {
    if (session_.on_opened(link, now)) door_.beside = link;
    else ways_.on_opened(link, now);
  }
  void on_bytes(LinkId link, ByteView bytes, Moment now) override {
    ways_.has(link) ? ways_.on_bytes(link, bytes, now) : session_.on_bytes(link, bytes, now);
  }
  void on_closed(LinkId link, Moment now) override {
    ways_.has(link) ? ways_.on_closed(link, now) : session_.on_closed(link, now);
  }
  void on_datagram(const Endpoint& from, ByteView bytes, Moment now) override {
    session_.on_datagram(from, bytes, now);
  }
  void on_time(Moment now) override;
  Moment deadline() const override;
  bool finished() const override { return session_.ended().has_value(); }

  // Leaves in order.
  void stop() { session_.leave(); }
  const Session& session() const { return session_; }
  Session& session() { return session_; }
  struct Counts {
    std::uint64_t samples = 0, sent_directly = 0;  // of them, straight to robots' hosts
  };
  const Counts& counts() const { return counts_; }
  // Why it ended, if not in order.
  std::optional<Error> failure() const;

 private:
  void welcomed(Moment now) override;
  void held_up(const std::string& why) override;
  void setup_loaded(ByteView setup, Moment now) override;
  void frame(FrameType type, ByteView payload, Moment now) override;
  bool datagram(const Datagram& datagram, Moment now) override;
  bool direct_frame(Owner, FrameType, ByteView, Moment) override { return false; }
  void direct_lost(Owner peer) override;
  void offer_link(Owner peer, Moment now);
  Status take_orders(ByteView payload, Moment now);
  void end_with(Error error);

  SensorHostOptions options_;
  Log& log_;
  Session session_;
  PeerWays ways_;
  SampleWork work_;
  struct {
    LinkId beside = 0;  // the link to the server that was opened last
    std::optional<Endpoint> where;
  } door_;
  Counts counts_;
  // All of one frame of orders: its pieces take one way.
  struct Answer {
    Owner to = kNobody;
    std::size_t samples = 0;
    std::vector<Bytes> frames;
    Moment at{};
  };
  bool send(const Answer& answer);
  std::list<Answer> answers_;  // that are slow, or have no way yet
  Moment handled_{};           // they were looked at last
  bool started_ = false;
  std::optional<Error> failure_;
};

}  // namespace convoy
