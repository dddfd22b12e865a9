#include "os/fibres.h"

#include <condition_variable>
#include <mutex>
#include <thread>

#include "os/real_calls.h"

#if !defined(CONVOY_THREAD_STRANDS)
#include <cxxabi.h>

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <cstring>
#endif

namespace convoy::os {

// --- threads of which one runs

struct Turn::Parts {
  std::mutex mutex;
  std::condition_variable turned;
  bool inside = false;

  void hand(bool to_inside) {
    const RealCalls real;
    std::unique_lock lock(mutex);
    inside = to_inside;
    turned.notify_all();
    turned.wait(lock, [&] { return inside != to_inside; });
  }
};

Turn::Turn() : parts_(std::make_unique<Parts>()) {}
Turn::~Turn() = default;

bool Turn::resume() { return parts_->hand(true), true; }

bool Turn::resume_within(std::chrono::nanoseconds patience) {
  const RealCalls real;
  std::unique_lock lock(parts_->mutex);
  parts_->inside = true;
  parts_->turned.notify_all();
  return parts_->turned.wait_for(lock, patience, [this] { return !parts_->inside; });
}

void Turn::wait_to_begin() {
  const RealCalls real;
  std::unique_lock lock(parts_->mutex);
  parts_->turned.wait(lock, [this] { return parts_->inside; });
}

void Turn::suspend() { parts_->hand(false); }

void Turn::end() {
  const RealCalls real;
  const std::lock_guard lock(parts_->mutex);
  parts_->inside = false;
  parts_->turned.notify_all();  // the last that this thread does with it
}

namespace {

class ThreadStrand final : public nodes::Execution::Strand {
 public:
  explicit ThreadStrand(std::function<void()> work) : work_(std::move(work)) {}
  ~ThreadStrand() override {
    const RealCalls real;
    if (!thread_.joinable()) return;
    if (!ended_) unwinding_ = true, turn_.resume();
    thread_.join();
  }
  void resume() override {
    if (!thread_.joinable()) {
      const RealCalls real;
      thread_ = std::thread([this] { run(); });
    }
    turn_.resume();
  }
  void suspend() override {
    turn_.suspend();
    if (unwinding_) throw Unwind();
  }

 private:
  struct Unwind {};
  void run() {
    turn_.wait_to_begin();
    try {
      work_();
    } catch (const Unwind&) {
      unwinding_ = false;  // it has come to its end
    }
    ended_ = true;
    RealCalls::from_now_on();
    turn_.end();
  }

  std::function<void()> work_;
  Turn turn_;
  bool ended_ = false, unwinding_ = false;  // touched by whose turn it is
  std::thread thread_;
};

#if !defined(CONVOY_THREAD_STRANDS)

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
#else
using Made = ThreadStrand;  // sanitizers know threads; they do not know fibres
#endif

}  // namespace

std::unique_ptr<nodes::Execution::Strand> Fibres::make(std::function<void()> work) {
  return std::make_unique<Made>(std::move(work));
}

std::unique_ptr<nodes::Execution::Strand> ThreadStrands::make(std::function<void()> work) {
  return std::make_unique<ThreadStrand>(std::move(work));
}

}  // namespace convoy::os
