// Threads that share the pieces of one parallel call: fork and join with low latency.
//
// The caller works too, and never waits for a thread that is still asleep: it takes all the pieces that no other has
// taken. Idle threads spin briefly if every thread has a core, then sleep.
//
// Threads: parallel() from one thread at a time, and not from inside a piece of work (checked).
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "core/ports.h"

namespace convoy::os {

inline constexpr int kMaxPoolWidth = 256;
inline constexpr std::size_t kPiecesPerThread = 8;  // small enough to cost nothing, enough to even out the work
inline constexpr Duration kPoolSpin = std::chrono::microseconds(30);  // about one wake-up of a sleeping core

class ThreadPool final : public Executor {
 public:
  // `width` threads including the caller; clipped to [1, kMaxPoolWidth].
  explicit ThreadPool(int width);
  ~ThreadPool() override;  // joins

  int width() const override { return width_; }
  // Pieces are ranges of equal length (to 1), at most kPiecesPerThread for each thread.
  void parallel(std::size_t n, const std::function<void(std::size_t, std::size_t)>& work) override;

 private:
  void thread_main();
  bool work_on_pieces();
  void wait_for_end(std::uint32_t pieces);

  const int width_;
  const Duration spin_;
  // Of one call; stable while a piece of it is unfinished, so they are read only after a piece has been taken.
  const std::function<void(std::size_t, std::size_t)>* work_ = nullptr;
  std::size_t n_ = 0;
  // Number of the call (32 bits), its pieces (16), the next piece to take (16): taking one is a compare-and-swap, so a
  // thread that comes late finds another call's number and takes nothing.
  alignas(64) std::atomic<std::uint64_t> claim_{0};
  alignas(64) std::atomic<std::uint32_t> done_{0};
  std::atomic<std::uint32_t> caller_sleeps_{0};
  alignas(64) std::atomic<std::uint32_t> bell_{0};  // rung for each call and for the end
  std::atomic<std::uint32_t> sleepers_{0};
  std::atomic<bool> end_{false};
  std::atomic<bool> busy_{false};
  std::vector<std::thread> threads_;
};

}  // namespace convoy::os
