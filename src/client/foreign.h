// The role of a foreign simulator, without sockets: joins, follows the world, exchanges elements, makes calls.
#pragma once

#include <deque>
#include <map>
#include <set>

#include "convoy/control.pb.h"
#include "guest/guest.h"
#include "replication/element_sender.h"
#include "replication/element_store.h"
#include "session/session.h"

namespace convoy {

struct ForeignOptions {
  SessionOptions session;                                  // role, datagrams and load_setup are set here
  PeerRole role = PeerRole::kForeign;                      // or a viewer
  std::function<void(const Setup&, const World&)> loaded;  // the setup has come: it is not kept
  Duration period = std::chrono::milliseconds(20);         // between two acknowledgements that travel alone
  std::size_t budget = 64 * 1024;                          // bytes of datagrams of elements at once
  std::function<void(ByteView)> samples;                   // a Samples frame, of a viewer that has asked for some
};

using RunTick = std::pair<std::uint32_t, Tick>;

inline constexpr std::size_t kMaxOwnElements = 4096;
inline constexpr std::size_t kMaxUserData = 1024;  // messages of the TCP phase that wait; then the oldest go

class ForeignRole final : public Role, private SessionEvents {
 public:
  ForeignRole(ForeignOptions options, ElementTypes types, Network& network);

  void on_opened(LinkId link, Moment now) override { session_.on_opened(link, now); }
  void on_bytes(LinkId link, ByteView bytes, Moment now) override { session_.on_bytes(link, bytes, now); }
  void on_closed(LinkId link, Moment now) override { session_.on_closed(link, now); }
  void on_datagram(const Endpoint& from, ByteView bytes, Moment now) override {
    session_.on_datagram(from, bytes, now);
  }
  void on_time(Moment now) override;
  Moment deadline() const override;
  bool finished() const override { return session_.ended().has_value(); }

  void leave() { session_.leave(); }
  // Why it is over; nothing while it goes on.
  std::optional<Error> end() const;
  const Session& session() const { return session_; }

  // The setup is here: the TCP phase may begin. It ends with ready().
  bool loaded() const { return guest_ != nullptr; }
  void send(FrameType type, ByteView bytes) { session_.send(type, bytes); }
  std::deque<Bytes>& user_data() { return user_data_; }
  void ready() { session_.send(FrameType::kReady, Bytes{}); }

  // The world is known.
  bool running() const { return guest_ && guest_->known(); }
  Instant sim_now(Moment now) { return guest_->now(now); }
  const World& world() const { return guest_->world(); }
  std::uint32_t run() const { return guest_->run(); }
  Duration tick_length() const { return guest_->tick_length(); }
  // Brings what is shown to `now`: the states in free mode; in lockstep the others' elements, which then are those of
  // the tick that the world shows.
  void reckon(Moment now);

  const ElementTypes& types() const { return types_; }
  // Sets one of mine; kUnavailable: there are kMaxOwnElements others.
  Status push(Element element);
  void retract(ElementId id);
  // Lockstep: this program is done with the tick; sent once for each. From the first call on, pushed elements are sent
  // only with the next call.
  void tick_done(const RunTick& tick);
  // Lockstep: the tick that began last.
  std::optional<RunTick> begun() const;
  ElementStore& others() { return others_; }
  // Free mode: the region whose states the server sends. It survives resets.
  void set_interest(const InterestRegion& region);

  // Sends the call; its id. The reply waits until it is taken.
  std::uint64_t ask(proto::Request request);
  std::optional<proto::Reply> take_reply(std::uint64_t id);
  void forget(std::uint64_t id) { open_calls_.erase(id); }

 private:
  void welcomed(Moment) override {}
  void setup_loaded(ByteView setup, Moment now) override;
  void frame(FrameType type, ByteView payload, Moment now) override;
  bool datagram(const Datagram& datagram, Moment now) override;
  void acked(std::uint32_t datagram) override { sender_.acked(datagram); }
  void take(const RawPayload& raw, std::uint32_t seq, Moment now);
  void take_elements(Moment now);
  void send_pushes();
  bool in_ticks() const { return !session_.free_mode(); }  // elements go with ticks, over the control link
  void follow_run();
  void forget_others();
  ElementSender::Access source();
  void end_with(Error error);

  ForeignOptions options_;
  ElementTypes types_;
  Session session_;
  bool started_ = false;
  std::unique_ptr<Guest> guest_;
  std::uint32_t run_ = 0, shown_run_ = 0;
  std::deque<Bytes> user_data_;
  std::map<ElementKey, Element> mine_;
  // Lockstep: ids that the server does not have as they are now, that it has, and that it is to forget first.
  std::set<ElementId> dirty_, sent_, gone_;
  std::optional<RunTick> done_;  // the tick that I was done with last
  bool only_when_done_ = false;
  ElementSender sender_;
  ElementStore others_;
  std::size_t unacknowledged_ = 0;  // datagrams since the last one of mine
  Moment next_send_{};
  std::uint64_t calls_ = 0;
  std::map<std::uint64_t, std::optional<proto::Reply>> open_calls_;
  std::optional<Error> failure_;
};

}  // namespace convoy
