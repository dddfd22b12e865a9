// Tells a server again and again that this process lives, from a thread of its own and over a TCP link of its own: the
// program's loop may be busy for long, and a process that is stopped as a whole falls silent.
//
//   os::SignOfLife life;
//   life.begin({.server = server, .hello = bytes, .sign = [] { return bytes; }, .every = 250ms});
//
// A link that breaks or cannot be opened is opened again at the next sign; once the server answers, there is no more: it
// answers only to decline. Threads: begin() and the destructor from one thread; `sign` is called in the thread of this.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "core/bytes.h"
#include "core/ports.h"
#include "os/descriptor.h"
#include "os/sockets.h"

namespace convoy::os {

class SignOfLife {
 public:
  struct Options {
    Endpoint server;
    CallFrom from{};
    Bytes hello;                  // sent first on each link
    std::function<Bytes()> sign;  // sent then, and again each time
    Duration every{};
  };

  SignOfLife() = default;
  ~SignOfLife();  // ends the thread; waits for no more than what `sign` takes
  SignOfLife(const SignOfLife&) = delete;
  SignOfLife& operator=(const SignOfLife&) = delete;

  void begin(Options options);  // once

 private:
  void run();
  bool send_sign();  // false: the server has declined

  Options options_;
  Descriptor link_;
  Bytes unsent_;  // the rest of what the kernel did not take
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace convoy::os
