#include "os/port_secret.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "core/hash.h"
#include "os/address.h"
#include "os/descriptor.h"
#include "os/file.h"

namespace convoy::os {
namespace {

constexpr std::size_t kMaxSecret = 4096;

bool is_own_folder(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid();
}

std::string home() {
  if (const char* given = std::getenv("HOME"); given != nullptr && *given != '\0') return given;
  const passwd* user = ::getpwuid(::geteuid());
  return user != nullptr && user->pw_dir != nullptr ? user->pw_dir : "";
}

// Of a file that nobody else can read or write; a link leads nowhere.
std::string read_own(const std::string& path) {
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != ::geteuid() ||
      (info.st_mode & 077) != 0)
    return {};
  std::string text(kMaxSecret, '\0');
  const ssize_t n = ::read(fd.get(), text.data(), text.size());
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// Whoever reads it meanwhile sees the old one or the new one.
Status write_own(const std::string& path, const std::string& secret) {
  const std::string temporary = path + "." + std::to_string(::getpid());
  ::unlink(temporary.c_str());
  Descriptor fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return system_failure("create", temporary, errno);
  int error = write_all(fd.get(), as_bytes(secret + "\n"));
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(temporary.c_str());
  return system_failure("write", path, error);
}

}  // namespace

std::string new_secret() {
  std::uint64_t halves[2];
  if (::getrandom(halves, sizeof halves, 0) != static_cast<ssize_t>(sizeof halves)) std::abort();
  return hex16(halves[0]) + hex16(halves[1]);
}

std::vector<std::string> secret_folders() {
  const char* given = std::getenv("XDG_RUNTIME_DIR");
  const std::string runtime = given != nullptr && *given != '\0' ? given : "/run/user/" + std::to_string(::geteuid());
  std::vector<std::string> out;
  if (is_own_folder(runtime)) out.push_back(runtime + "/convoy");
  if (const std::string user = home(); is_own_folder(user)) out.push_back(user + "/.cache/convoy");
  return out;
}

Result<PortSecret> PortSecret::keep(std::string secret, std::uint16_t port) {
  Error last = {ErrorCode::kUnavailable, "there is no folder for secrets: neither XDG_RUNTIME_DIR nor HOME is yours",
                ""};
  for (const std::string& folder : secret_folders()) {
    const std::string path = folder + "/" + std::to_string(port);
    Status ok = make_directories(folder);
    if (ok && ::chmod(folder.c_str(), 0700) != 0) ok = system_failure("protect", folder, errno);
    if (ok && !is_own_folder(folder)) ok = fail(ErrorCode::kDenied, "is another user's", folder);
    if (ok) ok = write_own(path, secret);
    if (ok) return PortSecret(std::move(secret), path);
    last = ok.error();
  }
  return tl::unexpected(last);
}

PortSecret::~PortSecret() {
  if (!path_.empty() && read_own(path_) == secret_) ::unlink(path_.c_str());
}

std::string secret_for(const Endpoint& server) {
  if (!is_loopback(server)) return {};
  for (const std::string& folder : secret_folders())
    if (std::string secret = read_own(folder + "/" + std::to_string(server.port)); !secret.empty()) return secret;
  return {};
}

std::function<std::string()> credentials(std::string given, const NetLoop& loop) {
  return [given = std::move(given), &loop] { return given.empty() ? secret_for(loop.server_endpoint()) : given; };
}

}  // namespace convoy::os
