// Who may come to this process's doors: programs of its own user, and of root. Whoever else comes is named once a user.
//
//   block.admits = [doorman = std::make_shared<Doorman>(log)](int connection) { return doorman->admits(connection); };
//
// Threads: any; the log takes lines from any, too.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>

#include "core/ports.h"

namespace convoy::zmq {

inline constexpr std::size_t kMaxStrangersNamed = 100;

class Doorman {
 public:
  explicit Doorman(Log& log) : log_(log) {}
  // The peer of a TCP connection within this machine. Whose user cannot be found is a stranger.
  bool admits(int connection);

 private:
  Log& log_;
  std::mutex mutex_;
  std::set<std::optional<std::uint32_t>> named_;
};

}  // namespace convoy::zmq
