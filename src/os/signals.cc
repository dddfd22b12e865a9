#include "os/signals.h"

#include <fmt/format.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>

namespace convoy::os {

void exit_on_signals() {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction action {};
    ::sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN) continue;  // a shell's background job
    action = {};
    action.sa_handler = [](int) { ::_exit(kExitInterrupted); };
    ::sigaction(signal, &action, nullptr);
  }
}

Signals::Signals(std::function<void(int)> on_first) : on_first_(std::move(on_first)) {
  ::signal(SIGPIPE, SIG_IGN);
  sigset_t ours;
  sigemptyset(&ours);
  sigaddset(&ours, SIGINT);
  sigaddset(&ours, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ours, &before_);
  signals_ = Descriptor(::signalfd(-1, &ours, SFD_CLOEXEC));
  end_ = Descriptor(::eventfd(0, EFD_CLOEXEC));
  // Without them (no descriptor left at start) signals keep their default: they end the process.
  if (!signals_ || !end_) {
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    return;
  }
  thread_ = std::thread([this] { thread_main(); });
}

Signals::~Signals() {
  if (!thread_.joinable()) return;
  const std::uint64_t one = 1;
  (void)!::write(end_.get(), &one, sizeof one);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Signals::thread_main() {
  for (bool first = true;;) {
    pollfd wait[2] = {{signals_.get(), POLLIN, 0}, {end_.get(), POLLIN, 0}};
    if (::poll(wait, 2, -1) < 0 && errno != EINTR) return;
    if (wait[1].revents != 0) return;
    signalfd_siginfo info{};
    if (wait[0].revents == 0 || ::read(signals_.get(), &info, sizeof info) != sizeof info) continue;
    if (!std::exchange(first, false)) ::_exit(kExitInterrupted);
    if (on_first_) on_first_(static_cast<int>(info.ssi_signo));
  }
}

SignalsHeldBack::SignalsHeldBack() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before_);
}

SignalsHeldBack::~SignalsHeldBack() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

std::thread thread_without_signals(std::function<void()> work) {
  const SignalsHeldBack held;
  return std::thread(std::move(work));
}

std::string signal_text(int number) {
  const char* name = ::sigabbrev_np(number);
  const char* text = ::sigdescr_np(number);
  if (name == nullptr) return fmt::format("signal {}", number);
  return fmt::format("SIG{} ({})", name, text != nullptr ? text : "?");
}

}  // namespace convoy::os
