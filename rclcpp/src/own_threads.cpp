#include "own_threads.hpp"

#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>

#include "convoy_ros/own_threads.hpp"
#include "convoy_ros/simulation.hpp"
#include "os/real_calls.h"
#include "os/signals.h"
#include "pools.hpp"
#include "thread_order.hpp"

namespace convoy::ros {
namespace {

// Real time. It decides only whether a run that is wrong ends now or a little later.
constexpr std::chrono::milliseconds kMoment{100};  // for a new thread to show what it does
constexpr std::chrono::seconds kPatience{3};       // for a node that waits for a thread that has ended by calling

// A thread that a node has started, seen from itself; on its own stack.
struct Origin {
  std::shared_ptr<OwnThreads> book;
  std::string who;      // "/robot/n: callback of a timer"
  std::string library;  // that of the thread's function
  int number = 0;
};
thread_local Origin* the_origin = nullptr;

struct Start {
  void* (*start)(void*);
  void* argument;
  Origin origin;
};

// Unwound by pthread_exit(), too.
struct Running {
  Origin& origin;
  explicit Running(Origin& o) : origin(o) { the_origin = &origin; }
  ~Running() {
    the_origin = nullptr;
    origin.book->ended(origin.number);
  }
};

void* run_own_thread(void* started) {
  const std::unique_ptr<Start> start(static_cast<Start*>(started));
  const Running running(start->origin);
  return start->start(start->argument);
}

// The library that starts the thread. That of std::thread is the one in which its function is: its table of virtual
// functions, which the argument begins with, lies there.
std::string library_of(void* (*start)(void*), const void* argument) {
  const std::string direct = file_of(reinterpret_cast<const void*>(start));
  const bool of_std = direct.rfind("libstdc++", 0) == 0 || direct.rfind("libconvoy_rclcpp", 0) == 0;
  if (!of_std || !argument) return direct;
  const void* table = nullptr;
  std::memcpy(&table, argument, sizeof table);
  const std::string own = file_of(table);
  return own.empty() ? direct : own;
}

// Ends this thread, and sees to it that the run ends.
[[noreturn]] void leave(Origin& origin, const std::string& text) {
  the_origin = nullptr;  // what is unwound now may call, and what is started is not the node's
  origin.book->called(text, origin.number);
  if (origin.book->is_program()) {
    std::fprintf(stderr, "convoy: %s\n", text.c_str());
    std::fflush(nullptr);
    _exit(1);
  }
  // The node may wait for what this thread was to do, so that nobody is there to end the run in order.
  os::thread_without_signals([book = origin.book, text] {
    if (book->taken_within(kPatience)) return;
    std::fprintf(stderr, "convoy: %s\n", text.c_str());
    std::fflush(stderr);
    _exit(1);
  }).detach();
  pthread_exit(nullptr);
}

}  // namespace

int OwnThreads::started() {
  const std::lock_guard lock(mutex_);
  unsettled_.insert(++started_);
  attention_.store(true, std::memory_order_release);
  return started_;
}

void OwnThreads::ended(int number) {
  const std::lock_guard lock(mutex_);
  unsettled_.erase(number);
  changed_.notify_all();
}

void OwnThreads::called(const std::string& text, int number) {
  const std::lock_guard lock(mutex_);
  if (trouble_.empty()) trouble_ = text;
  unsettled_.erase(number);
  attention_.store(true, std::memory_order_release);
  changed_.notify_all();
}

std::string OwnThreads::settle() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kMoment, [this] { return unsettled_.empty() || !trouble_.empty(); });
  unsettled_.clear();  // who has shown nothing by now is not waited for again
  attention_.store(!trouble_.empty(), std::memory_order_release);
  taken_ = !trouble_.empty();
  changed_.notify_all();
  return trouble_;
}

std::string OwnThreads::trouble() {
  const std::lock_guard lock(mutex_);
  taken_ = !trouble_.empty();
  changed_.notify_all();
  return trouble_;
}

bool OwnThreads::taken_within(std::chrono::nanoseconds patience) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [this] { return taken_; });
}

std::atomic<bool> own_threads_exist{false};

// The current simulation is a word of the thread, as the origin is: neither may be kept over a callback that suspends.
__attribute__((noinline)) void look_for_order(const char* call, std::string_view name) {
  Origin* origin = the_origin;
  // Stacks may be threads, too: those of a simulation know it.
  if (!origin || Simulation::current()) return;
  leave(*origin, origin->who + " has a thread of a pool (" + origin->library + "), which calls " + call +
                     (name.empty() ? "" : " '" + std::string(name) + "'") +
                     ": a pool has no place in the order of a run, rclcpp is for all other threads");
}

int create_thread(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument,
                  const void* caller, RealCreate real) {
  if (os::RealCalls::wanted()) return real(thread, attributes, start, argument);
  Simulation* simulation = Simulation::current();
  const std::string* work = simulation ? simulation->watched().running() : nullptr;
  const bool in_main = simulation && ThreadOrder::in_main(*simulation);
  if (!work && !in_main && !the_origin) return real(thread, attributes, start, argument);

  const std::string who = work ? *work : in_main ? "main()" : the_origin->who;
  const bool pool = is_pool(caller);
  const std::string library = pool ? file_of(caller) : library_of(start, argument);
  if (simulation && !pool && (in_main || simulation->graph().stacks().can_suspend()))
    return ThreadOrder::of(*simulation).create(thread, attributes, start, argument, who, library);

  const std::shared_ptr<OwnThreads> book = simulation ? simulation->watched().threads() : the_origin->book;
  own_threads_exist = true;
  const int number = book->started();
  if (work)
    simulation->warn_once(
        *work + " uses a pool of threads (" + library +
        "): what they compute has to be the same whoever computes it (--strict-threads gives pools one)");
  auto own = std::make_unique<Start>(Start{start, argument, {book, who, library, number}});
  const int error = real(thread, attributes, run_own_thread, own.get());
  if (error != 0) {
    book->ended(number);
  } else {
    [[maybe_unused]] const Start* the_threads = own.release();
  }
  return error;
}

}  // namespace convoy::ros
