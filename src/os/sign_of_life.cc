#include "os/sign_of_life.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "core/check.h"
#include "os/address.h"
#include "os/signals.h"

namespace convoy::os {

namespace {

constexpr int kDialMs = 200;  // the Hello follows the link at once where that comes so soon, else with the next sign

Descriptor dial(const Endpoint& server, const CallFrom& from) {
  const int family = family_of(server);
  Descriptor link = open_tcp_from(from, family);
  if (!link) return {};
  const SocketAddress address = to_socket_address(server, family);
  if (::connect(link.get(), address.get(), address.size) == 0) return link;
  if (errno != EINPROGRESS) return {};
  pollfd one{link.get(), POLLOUT, 0};
  (void)::poll(&one, 1, kDialMs);
  return link;
}

}  // namespace

SignOfLife::~SignOfLife() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void SignOfLife::begin(Options options) {
  EXPECTS(!thread_.joinable() && options.every > Duration(0) && options.sign);
  options_ = std::move(options);
  thread_ = thread_without_signals([this] { run(); });
}

void SignOfLife::run() {
  while (send_sign()) {
    std::unique_lock lock(mutex_);
    if (wake_.wait_for(lock, options_.every, [this] { return stop_; })) return;
  }
}

bool SignOfLife::send_sign() {
  if (!link_) {
    link_ = dial(options_.server, options_.from);
    unsent_ = options_.hello;
    const Bytes sign = options_.sign();
    unsent_.insert(unsent_.end(), sign.begin(), sign.end());
  }
  if (!link_) return true;
  std::uint8_t answer = 0;
  const ssize_t got = ::recv(link_.get(), &answer, 1, 0);
  if (got > 0) return link_ = {}, false;
  if (got == 0 || (errno != EAGAIN && errno != ENOTCONN && errno != EINTR)) {
    link_ = {};
    return true;
  }
  // A server that is stopped takes nothing for a while: one sign waits for it, not a heap of them.
  if (unsent_.empty()) unsent_ = options_.sign();
  const ssize_t sent = ::send(link_.get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent > 0) unsent_.erase(unsent_.begin(), unsent_.begin() + sent);
  return true;
}

}  // namespace convoy::os
