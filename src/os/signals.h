// SIGINT and SIGTERM as events: the first asks for an ordered stop, the second ends the process at once with 130.
//
//   os::Signals signals([&](int) { loop->post([&] { role.stop(); }); });   // first thing in main(), before any thread
//
// They are taken by a thread of its own with sigwait, so that the callback is ordinary code (in that thread). SIGPIPE
// is ignored from then on. One object at a time: signals belong to the process.
#pragma once

#include <signal.h>

#include <functional>
#include <thread>

#include "os/descriptor.h"

namespace convoy::os {

inline constexpr int kExitInterrupted = 130;

// First thing in main(): until there are Signals, SIGINT and SIGTERM end the process at once, with 130 as afterwards.
void exit_on_signals();

class Signals {
 public:
  // `on_first` gets the signal's number, once. Threads that exist already must not be the only ones unblocked: make
  // this before them.
  explicit Signals(std::function<void(int)> on_first);
  ~Signals();  // gives the signals back as they were
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  void thread_main();

  std::function<void(int)> on_first_;
  sigset_t before_{};
  Descriptor signals_, end_;
  std::thread thread_;
};

// While it is there, signals wait, and threads that a library starts get none, ever.
class SignalsHeldBack {
 public:
  SignalsHeldBack();
  ~SignalsHeldBack();
  SignalsHeldBack(const SignalsHeldBack&) = delete;

 private:
  sigset_t before_{};
};

// A thread that no signal is delivered to: signals are for the threads of the program.
std::thread thread_without_signals(std::function<void()> work);

std::string signal_text(int number);  // "SIGSEGV (Segmentation fault)"

}  // namespace convoy::os
