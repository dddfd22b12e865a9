#include "os/thread_pool.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

#include "core/check.h"
#include "os/clock.h"
#include "os/float_mode.h"
#include "os/machine.h"
#include "os/signals.h"

namespace convoy::os {
namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == 4);

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}
void futex_wake(std::atomic<std::uint32_t>& word, int threads) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// True when `done()` came true within `limit`.
template <class Condition>
bool spin_until(Duration limit, const Condition& done) {
  if (limit == Duration::zero()) return done();
  const Moment end = now() + limit;
  do {
    for (int i = 0; i < 32; ++i) {
      if (done()) return true;
      pause_core();
    }
  } while (now() < end);
  return false;
}

}  // namespace

ThreadPool::ThreadPool(int width)
    : width_(std::clamp(width, 1, kMaxPoolWidth)), spin_(width_ <= cores() ? kPoolSpin : Duration::zero()) {
  threads_.reserve(static_cast<std::size_t>(width_ - 1));
  for (int i = 1; i < width_; ++i) threads_.push_back(thread_without_signals([this] { thread_main(); }));
}

ThreadPool::~ThreadPool() {
  end_.store(true);
  bell_.fetch_add(1);
  futex_wake(bell_, INT_MAX);
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::parallel(std::size_t n, const std::function<void(std::size_t, std::size_t)>& work) {
  if (n == 0) return;
  EXPECTS(!busy_.exchange(true, std::memory_order_acquire));
  if (width_ == 1 || n == 1) {
    work(0, n);
    busy_.store(false, std::memory_order_release);
    return;
  }
  const auto pieces = static_cast<std::uint32_t>(std::min(n, kPiecesPerThread * static_cast<std::size_t>(width_)));
  const std::uint64_t call = (claim_.load(std::memory_order_relaxed) >> 32) + 1;
  work_ = &work;
  n_ = n;
  done_.store(0, std::memory_order_relaxed);
  claim_.store(call << 32 | std::uint64_t{pieces} << 16);  // releases the three above
  bell_.fetch_add(1);
  if (sleepers_.load() > 0) futex_wake(bell_, std::min(width_ - 1, static_cast<int>(pieces) - 1));

  work_on_pieces();
  wait_for_end(pieces);
  busy_.store(false, std::memory_order_release);
}

// Takes pieces until none is left; false if there was none.
bool ThreadPool::work_on_pieces() {
  bool any = false;
  std::uint64_t claim = claim_.load(std::memory_order_acquire);
  for (;;) {
    const std::size_t pieces = claim >> 16 & 0xffff;
    const std::size_t mine = claim & 0xffff;
    if (mine >= pieces) return any;
    if (!claim_.compare_exchange_weak(claim, claim + 1, std::memory_order_acq_rel, std::memory_order_acquire)) continue;
    any = true;
    const std::size_t whole = n_ / pieces, rest = n_ % pieces;  // the first `rest` pieces are longer by one
    const std::size_t begin = mine * whole + std::min(mine, rest);
    (*work_)(begin, begin + whole + (mine < rest ? 1 : 0));
    // After the last one the caller may return, so nothing of the call is touched any more.
    if (done_.fetch_add(1) + 1 == pieces && caller_sleeps_.load() != 0) futex_wake(done_, 1);
    claim = claim_.load(std::memory_order_acquire);
  }
}

void ThreadPool::wait_for_end(std::uint32_t pieces) {
  const auto done = [&] { return done_.load(std::memory_order_acquire) == pieces; };
  if (spin_until(spin_, done)) return;
  caller_sleeps_.store(1);
  for (std::uint32_t seen = done_.load(); seen != pieces; seen = done_.load()) futex_wait(done_, seen);
  caller_sleeps_.store(0);
}

void ThreadPool::thread_main() {
  restore_float_mode();  // a thread begins with that of who made it
  for (;;) {
    const std::uint32_t seen = bell_.load();
    if (end_.load()) return;
    if (work_on_pieces()) continue;
    if (spin_until(spin_, [&] { return bell_.load(std::memory_order_acquire) != seen; })) continue;
    sleepers_.fetch_add(1);  // before the kernel compares the bell, which the caller rings before it counts us
    futex_wait(bell_, seen);
    sleepers_.fetch_sub(1);
  }
}

}  // namespace convoy::os
