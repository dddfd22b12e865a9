// The secret of a server that was given none: drawn at random, and kept where only its user's programs find it, by the
// port that the server listens on. Other users of the machine are strangers then.
//
//   auto secret = os::PortSecret::keep(os::new_secret(), port);  // the server, for as long as it lives
//   options.credentials = os::credentials(given, loop);          // who dials it
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "convoy/result.h"
#include "os/loop.h"

namespace convoy::os {

std::string new_secret();  // 128 bits, as 32 hexadecimal digits

// The folders where secrets may lie: convoy/ in $XDG_RUNTIME_DIR (/run/user/UID where that is not set, and there), then
// in ~/.cache. Those that are in another user's are left out.
std::vector<std::string> secret_folders();

class PortSecret {
 public:
  // Writes it to the file PORT in the first of the folders where that works, which no other user can read.
  static Result<PortSecret> keep(std::string secret, std::uint16_t port);
  ~PortSecret();  // removes the file, if nobody has replaced it
  PortSecret(PortSecret&& other) noexcept : secret_(std::move(other.secret_)), path_(std::exchange(other.path_, {})) {}
  PortSecret& operator=(PortSecret&&) = delete;

 private:
  PortSecret(std::string secret, std::string path) : secret_(std::move(secret)), path_(std::move(path)) {}

  std::string secret_, path_;
};

// What a server of this user keeps by that port. Empty: none, or the address is not of this machine.
std::string secret_for(const Endpoint& server);

// What a Hello shows to the loop's server: what was given, or else what that server keeps by then.
std::function<std::string()> credentials(std::string given, const NetLoop& loop);

}  // namespace convoy::os
