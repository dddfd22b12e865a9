#include "os/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <new>

#include "os/clock.h"
#include "os/process.h"

extern char** environ;

namespace convoy::os {

namespace {

constexpr int kOutOfMemory = 42;  // exit code
constexpr int kLook = 100;        // ms between looks at the limits

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kAddressSpaceIsFree = false;  // the sanitizer reserves terabytes
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kAddressSpaceIsFree = false;
#else
constexpr bool kAddressSpaceIsFree = true;
#endif
#elif defined(__SANITIZE_THREAD__)
constexpr bool kAddressSpaceIsFree = false;
#else
constexpr bool kAddressSpaceIsFree = true;
#endif

Duration processor_time(pid_t pid) {
  clockid_t clock{};
  timespec at{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &at) != 0) return Duration(0);
  return std::chrono::seconds(at.tv_sec) + Duration(at.tv_nsec);
}

std::string gibibytes(std::uint64_t bytes) { return fmt::format("{:g} GiB", static_cast<double>(bytes) / (1u << 30)); }

void limit(decltype(RLIMIT_AS) what, rlim_t most) {
  const rlimit value{most, most};
  (void)::setrlimit(what, &value);
}

}  // namespace

Status Worker::start() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return system_failure("make", "a socket", errno);
  Descriptor ours(ends[0]), theirs(ends[1]);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, theirs.get(), STDIN_FILENO);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);  // Ctrl-C on the terminal reaches only us
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  std::vector<char*> argv;
  for (std::string& word : argv_) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int error = ::posix_spawnp(&pid_, argv[0], &files, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) return pid_ = 0, system_failure("start", argv_[0], error);
  link_ = std::move(ours);
  return {};
}

void Worker::end() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {}
  pid_ = 0;
  link_ = {};
}

// The connection broke: the process has ended, or is about to.
Error Worker::ended() {
  link_ = {};
  int status = 0;
  while (::waitpid(std::exchange(pid_, 0), &status, 0) < 0 && errno == EINTR) {}
  const Exit exit = WIFSIGNALED(status) ? Exit{0, WTERMSIG(status)} : Exit{WEXITSTATUS(status), 0};
  if (exit.status == kOutOfMemory)
    return {ErrorCode::kUnavailable, "it needs more than " + gibibytes(limits_.memory) + " of memory", {}};
  return {ErrorCode::kInvalid, "the process that read it " + exit.text(), {}};
}

Status Worker::over_limit(Moment begun, Duration work_before) {
  const bool worked = processor_time(pid_) - work_before > limits_.work, waited = now() - begun > limits_.patience;
  if (!worked && !waited && !cancelled_) return {};
  end();
  if (cancelled_) return fail(ErrorCode::kState, "nobody waits for it any more");
  return fail(ErrorCode::kUnavailable,
              worked ? fmt::format("it takes more than {:g} s of a processor", seconds(limits_.work))
                     : fmt::format("it takes more than {:g} s", seconds(limits_.patience)));
}

template <class Move>
Status Worker::move(std::size_t size, short event, const Move& step) {
  for (std::size_t done = 0; done < size;) {
    pollfd at{link_.get(), event, 0};
    const int ready = ::poll(&at, 1, kLook);
    if (auto ok = over_limit(begun_, work_before_); !ok) return ok;
    if (ready <= 0) continue;
    const ssize_t n = step(done);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0) return tl::unexpected(ended());
    done += static_cast<std::size_t>(n);
  }
  return {};
}

Result<Bytes> Worker::ask(ByteView request) {
  if (pid_ == 0)
    if (auto ok = start(); !ok) return tl::unexpected(ok.error());
  begun_ = now();
  work_before_ = processor_time(pid_);
  const auto send = [&](ByteView bytes) {
    return move(bytes.size(), POLLOUT, [&](std::size_t done) {
      return ::send(link_.get(), bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL | MSG_DONTWAIT);
    });
  };
  const auto receive = [&](std::uint8_t* to, std::size_t size) {
    return move(size, POLLIN,
                [&](std::size_t done) { return ::recv(link_.get(), to + done, size - done, MSG_DONTWAIT); });
  };
  const std::uint64_t asked = request.size();
  std::uint64_t size = 0;
  std::uint8_t head[sizeof size];
  std::memcpy(head, &asked, sizeof head);
  if (auto ok = send(head); !ok) return tl::unexpected(ok.error());
  if (auto ok = send(request); !ok) return tl::unexpected(ok.error());
  if (auto ok = receive(head, sizeof head); !ok) return tl::unexpected(ok.error());
  std::memcpy(&size, head, sizeof size);
  if (size > limits_.answer) {
    end();
    return fail(ErrorCode::kUnavailable, "what it becomes is larger than " + gibibytes(limits_.answer));
  }
  Bytes answer(size);
  if (auto ok = receive(answer.data(), answer.size()); !ok) return tl::unexpected(ok.error());
  return answer;
}

int serve(const WorkerLimits& limits, const std::function<Bytes(ByteView)>& answer) {
  const pid_t parent = ::getppid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) return 1;
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  if (kAddressSpaceIsFree) limit(RLIMIT_AS, limits.memory);
  std::set_new_handler([] { ::_exit(kOutOfMemory); });
  const auto take = [](std::uint8_t* to, std::size_t size) {
    for (std::size_t done = 0; done < size;) {
      const ssize_t n = ::recv(STDIN_FILENO, to + done, size - done, 0);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      done += static_cast<std::size_t>(n);
    }
    return true;
  };
  const auto give = [](ByteView bytes) {
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t n = ::send(STDIN_FILENO, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      done += static_cast<std::size_t>(n);
    }
    return true;
  };
  std::uint64_t size = 0;
  std::uint8_t head[sizeof size];
  while (take(head, sizeof head)) {
    std::memcpy(&size, head, sizeof size);
    Bytes request(size);
    if (!take(request.data(), request.size())) return 1;
    const Bytes made = answer(request);
    size = made.size();
    std::memcpy(head, &size, sizeof head);
    if (!give(head) || !give(made)) return 1;
  }
  return 0;
}

}  // namespace convoy::os
