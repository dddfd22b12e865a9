// A caller: joins a server as a person or program that commands it, makes one call or several in a row, takes the answer
// and leaves.
//
//   Caller caller({.session = {...}, .request = request}, loop);
//   loop.run(caller);                       // until caller.finished()
//   if (caller.failure()) ...               // no server there, declined, no answer in time
//   use(*caller.reply());                   // a refusal is a reply too: reply().error() != 0
//
// A link that breaks in between is opened again by the session, and the call goes out again under its number: the
// server carries it out once.
#pragma once

#include <optional>
#include <vector>

#include "convoy/control.pb.h"
#include "session/session.h"

namespace convoy {

// A server's answer to a call that comes too early.
inline constexpr const char* kNotBegun = "the run has not begun: hosts are still loading";

struct CallerOptions {
  SessionOptions session;  // role and load_setup are set here
  proto::Request request;
  std::vector<proto::Request> before;  // made first, each when the last was answered; a refusal is the answer to all
  Duration timeout{0};                 // of each, from when it may be made; 0: none
  bool keep_dialing = false;           // until session.dial_timeout, even if no server listens or the run has not begun
};

class Caller final : public Role, private SessionEvents {
 public:
  Caller(CallerOptions options, Network& network);

  void on_opened(LinkId link, Moment now) override { session_.on_opened(link, now); }
  void on_bytes(LinkId link, ByteView bytes, Moment now) override { session_.on_bytes(link, bytes, now); }
  void on_closed(LinkId link, Moment now) override;
  void on_datagram(const Endpoint& from, ByteView bytes, Moment now) override {
    session_.on_datagram(from, bytes, now);
  }
  void on_time(Moment now) override;
  Moment deadline() const override;
  bool finished() const override { return reply_ || failure_; }

  // Gives up: no answer will come.
  void stop();

  const std::optional<proto::Reply>& reply() const { return reply_; }
  const std::optional<Error>& failure() const { return failure_; }
  // Whether the server took us in; before that, the network's own trouble is more precise than failure().
  bool welcome() const { return session_.welcome(); }

 private:
  void welcomed(Moment now) override;
  void setup_loaded(ByteView, Moment) override {}
  void frame(FrameType type, ByteView payload, Moment now) override;
  bool datagram(const Datagram&, Moment) override { return session_.drops().count(Drop::kUnexpected), true; }
  void give_up(ErrorCode code, std::string text);
  proto::Request& current() { return made_ < options_.before.size() ? options_.before[made_] : options_.request; }
  void ask();

  CallerOptions options_;
  Session session_;
  std::size_t made_ = 0;  // calls that were answered
  std::uint64_t id_ = 1;  // of the current one
  bool started_ = false;
  Moment give_up_at_ = kNever, ask_again_at_ = kNever;
  Moment patient_until_{};  // with a run that has not begun
  std::optional<proto::Reply> reply_;
  std::optional<Error> failure_;
};

}  // namespace convoy
