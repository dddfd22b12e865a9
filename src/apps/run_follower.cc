#include "apps/run_follower.h"

#include <utility>

#include "apps/arguments.h"

namespace convoy::apps {

namespace {

constexpr Duration kTryAgain = std::chrono::seconds(1);

}  // namespace

RunFollower::RunFollower(std::string address, Log& log)
    : address_(std::move(address)), log_(log), signals_([this](int) { interrupt(); }) {}

int RunFollower::run(const std::function<Status()>& follow) {
  while (!interrupted_) {
    if (auto ok = follow(); !ok) return complain(ok.error().message(), kUsage);
    std::unique_lock lock(mutex_);
    woken_.wait_for(lock, kTryAgain, [this] { return interrupted_.load(); });
  }
  return kInterrupted;
}

void RunFollower::interrupt() {
  const std::scoped_lock lock(mutex_);
  interrupted_ = true;
  if (stop_) stop_();
  woken_.notify_all();
}

void RunFollower::set_stop(std::function<void()> stop) {
  const std::scoped_lock lock(mutex_);
  stop_ = std::move(stop);
  if (interrupted_ && stop_) stop_();
}

void RunFollower::over(const std::string& why) {
  if (!interrupted_ && why != said_) log_.line(LogLevel::kInfo, address_ + ": " + why + "; trying again");
  said_ = why;
}

}  // namespace convoy::apps
