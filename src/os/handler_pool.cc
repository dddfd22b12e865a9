#include "os/handler_pool.h"

#include <algorithm>
#include <utility>

#include "os/signals.h"

namespace convoy::os {

HandlerPool::HandlerPool(int width, std::function<void()> ring)
    : width_(std::clamp(width, 1, kMaxHandlers)), ring_(std::move(ring)) {
  threads_.reserve(static_cast<std::size_t>(width_));
  for (int i = 0; i < width_; ++i) threads_.push_back(thread_without_signals([this] { thread_main(); }));
}

HandlerPool::~HandlerPool() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  work_there_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void HandlerPool::submit(std::vector<std::unique_ptr<Piece>> pieces) {
  const std::size_t wanted = (pieces.size() + kPiecesAtOnce - 1) / kPiecesAtOnce;
  {
    const std::lock_guard lock(mutex_);
    for (auto& piece : pieces) slots_.push_back({std::move(piece), false});
  }
  for (std::size_t i = 0; i < std::min(wanted, static_cast<std::size_t>(width_)); ++i) work_there_.notify_one();
}

void HandlerPool::collect(std::vector<std::unique_ptr<Piece>>& done, bool wait) {
  std::unique_lock lock(mutex_);
  if (wait && !slots_.empty()) {
    owner_waits_ = true;
    front_there_.wait(lock, [this] { return front_done(); });
    owner_waits_ = false;
  }
  rung_ = false;
  while (front_done()) {
    done.push_back(std::move(slots_.front().piece));
    slots_.pop_front();
    --begun_;
  }
}

void HandlerPool::thread_main() {
  std::unique_lock lock(mutex_);
  while (true) {
    work_there_.wait(lock, [this] { return end_ || begun_ < slots_.size(); });
    if (end_) return;
    Slot* mine[kPiecesAtOnce];
    std::size_t n = 0;
    // Not all at once, so that the others have some too.
    const std::size_t share = (slots_.size() - begun_) / static_cast<std::size_t>(width_) + 1;
    while (n < std::min(share, kPiecesAtOnce) && begun_ < slots_.size()) mine[n++] = &slots_[begun_++];
    lock.unlock();
    for (std::size_t i = 0; i < n; ++i) mine[i]->piece->work();
    lock.lock();
    for (std::size_t i = 0; i < n; ++i) mine[i]->done = true;
    if (!front_done()) continue;
    if (owner_waits_) {
      front_there_.notify_one();
    } else if (!std::exchange(rung_, true)) {
      lock.unlock();
      ring_();
      lock.lock();
    }
  }
}

}  // namespace convoy::os
