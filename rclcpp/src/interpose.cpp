// What node code calls of the C library where a thread waits, sleeps, asks a clock or makes another thread: these
// functions stand before the C library's, since this library comes before it in a program that is linked to it.
//
// For the node code of a simulation whose nodes make threads they are turns and simulated time (thread_order.hpp). For
// everybody else they pass the call on, after one look at a word of the thread. libstdc++'s threads, locks, futures and
// clocks end here too: those of std::atomic and std::future by way of syscall(SYS_futex).
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cstdarg>
#include <system_error>
#include <thread>

#include "current.hpp"
#include "os/real_calls.h"
#include "own_threads.hpp"
#include "pools.hpp"
#include "real_pthread.hpp"
#include "thread_order.hpp"

namespace convoy::ros {
namespace {

#define CONVOY_REAL(name) constinit auto real_##name = real_of(&::name, #name)
// Its first version waits on another layout of the variable.
#define CONVOY_REAL_CONDITION(name) constinit auto real_##name = real_of(&::name, #name, "GLIBC_2.3.2")
CONVOY_REAL(pthread_create);
CONVOY_REAL(pthread_join);
CONVOY_REAL(pthread_tryjoin_np);
CONVOY_REAL(pthread_timedjoin_np);
CONVOY_REAL(pthread_clockjoin_np);
CONVOY_REAL(pthread_detach);
CONVOY_REAL(pthread_mutex_lock);
CONVOY_REAL(pthread_mutex_trylock);
CONVOY_REAL(pthread_mutex_timedlock);
CONVOY_REAL(pthread_mutex_clocklock);
CONVOY_REAL(pthread_mutex_unlock);
CONVOY_REAL(pthread_rwlock_rdlock);
CONVOY_REAL(pthread_rwlock_wrlock);
CONVOY_REAL(pthread_rwlock_tryrdlock);
CONVOY_REAL(pthread_rwlock_trywrlock);
CONVOY_REAL(pthread_rwlock_timedrdlock);
CONVOY_REAL(pthread_rwlock_timedwrlock);
CONVOY_REAL(pthread_rwlock_clockrdlock);
CONVOY_REAL(pthread_rwlock_clockwrlock);
CONVOY_REAL(pthread_rwlock_unlock);
CONVOY_REAL(pthread_once);
CONVOY_REAL_CONDITION(pthread_cond_wait);
CONVOY_REAL_CONDITION(pthread_cond_timedwait);
CONVOY_REAL(pthread_cond_clockwait);
CONVOY_REAL_CONDITION(pthread_cond_signal);
CONVOY_REAL_CONDITION(pthread_cond_broadcast);
CONVOY_REAL(pthread_barrier_init);
CONVOY_REAL(pthread_barrier_wait);
CONVOY_REAL(pthread_barrier_destroy);
CONVOY_REAL(sem_wait);
CONVOY_REAL(sem_trywait);
CONVOY_REAL(sem_timedwait);
CONVOY_REAL(sem_clockwait);
CONVOY_REAL(sem_post);
CONVOY_REAL(nanosleep);
CONVOY_REAL(clock_nanosleep);
CONVOY_REAL(usleep);
CONVOY_REAL(sleep);
CONVOY_REAL(sched_yield);
CONVOY_REAL(clock_gettime);
CONVOY_REAL(gettimeofday);
CONVOY_REAL(time);
CONVOY_REAL(timespec_get);
CONVOY_REAL(syscall);
CONVOY_REAL(get_nprocs);
CONVOY_REAL(sysconf);
CONVOY_REAL(sched_getaffinity);
#undef CONVOY_REAL
#undef CONVOY_REAL_CONDITION

// Nothing but this look is done for threads that run no node code, nor before the program is set up.
ThreadOrder* here() { return the_current ? ThreadOrder::here() : nullptr; }
ThreadOrder* of_locks() { return the_current ? ThreadOrder::of_locks() : nullptr; }

// So many processors node code sees everywhere: pools that are as large as the machine would differ between machines.
constexpr int kProcessors = 4;

bool is_valid(const timespec* t) { return t && t->tv_nsec >= 0 && t->tv_nsec < 1'000'000'000; }

Duration duration_of(const timespec& t) {
  constexpr std::int64_t kMost = INT64_MAX / 1'000'000'000 - 1;
  const std::int64_t seconds = t.tv_sec > kMost ? kMost : t.tv_sec < -kMost ? -kMost : t.tv_sec;
  return Duration(seconds * 1'000'000'000 + t.tv_nsec);
}

Instant instant_of(const timespec& t) {
  const Duration d = duration_of(t);
  return Instant{} + d < nodes::kNoInstant ? Instant{} + d : nodes::kNoInstant;
}

Instant after(Instant now, Duration d) { return d < nodes::kNoInstant - now ? now + d : nodes::kNoInstant; }

timespec timespec_of(Instant t) {
  const std::int64_t ns = nanos(t);
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

// Clocks of processor time stay what they are.
bool is_simulated(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_TAI: return true;
    default: return false;
  }
}

// The kinds of a mutex, as the C library keeps them in it.
int kind_of(const pthread_mutex_t* mutex) { return mutex->__data.__kind & 3; }

int lock(ThreadOrder& order, pthread_mutex_t* mutex, Instant due) {
  for (;;) {
    const int error = real_pthread_mutex_trylock(mutex);
    if (error == 0) order.waits().locked(mutex, kind_of(mutex) == PTHREAD_MUTEX_RECURSIVE_NP);
    if (error != EBUSY) return error;
    // Somebody's who is in no order, or the error of one who locks twice.
    if (!order.waits().holds(mutex) ||
        (kind_of(mutex) == PTHREAD_MUTEX_ERRORCHECK_NP && order.waits().holds_itself(mutex))) {
      const int real = real_pthread_mutex_lock(mutex);
      if (real == 0) order.waits().locked(mutex, false);
      return real;
    }
    if (!order.waits().wait(mutex, For::kMutex, due)) return ETIMEDOUT;
  }
}

int unlock(ThreadOrder& order, pthread_mutex_t* mutex) {
  const int error = real_pthread_mutex_unlock(mutex);
  if (error == 0) order.waits().unlocked(mutex);
  return error;
}

template <class Try, class RealLock>
int lock_shared(ThreadOrder& order, pthread_rwlock_t* rwlock, Instant due, Try attempt, RealLock real) {
  for (;;) {
    int error = attempt(rwlock);
    if (error == EBUSY && !order.waits().holds(rwlock)) error = real(rwlock);
    if (error == 0) order.waits().locked(rwlock, true);
    if (error != EBUSY) return error;
    if (!order.waits().wait(rwlock, For::kReadWriteLock, due)) return ETIMEDOUT;
  }
}
int lock_to_read(ThreadOrder& order, pthread_rwlock_t* rwlock, Instant due) {
  return lock_shared(
      order, rwlock, due, [](auto* l) { return real_pthread_rwlock_tryrdlock(l); },
      [](auto* l) { return real_pthread_rwlock_rdlock(l); });
}
int lock_to_write(ThreadOrder& order, pthread_rwlock_t* rwlock, Instant due) {
  return lock_shared(
      order, rwlock, due, [](auto* l) { return real_pthread_rwlock_trywrlock(l); },
      [](auto* l) { return real_pthread_rwlock_wrlock(l); });
}

// Node code that waits for threads in no order, those of a pool, gets the real waits: its pool wakes it.
ThreadOrder* order_of(const void* caller) {
  ThreadOrder* order = here();
  return order && !is_pool(caller) ? order : nullptr;
}

int wait_for_condition(ThreadOrder& order, pthread_cond_t* condition, pthread_mutex_t* mutex, Instant due) {
  if (const int error = unlock(order, mutex); error != 0) return error;
  const bool woken = order.waits().wait(condition, For::kCondition, due);
  const int error = lock(order, mutex, nodes::kNoInstant);
  return error != 0 ? error : woken ? 0 : ETIMEDOUT;
}

int failed(int error) {
  errno = error;
  return -1;
}

int wait_for_semaphore(ThreadOrder& order, sem_t* semaphore, Instant due) {
  while (real_sem_trywait(semaphore) != 0) {
    if (errno != EAGAIN) return -1;
    if (!order.waits().wait(semaphore, For::kSemaphore, due)) return failed(ETIMEDOUT);
  }
  return 0;
}

// In a callback it stands for computing and takes its time; elsewhere others go on.
int sleep_for(ThreadOrder& order, Duration time) {
  if (!order.sleeps_in_real_time()) return order.waits().wait(nullptr, For::kSleep, after(order.now(), time)), 0;
  const timespec t{static_cast<time_t>(nanos(time) / 1'000'000'000), static_cast<long>(nanos(time) % 1'000'000'000)};
  if (nanos(time) > 0) real_nanosleep(&t, nullptr);
  order.slept(time);
  return 0;
}

long wait_for_futex(ThreadOrder& order, const int* at, int operation, int value, const timespec* limit) {
  if (__atomic_load_n(at, __ATOMIC_SEQ_CST) != value) return failed(EAGAIN);
  Instant due = nodes::kNoInstant;
  if (limit) due = operation == FUTEX_WAIT ? after(order.now(), duration_of(*limit)) : instant_of(*limit);
  return order.waits().wait(at, For::kFutex, due) ? 0 : failed(ETIMEDOUT);
}

}  // namespace
}  // namespace convoy::ros

using namespace convoy::ros;
namespace nodes = convoy::nodes;

// A sanitizer's pthread_create() stands before ours, and returns when the new thread has begun, which waits for its turn:
// there the standard library's threads are met one step before.
#if defined(CONVOY_SANITIZED)
void std::thread::_M_start_thread(_State_ptr state, void (*)()) {
  const auto run = [](void* given) -> void* {
    const _State_ptr own(static_cast<_State*>(given));
    own->_M_run();
    return nullptr;
  };
  const int error =
      create_thread(&_M_id._M_thread, nullptr, run, state.get(), __builtin_return_address(0),
                    [](pthread_t* made, const pthread_attr_t* with, void* (*function)(void*), void* given) {
                      const convoy::os::RealCalls real;
                      return pthread_create(made, with, function, given);
                    });
  if (error != 0) throw std::system_error(error, std::generic_category());
  [[maybe_unused]] const _State* the_threads = state.release();
}
#endif

extern "C" {

// --- threads

#if defined(CONVOY_SANITIZED)
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) noexcept {
  return real_pthread_create(thread, attributes, start, argument);
}
#else
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) noexcept {
  return create_thread(thread, attributes, start, argument, __builtin_return_address(0),
                       [](pthread_t* made, const pthread_attr_t* with, void* (*function)(void*), void* given) {
                         return real_pthread_create(made, with, function, given);
                       });
}
#endif

int pthread_join(pthread_t thread, void** result) {
  if (ThreadOrder* order = here())
    if (const auto joined = order->join(thread, result, nodes::kNoInstant)) return *joined;
  return real_pthread_join(thread, result);
}
int pthread_tryjoin_np(pthread_t thread, void** result) noexcept {
  if (ThreadOrder* order = here())
    if (const auto joined = order->join(thread, result, order->now())) return *joined == ETIMEDOUT ? EBUSY : *joined;
  return real_pthread_tryjoin_np(thread, result);
}
int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* until) {
  if (ThreadOrder* order = here(); order && is_valid(until))
    if (const auto joined = order->join(thread, result, instant_of(*until))) return *joined;
  return real_pthread_timedjoin_np(thread, result, until);
}
int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock, const timespec* until) {
  if (ThreadOrder* order = here(); order && is_valid(until))
    if (const auto joined = order->join(thread, result, instant_of(*until))) return *joined;
  return real_pthread_clockjoin_np(thread, result, clock, until);
}
int pthread_detach(pthread_t thread) noexcept {
  if (ThreadOrder* order = here()) order->detach(thread);
  return real_pthread_detach(thread);
}

// --- mutexes

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  if (ThreadOrder* order = of_locks()) return lock(*order, mutex, nodes::kNoInstant);
  return real_pthread_mutex_lock(mutex);
}
int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  const int error = real_pthread_mutex_trylock(mutex);
  if (error == 0)
    if (ThreadOrder* order = of_locks()) order->waits().locked(mutex, kind_of(mutex) == PTHREAD_MUTEX_RECURSIVE_NP);
  return error;
}
int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) noexcept {
  if (ThreadOrder* order = of_locks(); order && is_valid(until)) return lock(*order, mutex, instant_of(*until));
  return real_pthread_mutex_timedlock(mutex, until);
}
int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* until) noexcept {
  if (ThreadOrder* order = of_locks(); order && is_valid(until)) return lock(*order, mutex, instant_of(*until));
  return real_pthread_mutex_clocklock(mutex, clock, until);
}
int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  if (ThreadOrder* order = of_locks()) return unlock(*order, mutex);
  return real_pthread_mutex_unlock(mutex);
}

// --- locks of readers and writers

int pthread_rwlock_rdlock(pthread_rwlock_t* rwlock) noexcept {
  if (ThreadOrder* order = of_locks()) return lock_to_read(*order, rwlock, nodes::kNoInstant);
  return real_pthread_rwlock_rdlock(rwlock);
}
int pthread_rwlock_wrlock(pthread_rwlock_t* rwlock) noexcept {
  if (ThreadOrder* order = of_locks()) return lock_to_write(*order, rwlock, nodes::kNoInstant);
  return real_pthread_rwlock_wrlock(rwlock);
}
int pthread_rwlock_tryrdlock(pthread_rwlock_t* rwlock) noexcept {
  const int error = real_pthread_rwlock_tryrdlock(rwlock);
  if (error == 0)
    if (ThreadOrder* order = of_locks()) order->waits().locked(rwlock, true);
  return error;
}
int pthread_rwlock_trywrlock(pthread_rwlock_t* rwlock) noexcept {
  const int error = real_pthread_rwlock_trywrlock(rwlock);
  if (error == 0)
    if (ThreadOrder* order = of_locks()) order->waits().locked(rwlock, true);
  return error;
}
int pthread_rwlock_timedrdlock(pthread_rwlock_t* rwlock, const timespec* until) noexcept {
  if (ThreadOrder* order = of_locks(); order && is_valid(until))
    return lock_to_read(*order, rwlock, instant_of(*until));
  return real_pthread_rwlock_timedrdlock(rwlock, until);
}
int pthread_rwlock_timedwrlock(pthread_rwlock_t* rwlock, const timespec* until) noexcept {
  if (ThreadOrder* order = of_locks(); order && is_valid(until))
    return lock_to_write(*order, rwlock, instant_of(*until));
  return real_pthread_rwlock_timedwrlock(rwlock, until);
}
int pthread_rwlock_clockrdlock(pthread_rwlock_t* rwlock, clockid_t clock, const timespec* until) noexcept {
  if (ThreadOrder* order = of_locks(); order && is_valid(until))
    return lock_to_read(*order, rwlock, instant_of(*until));
  return real_pthread_rwlock_clockrdlock(rwlock, clock, until);
}
int pthread_rwlock_clockwrlock(pthread_rwlock_t* rwlock, clockid_t clock, const timespec* until) noexcept {
  if (ThreadOrder* order = of_locks(); order && is_valid(until))
    return lock_to_write(*order, rwlock, instant_of(*until));
  return real_pthread_rwlock_clockwrlock(rwlock, clock, until);
}
int pthread_rwlock_unlock(pthread_rwlock_t* rwlock) noexcept {
  ThreadOrder* order = of_locks();
  const int error = real_pthread_rwlock_unlock(rwlock);
  if (order && error == 0) order->waits().unlocked(rwlock);
  return error;
}

// --- once

int pthread_once(pthread_once_t* once, void (*work)()) {
  ThreadOrder* order = here();
  if (!order) return real_pthread_once(once, work);
  while (order->waits().holds(once)) order->waits().wait(once, For::kOnce);
  struct Doing {
    ThreadOrder& order;
    pthread_once_t* once;
    Doing(ThreadOrder& o, pthread_once_t* of) : order(o), once(of) { order.waits().locked(once, false); }
    ~Doing() { order.waits().unlocked(once); }
  } doing(*order, once);
  return real_pthread_once(once, work);
}

// --- condition variables

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  if (ThreadOrder* order = order_of(__builtin_return_address(0)))
    return wait_for_condition(*order, condition, mutex, nodes::kNoInstant);
  return real_pthread_cond_wait(condition, mutex);
}
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
  if (ThreadOrder* order = order_of(__builtin_return_address(0)); order && is_valid(until))
    return wait_for_condition(*order, condition, mutex, instant_of(*until));
  return real_pthread_cond_timedwait(condition, mutex, until);
}
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* until) {
  if (ThreadOrder* order = order_of(__builtin_return_address(0)); order && is_valid(until))
    return wait_for_condition(*order, condition, mutex, instant_of(*until));
  return real_pthread_cond_clockwait(condition, mutex, clock, until);
}
int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  ThreadOrder* order = here();
  return order && order->waits().wake(condition, 1) > 0 ? 0 : real_pthread_cond_signal(condition);
}
int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  if (ThreadOrder* order = here()) order->waits().wake(condition);
  return real_pthread_cond_broadcast(condition);
}

// --- barriers

int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes, unsigned count) noexcept {
  const int error = real_pthread_barrier_init(barrier, attributes, count);
  if (error == 0 && of_locks()) ThreadOrder::of(*the_current).barriers()[barrier] = {count, 0};
  return error;
}
int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  ThreadOrder* order = here();
  const auto known = order ? order->barriers().find(barrier) : decltype(order->barriers().find(barrier)){};
  if (!order || known == order->barriers().end()) return real_pthread_barrier_wait(barrier);
  if (++known->second.there < known->second.count) return order->waits().wait(barrier, For::kBarrier), 0;
  known->second.there = 0;
  order->waits().wake(barrier);
  return PTHREAD_BARRIER_SERIAL_THREAD;
}
int pthread_barrier_destroy(pthread_barrier_t* barrier) noexcept {
  if (of_locks()) ThreadOrder::of(*the_current).barriers().erase(barrier);
  return real_pthread_barrier_destroy(barrier);
}

// --- semaphores

int sem_wait(sem_t* semaphore) {
  if (ThreadOrder* order = order_of(__builtin_return_address(0)))
    return wait_for_semaphore(*order, semaphore, nodes::kNoInstant);
  return real_sem_wait(semaphore);
}
int sem_timedwait(sem_t* semaphore, const timespec* until) {
  if (ThreadOrder* order = order_of(__builtin_return_address(0)); order && is_valid(until))
    return wait_for_semaphore(*order, semaphore, instant_of(*until));
  return real_sem_timedwait(semaphore, until);
}
int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  if (ThreadOrder* order = order_of(__builtin_return_address(0)); order && is_valid(until))
    return wait_for_semaphore(*order, semaphore, instant_of(*until));
  return real_sem_clockwait(semaphore, clock, until);
}
int sem_post(sem_t* semaphore) noexcept {
  const int error = real_sem_post(semaphore);
  if (ThreadOrder* order = here(); order && error == 0) order->waits().wake(semaphore, 1);
  return error;
}

// --- sleeping

int nanosleep(const timespec* time, timespec* left) {
  if (ThreadOrder* order = here(); order && is_valid(time) && time->tv_sec >= 0)
    return sleep_for(*order, duration_of(*time));
  return real_nanosleep(time, left);
}
int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  ThreadOrder* order = here();
  if (!order || !is_simulated(clock) || !is_valid(time)) return real_clock_nanosleep(clock, flags, time, left);
  const convoy::Duration length = (flags & TIMER_ABSTIME) != 0 ? instant_of(*time) - order->now() : duration_of(*time);
  return length > convoy::Duration{0} ? sleep_for(*order, length) : 0;
}
int usleep(useconds_t time) {
  if (ThreadOrder* order = here()) return sleep_for(*order, std::chrono::microseconds(time));
  return real_usleep(time);
}
unsigned sleep(unsigned time) {
  if (ThreadOrder* order = here()) return sleep_for(*order, std::chrono::seconds(time)), 0;
  return real_sleep(time);
}
int sched_yield() noexcept {
  if (ThreadOrder* order = here()) return order->waits().yield(), 0;
  return real_sched_yield();
}

// --- clocks, and how many processors there are

int clock_gettime(clockid_t clock, timespec* out) noexcept {
  if (ThreadOrder* order = here(); order && is_simulated(clock)) return *out = timespec_of(order->now()), 0;
  return real_clock_gettime(clock, out);
}
int gettimeofday(timeval* out, void* zone) noexcept {
  ThreadOrder* order = here();
  if (!order) return real_gettimeofday(out, zone);
  const timespec now = timespec_of(order->now());
  *out = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}
time_t time(time_t* out) noexcept {
  ThreadOrder* order = here();
  if (!order) return real_time(out);
  const time_t now = timespec_of(order->now()).tv_sec;
  if (out) *out = now;
  return now;
}
int timespec_get(timespec* out, int base) noexcept {
  if (ThreadOrder* order = here(); order && base == TIME_UTC) return *out = timespec_of(order->now()), base;
  return real_timespec_get(out, base);
}
int get_nprocs() noexcept {
  return of_locks() && !is_pool(__builtin_return_address(0)) ? kProcessors : real_get_nprocs();
}
long sysconf(int name) noexcept {
  const bool asks = name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF;
  return asks && of_locks() && !is_pool(__builtin_return_address(0)) ? kProcessors : real_sysconf(name);
}

// TBB makes as many threads as it may use processors.
int sched_getaffinity(pid_t process, std::size_t size, cpu_set_t* set) noexcept {
  const int error = real_sched_getaffinity(process, size, set);
  if (error == 0 && pools_have_one_thread && is_pool(__builtin_return_address(0))) {
    int first = 0;
    while (!CPU_ISSET_S(first, size, set)) ++first;
    CPU_ZERO_S(size, set);
    CPU_SET_S(first, size, set);
  }
  return error;
}

// --- futexes, by which std::atomic, std::future and their kin wait

long syscall(long number, ...) noexcept {
  va_list all;
  va_start(all, number);
  long a[6];
  for (long& one : a) one = va_arg(all, long);  // more than there are is read, and passed on, and means nothing
  va_end(all);
  if (number == SYS_futex) {
    const int operation = static_cast<int>(a[1]) & FUTEX_CMD_MASK;
    const auto* at = reinterpret_cast<const int*>(a[0]);
    if (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET) {
      if (ThreadOrder* order = order_of(__builtin_return_address(0)))
        return wait_for_futex(*order, at, operation, static_cast<int>(a[2]), reinterpret_cast<const timespec*>(a[3]));
    } else if (operation == FUTEX_WAKE || operation == FUTEX_WAKE_BITSET) {
      if (ThreadOrder* order = here()) {
        const auto most = static_cast<std::size_t>(a[2] < 0 ? INT_MAX : a[2]);
        const std::size_t woken = order->waits().wake(at, most);
        if (woken >= most) return static_cast<long>(woken);
        a[2] = static_cast<long>(most - woken);
        const long others = real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
        return others < 0 ? others : others + static_cast<long>(woken);
      }
    }
  }
  return real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

}  // extern "C"
