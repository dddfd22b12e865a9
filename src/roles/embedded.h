// A server and its clients in one process, joined by links in memory: the same roles, the same bytes, no sockets.
//
// Everything runs in the caller's thread, in one fixed order; the agents' work forks through the executor. The caller
// gives the clock and the way to wait, so that this works with real time and in tests with none.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "core/ports.h"

namespace convoy {

class Embedded {
 public:
  Embedded();
  ~Embedded();

  // The networks that the roles are made with. The server's first; clients are numbered from 0 in order of creation.
  Network& server_network();
  Network& add_client();

  // The roles must outlive run(). `clients[i]` uses the i-th client network.
  void set_server(Role& server);
  void set_client(std::size_t client, Role& role);

  // Until the server has finished and the clients have received its last frames, or `until` is true. `now` reads the clock;
  // `wait` sleeps until the moment given, or returns early.
  void run(const std::function<Moment()>& now, const std::function<void(Moment)>& wait,
           const std::function<bool()>& until = {});

 private:
  class Side;
  struct Event {
    enum class Kind : std::uint8_t { kOpened, kBytes, kClosed, kDatagram } kind;
    std::size_t to;  // side
    LinkId link;
    Bytes bytes;
    Endpoint from;
  };
  struct Link {
    std::size_t client;
    bool open = true;
  };
  void deliver(Moment now);
  void push(Event event);
  void send_from(std::size_t side, LinkId link, ByteView bytes);
  void close_from(std::size_t side, LinkId link);

  std::vector<std::unique_ptr<Side>> sides_;  // 0 is the server
  std::vector<Role*> roles_;
  std::map<LinkId, Link> links_;
  LinkId next_link_ = 1;
  std::deque<Event> events_;
};

}  // namespace convoy
