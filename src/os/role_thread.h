// Runs one role of an Embedded run in a thread of its own, so that what it does slows nobody down.
//
//   os::RoleThread own(embedded.add_client());
//   web::WebViewer viewer(..., own.network(), log);   // its Network, for its thread alone
//   embedded.set_client(i, own);                      // in the viewer's place: it hands everything on
//   own.start(viewer);
//   embedded.run(now, [&](Moment next) { /* sleep until then, or until own.wakes() is readable */ });
//   own.end();                                        // when what had come is taken; joins
//
// What its network gets is copied into a queue. A role that is slow to take it loses datagrams first, and at
// kQueueLimit its links, as a peer over TCP does.
// Threads: the Role's part, start() and end() from Embedded's; network() from the role's own; post() from any.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "core/ports.h"
#include "os/descriptor.h"

namespace convoy::os {

class RoleThread final : public Role {
 public:
  static constexpr std::size_t kQueueLimit = 64u << 20;           // bytes that wait for the role
  static constexpr std::size_t kDatagramLimit = kQueueLimit / 4;  // beyond, datagrams are dropped

  explicit RoleThread(Network& there);
  ~RoleThread() override { end(); }
  RoleThread(const RoleThread&) = delete;
  RoleThread& operator=(const RoleThread&) = delete;

  Network& network() { return here_; }
  void start(Role& role);
  void end();
  // Has `work` run in the role's thread; on_time follows. False when the role has finished.
  bool post(std::function<void()> work);
  // Readable when there is something to do for Embedded.
  int wakes() const { return bell_.get(); }

  void on_opened(LinkId link, Moment now) override;
  void on_bytes(LinkId link, ByteView bytes, Moment now) override;
  void on_closed(LinkId link, Moment now) override;
  void on_datagram(const Endpoint& from, ByteView bytes, Moment now) override;
  void on_time(Moment now) override;
  Moment deadline() const override;
  bool finished() const override;

 private:
  // Between the two threads, either way.
  struct Event {
    enum class Kind : std::uint8_t { kConnect, kOpened, kBytes, kClosed, kDatagram, kWork } kind;
    LinkId link = 0;  // as the role numbers it
    Endpoint other{};
    Bytes bytes{};
    std::function<void()> work{};
  };
  class Here final : public Network {
   public:
    explicit Here(RoleThread& all) : all_(all) {}
    void send(LinkId link, ByteView bytes) override;
    void close(LinkId link) override;
    void send_datagram(const Endpoint& to, ByteView bytes) override;
    LinkId connect() override;
    std::size_t backlog(LinkId) const override { return 0; }

   private:
    RoleThread& all_;
    LinkId last_ = 0;
  };
  void thread_main(Role& role);
  static void hand(Role& role, const Event& event, Moment now);
  // False: more than `limit` bytes would wait; nothing happens then.
  bool to_role(Event event, std::size_t limit = SIZE_MAX);
  void from_role(Event event);
  void carry_out(Event& event);
  void cut(LinkId link);
  LinkId ours(LinkId theirs) const;

  Network& there_;
  Here here_{*this};
  std::map<LinkId, LinkId> links_;  // there, by the role's number; Embedded's thread
  Descriptor bell_;
  mutable std::mutex mutex_;
  std::condition_variable woken_;
  std::deque<Event> inbox_;  // for the role
  std::size_t inbox_bytes_ = 0;
  std::vector<Event> outbox_;  // from it
  bool ending_ = false, over_ = false;
  std::thread thread_;
};

}  // namespace convoy::os
