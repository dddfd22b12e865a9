#include "os/fibres.h"

#if defined(CONVOY_THREAD_STRANDS)
#include <pthread.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#else
#include <cxxabi.h>

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <cstring>
#endif

namespace convoy::os {
namespace {

#if defined(CONVOY_THREAD_STRANDS)

// A thread that only runs while resume() waits for it. Sanitizers know threads; they do not know fibres.
class Baton final : public nodes::Execution::Strand {
 public:
  explicit Baton(std::function<void()> work) : work_(std::move(work)) {}
  ~Baton() override {
    if (!thread_.joinable()) return;
    if (!ended_) unwinding_ = true, hand(true);
    thread_.join();
  }
  void resume() override {
    if (!thread_.joinable()) {
      inside_ = true;
      thread_ = std::thread([this] { run(); });
      std::unique_lock lock(mutex_);
      turned_.wait(lock, [this] { return !inside_; });
    } else {
      hand(true);
    }
  }
  void suspend() override {
    hand(false);
    if (unwinding_) throw Unwind();
  }

 private:
  struct Unwind {};
  void run() {
    try {
      work_();
    } catch (const Unwind&) {}
    std::lock_guard lock(mutex_);
    ended_ = true, inside_ = false;
    turned_.notify_all();
  }
  // Gives the turn away, and waits until it is back.
  void hand(bool inside) {
    std::unique_lock lock(mutex_);
    inside_ = inside;
    turned_.notify_all();
    turned_.wait(lock, [&] { return inside_ != inside; });
  }

  std::function<void()> work_;
  std::mutex mutex_;
  std::condition_variable turned_;
  bool inside_ = false, ended_ = false, unwinding_ = false;
  std::thread thread_;
};

using Made = Baton;

#else

namespace context = boost::context;

class Fibre final : public nodes::Execution::Strand {
 public:
  explicit Fibre(std::function<void()> work) : work_(std::move(work)) {
    inside_ = context::fiber(std::allocator_arg, context::protected_fixedsize_stack(kFibreStack),
                             [this](context::fiber&& outside) {
                               outside_ = std::move(outside);
                               work_();
                               return std::move(outside_);
                             });
  }
  ~Fibre() override {
    swap_exceptions();
    inside_ = context::fiber();  // a fibre that goes is unwound
    swap_exceptions();
  }
  void resume() override {
    swap_exceptions();
    inside_ = std::move(inside_).resume();
    swap_exceptions();
  }
  void suspend() override { outside_ = std::move(outside_).resume(); }

 private:
  // What a thread knows about exceptions in flight belongs to the stack: a callback may suspend in a catch block.
  void swap_exceptions() {
    unsigned char now[sizeof exceptions_];
    void* const globals = abi::__cxa_get_globals();
    std::memcpy(now, globals, sizeof now);
    std::memcpy(globals, exceptions_, sizeof now);
    std::memcpy(exceptions_, now, sizeof now);
  }

  std::function<void()> work_;
  context::fiber inside_, outside_;
  unsigned char exceptions_[sizeof(void*) + sizeof(unsigned int)] = {};  // __cxa_eh_globals: the caught, how many fly
};

using Made = Fibre;

#endif

}  // namespace

std::unique_ptr<nodes::Execution::Strand> Fibres::make(std::function<void()> work) {
  return std::make_unique<Made>(std::move(work));
}

}  // namespace convoy::os
