// The entrance of sockets whose owner chooses who may connect: a thread that looks at each connection before anything
// passes through it.
//
// libzmq tells who has come only by its IP address, and nothing says which connection a message is of once that is
// gone. So three of its means work together:
//
//   monitor   tells of each connection's descriptor: the thread asks about its peer, and shuts a stranger's down
//   ZAP       (the handshake's question whether a peer may come in) holds each connection up until that is done; so
//             nothing leaves to a stranger. The answer is always yes, with a stamp: how many had been looked at
//   SRCFD     says which descriptor a message came over. With the stamp, that is one connection: descriptors are used
//             again, but whose it was at that time is known. So what a stranger sent ahead, which lies in the kernel
//             when its connection is shut down and is read after the handshake, is told apart and dropped
//
// One I/O thread a context, which libzmq has unless asked: then it reports a connection before its handshake begins.
// A peer has to greet as ZeroMQ 4 and later do (ZMTP 3), and to await the answer before it goes on: libzmq refuses who
// cannot be held up.
//
// Threads: guard(), leave() and admitted() from any; it outlives the sockets, and goes before the context.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "os/descriptor.h"

namespace convoy::zmq {

// May the peer of this TCP connection come in? Any thread.
using Admits = std::function<bool(int connection)>;

class Entrance {
 public:
  explicit Entrance(void* context);
  ~Entrance();
  Entrance(const Entrance&) = delete;

  // A socket that is not bound yet.
  void guard(void* socket, Admits admits);
  // Before it is closed.
  static void leave(void* socket);
  // Did this come from somebody who may come in? Of its last part, a zmq_msg_t.
  bool admitted(void* message) const;

 private:
  struct Door {
    void* events = nullptr;  // a socket that hears of the connections
    Admits admits;
  };
  // When a descriptor was that of somebody who may come in, by the number of connections looked at.
  struct Stay {
    std::uint64_t from = 0, until = 0;
  };
  void thread_main();
  bool ends() const;
  void answer_handshakes();
  void look_at_arrivals();
  void look_at(Door& door, int connection, const std::string& at);

  void* context_;
  void* handshakes_;              // libzmq's questions
  os::Descriptor wake_, held_;    // held_: room for a connection while it is looked at
  mutable std::mutex mutex_;      // of what follows
  std::vector<Door> doors_;       // the thread alone takes some away
  std::map<int, Stay> stays_;     // by descriptor
  std::uint64_t looked_at_ = 0;   // connections
  std::uint64_t doors_made_ = 0;  // ever
  bool end_ = false;
  std::thread thread_;
};

}  // namespace convoy::zmq
