// Threads that do pieces of work for one owner thread, which collects them in the order of submission.
//
//   os::HandlerPool pool(2, [&] { (void)loop.post([] {}); });   // notifies the owner that something is done
//
// Threads: submit() and collect() from the owner's; `ring` is called from a handler's, at most once between two calls
// of collect(). The destructor joins; what no thread has begun by then is never done.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "core/ports.h"

namespace convoy::os {

inline constexpr int kMaxHandlers = 64;
inline constexpr std::size_t kPiecesAtOnce = 8;  // that a thread takes under one lock

class HandlerPool final : public Handlers {
 public:
  // `width` threads, clipped to [1, kMaxHandlers].
  HandlerPool(int width, std::function<void()> ring);
  ~HandlerPool() override;

  int width() const override { return width_; }
  void submit(std::vector<std::unique_ptr<Piece>> pieces) override;
  void collect(std::vector<std::unique_ptr<Piece>>& done, bool wait) override;

 private:
  struct Slot {
    std::unique_ptr<Piece> piece;
    bool done = false;
  };
  void thread_main();
  bool front_done() const { return !slots_.empty() && slots_.front().done; }

  const int width_;
  const std::function<void()> ring_;
  std::mutex mutex_;
  std::condition_variable work_there_, front_there_;
  std::deque<Slot> slots_;  // in the owner's order; a deque's elements stay where they are
  std::size_t begun_ = 0;   // slots from the front on that some thread has taken
  bool rung_ = false, owner_waits_ = false, end_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace convoy::os
