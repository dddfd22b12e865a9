#include "adapters/zmq/doorman.h"

#include <fmt/format.h>

#include "os/peer_user.h"
#include "os/sockets.h"

namespace convoy::zmq {

namespace {

constexpr std::uint32_t kRoot = 0;

std::string refusal(int connection, const std::optional<std::uint32_t>& user) {
  const std::uint32_t own = os::own_user();
  return fmt::format(
      "ZeroMQ, port {}: a program of {} was turned away: only {} may come in. To let in everybody on this machine, "
      "write "
      "zmq: {{insecure: true}} into the scenario; to let in who has a key, set CONVOY_ZMQ_SECRET_KEY",
      os::local_endpoint_of(connection).port, user ? fmt::format("user {}", *user) : "a user who cannot be found",
      own == kRoot ? "those of root, who runs this," : fmt::format("those of user {}, who runs this, and root", own));
}

}  // namespace

bool Doorman::admits(int connection) {
  const std::optional<std::uint32_t> user = os::user_of_peer(connection);
  if (user && (*user == kRoot || *user == os::own_user())) return true;
  const std::lock_guard<std::mutex> hold(mutex_);
  if (named_.size() < kMaxStrangersNamed && named_.insert(user).second)
    log_.line(LogLevel::kWarn, refusal(connection, user));
  return false;
}

}  // namespace convoy::zmq
