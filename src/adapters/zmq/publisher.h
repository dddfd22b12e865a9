// A socket that publishes from a thread of its own, a tick's messages at once.
//
//   auto state = Publisher::open(options, 3);        // its threads stay on the process's fourth core
//   for (...) state->add(topic, payload);
//   state->flush();                                  // they leave while the next tick is computed
//
// libzmq passes each message from the sending thread to a thread of its own, which writes to the network. On two cores
// the two threads contend for the same cache lines: a quarter of a million messages a second take 0.30 of a core then,
// and 0.15 where both share one core and take turns, at the same greatest rate. So both stay on one core: libzmq's
// thread begins when a batch has been handed to it, while the simulation's thread goes on.
//
// Threads: all calls from the owner's.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "adapters/zmq/socket.h"

namespace convoy::zmq {

class Publisher {
 public:
  // `core` counts through the cores that the process may run on, from the last one backwards and around.
  // kUnavailable: the port is taken.
  static Result<std::unique_ptr<Publisher>> open(const SocketOptions& options, int core);
  ~Publisher();  // what was handed over is sent, what was only added is not

  // Both copied.
  void add(std::string_view topic, ByteView payload);
  // Hands over what was added; waits while what was handed over before still leaves. A peer that does not read keeps
  // nothing waiting: it misses what does not fit into its queue, which has room for four times the most ever handed
  // over.
  void flush();
  // The next message that a subscriber has sent, if there is one.
  bool receive(std::vector<Bytes>& parts);

 private:
  struct Message {
    std::uint32_t topic = 0, payload = 0;  // bytes
  };
  struct Batch {
    std::vector<Message> messages;
    Bytes bytes;
    void clear() { messages.clear(), bytes.clear(); }
  };

  Publisher() = default;
  void thread_main(const SocketOptions& options, int core);
  void listen();
  void send(const Batch& batch);

  Context context_;
  Result<Socket> socket_ = fail(ErrorCode::kInternal, "not opened");  // the thread's while `leaving_`, else the owner's
  int queue_ = 0;                                                     // of the socket's options now
  Batch added_, handed_;
  std::mutex mutex_;                         // of what follows
  std::deque<std::vector<Bytes>> received_;  // what subscribers sent before a batch left
  std::condition_variable turn_;
  bool leaving_ = true, end_ = false;  // at first it opens the socket
  std::thread thread_;
};

}  // namespace convoy::zmq
