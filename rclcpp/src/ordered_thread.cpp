#include "ordered_thread.hpp"

#include <cxxabi.h>

#include <exception>
#include <memory>

#include "current.hpp"
#include "os/real_calls.h"
#include "thread_order.hpp"

namespace convoy::ros {
namespace {

// The thread's destructors of thread-locals and keys run in its turn, too: it ends in the last round of those.
#if defined(CONVOY_SANITIZED)  // a sanitizer takes its own leave in the last one, and may not be called after it
constexpr int kRounds = PTHREAD_DESTRUCTOR_ITERATIONS - 1;
#else
constexpr int kRounds = PTHREAD_DESTRUCTOR_ITERATIONS;
#endif
struct Ending {
  std::shared_ptr<OrderedThread> thread;
  int rounds = 0;
};
pthread_key_t the_key;

void one_round(void* given) {
  auto* ending = static_cast<Ending*>(given);
  if (++ending->rounds < kRounds) {
    pthread_setspecific(the_key, ending);
    return;
  }
  const std::shared_ptr<OrderedThread> thread = std::move(ending->thread);
  delete ending;
  set_current(nullptr);
  if (thread->runs_off) return;  // nobody waits for it any more
  thread->order.ended(*thread);
  thread->turn.end();
}

void* run_ordered_thread(void* given) {
  auto* ending = static_cast<Ending*>(given);
  OrderedThread& thread = *ending->thread;
  thread.turn.wait_to_begin();
  set_current(&thread.order.simulation());
  pthread_setspecific(the_key, ending);
  thread.order.begin_turn(thread);
  try {
    return thread.start(thread.argument);
  } catch (const std::exception& e) {
    thread.order.simulation().graph().stop({ErrorCode::kState, *thread.name + " throws: " + e.what(), {}});
    return nullptr;
  }
}

}  // namespace

int start_ordered_thread(const std::shared_ptr<OrderedThread>& thread, pthread_t* id,
                         const pthread_attr_t* attributes) {
  static const int made = pthread_key_create(&the_key, one_round);
  if (made != 0) return made;
  auto ending = std::make_unique<Ending>(Ending{thread});
  const os::RealCalls real;
  const int error = pthread_create(id, attributes, run_ordered_thread, ending.get());
  if (error == 0) { [[maybe_unused]] const Ending* the_threads = ending.release(); }
  return error;
}

void ThreadTurns::resume() {
  if (!thread_->order.waits().over()) {
    thread_->turn.resume();
  } else if (!thread_->runs_off) {
    thread_->runs_off = !thread_->turn.resume_within(kEndPatience);
  }
}

void ThreadTurns::suspend() {
  // A thread that is cancelled leaves in its own turn.
  int state = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  thread_->turn.suspend();
  pthread_setcancelstate(state, nullptr);
}

}  // namespace convoy::ros
