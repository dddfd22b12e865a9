#include "os/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include "os/clock.h"
#include "os/file.h"
#include "os/machine.h"
#include "os/output_file.h"
#include "os/signals.h"

extern char** environ;

namespace convoy::os {
namespace {

constexpr Duration kPollWithoutPidfd = std::chrono::milliseconds(20);

struct Pipe {
  Descriptor read, write;
};
Result<Pipe> make_pipe() {
  int fd[2];
  if (::pipe2(fd, O_CLOEXEC) != 0) return system_failure("make", "a pipe", errno);
  return Pipe{Descriptor(fd[0]), Descriptor(fd[1])};
}

// Where a child's output goes, and our end of it if we read it.
struct Sink {
  Descriptor theirs;  // absent: as ours
  Descriptor ours;
};
Result<Sink> make_sink(Output kind, const std::string& path) {
  Sink sink;
  switch (kind) {
    case Output::kInherit: break;
    case Output::kCapture: {
      Result<Pipe> pipe = make_pipe();
      if (!pipe) return tl::unexpected<Error>(pipe.error());
      ::fcntl(pipe->read.get(), F_SETFL, O_NONBLOCK);
      sink.ours = std::move(pipe->read);
      sink.theirs = std::move(pipe->write);
      break;
    }
    case Output::kDiscard:
    case Output::kFile: {
      Result<Descriptor> made = create_file(kind == Output::kFile ? path : "/dev/null");
      if (!made) return tl::unexpected<Error>(made.error());
      sink.theirs = std::move(*made);
    }
  }
  return sink;
}

// What a child reads. All of it is there before it begins, however long it is, so that nobody has to feed it.
Result<Descriptor> make_source(const std::string& input) {
  if (input.empty()) return Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  Descriptor memory(::memfd_create("input", MFD_CLOEXEC));
  if (!memory) return system_failure("make", "a file in memory", errno);
  if (const int error = write_all(memory.get(), as_bytes(input)); error != 0)
    return system_failure("write", "a file in memory", error);
  ::lseek(memory.get(), 0, SEEK_SET);
  return memory;
}

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& more) {
  std::map<std::string, std::string> all;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view entry = *at;
    const auto equals = entry.find('=');
    if (equals != std::string_view::npos) all[std::string(entry.substr(0, equals))] = entry.substr(equals + 1);
  }
  for (const auto& [name, value] : more) all[name] = value;
  std::vector<std::string> out;
  for (const auto& [name, value] : all) out.push_back(name + "=" + value);
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// All that the child needs between fork and exec, made before: there it may neither allocate nor lock.
struct Plan {
  char** argv;
  char** environment;
  const char* directory;
  int in, out, err, report;  // descriptors; out and err may be -1
  pid_t parent;              // with which it dies; 0: it has a session of its own
};

[[noreturn]] void become(const Plan& plan) {
  const auto give_up = [&plan] {
    const int error = errno;
    (void)!::write(plan.report, &error, sizeof error);
    ::_exit(127);
  };
  if (plan.parent == 0) {
    ::setsid();
  } else {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != plan.parent) ::_exit(127);  // it died before we asked
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGCHLD}) ::signal(number, SIG_DFL);
  if (::dup2(plan.in, STDIN_FILENO) < 0) give_up();
  if (plan.out >= 0 && ::dup2(plan.out, STDOUT_FILENO) < 0) give_up();
  if (plan.err >= 0 && ::dup2(plan.err, STDERR_FILENO) < 0) give_up();
  ::syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC: Asio 1.74 leaves its sockets open for children */);
  if (*plan.directory != '\0' && ::chdir(plan.directory) != 0) give_up();
  ::execvpe(plan.argv[0], plan.argv, plan.environment);
  give_up();
  __builtin_unreachable();
}

// Forks; an error: the program cannot be had.
Result<pid_t> begin(Plan plan, const std::string& program) {
  Result<Pipe> report = make_pipe();  // closes by itself when exec succeeds
  if (!report) return tl::unexpected<Error>(report.error());
  plan.report = report->write.get();
  const pid_t pid = ::fork();
  if (pid < 0) return system_failure("start", program, errno);
  if (pid == 0) become(plan);
  if (plan.parent != 0) ::setpgid(pid, pid);  // both call it; a signal() right after this must find the group
  report->write.reset();
  int error = 0;
  ssize_t n = 0;
  do n = ::read(report->read.get(), &error, sizeof error);
  while (n < 0 && errno == EINTR);
  if (n != sizeof error) return pid;
  ::waitpid(pid, nullptr, 0);
  return system_failure("start", program, error);
}

}  // namespace

std::string Exit::text() const {
  return signal != 0 ? fmt::format("was killed by {}", signal_text(signal))
                     : fmt::format("ended with status {}", status);
}

std::string Death::text() const {
  std::string out = fmt::format("{} (process {}) {}", name, pid, exit.text());
  if (!last_lines.empty()) out += "; its last lines:";
  for (const std::string& line : last_lines) out += "\n  " + line;
  return out;
}

// ---- Child

Result<std::unique_ptr<Child>> Child::spawn(ChildOptions options) {
  if (options.argv.empty()) return fail(ErrorCode::kInvalid, "a child process needs a program");
  Result<Sink> out = make_sink(options.out, options.out_file);
  if (!out) return tl::unexpected<Error>(out.error());
  Result<Sink> err = make_sink(options.err, options.err_file);
  if (!err) return tl::unexpected<Error>(err.error());
  Result<Descriptor> in = make_source(options.input);
  if (!in) return tl::unexpected<Error>(in.error());
  std::vector<std::string> environment = environment_with(options.environment);
  std::vector<char*> argv = pointers(options.argv), envp = pointers(environment);
  const Result<pid_t> pid = begin({argv.data(), envp.data(), options.directory.c_str(), in->get(), out->theirs.get(),
                                   err->theirs.get(), -1, ::getpid()},
                                  options.argv[0]);
  if (!pid) return tl::unexpected<Error>(pid.error());
  auto child = std::unique_ptr<Child>(new Child());
  child->options_ = std::move(options);
  child->pid_ = *pid;
  child->pidfd_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, *pid, 0)));
  child->out_.pipe = std::move(out->ours);
  child->err_.pipe = std::move(err->ours);
  return child;
}

Result<pid_t> start_detached(std::vector<std::string> argv, const std::string& output) {
  if (argv.empty()) return fail(ErrorCode::kInvalid, "a process needs a program");
  const Descriptor in(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Descriptor out(::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (!out) return system_failure("open", output, errno);
  std::vector<char*> words = pointers(argv);
  return begin({words.data(), environ, "", in.get(), out.get(), out.get(), -1, 0}, argv[0]);
}

Child::~Child() {
  if (exit_ || pid_ == 0) return;
  ::kill(-pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Child::signal(int number) {
  if (!exit_) ::kill(-pid_, number);
}

std::optional<Exit> Child::poll() {
  if (exit_) return exit_;
  drain(out_, false, false);
  drain(err_, true, false);
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return {};
  ::kill(-pid_, SIGKILL);  // while our unreaped child still holds the number of the group
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {}
  exit_ = WIFSIGNALED(status) ? Exit{0, WTERMSIG(status)} : Exit{WEXITSTATUS(status), 0};
  drain(out_, false, true);
  drain(err_, true, true);
  return exit_;
}

void Child::line(std::string text, bool to_stderr) {
  if (options_.on_line) options_.on_line(text, to_stderr);
  tail_.push_back(std::move(text));
  if (tail_.size() > kTailLines) tail_.pop_front();
}

void Child::drain(Stream& stream, bool to_stderr, bool to_the_end) {
  char buffer[16384];
  for (std::size_t slice = 0; stream.pipe && slice < kChildReadSlice;) {
    const ssize_t n = ::read(stream.pipe.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN && !to_the_end) return;
    if (n <= 0) {  // at the end, what a process outside the group might still write is not waited for
      stream.pipe.reset();
      break;
    }
    slice += static_cast<std::size_t>(n);
    for (const char c : std::string_view(buffer, static_cast<std::size_t>(n))) {
      if (c != '\n') stream.partial += c;
      if (c == '\n' || stream.partial.size() >= kMaxChildLine) line(std::exchange(stream.partial, {}), to_stderr);
    }
  }
  if (!stream.pipe && !stream.partial.empty()) line(std::exchange(stream.partial, {}), to_stderr);
}

// ---- Supervisor

Supervisor::Supervisor() : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
Supervisor::~Supervisor() = default;

Status Supervisor::start(ChildOptions options) {
  Result<std::unique_ptr<Child>> child = Child::spawn(std::move(options));
  if (!child) return tl::unexpected<Error>(child.error());
  children_.push_back(std::move(*child));
  return {};
}

void Supervisor::wake() {
  const std::uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof one);
}

void Supervisor::wait_for_something(Duration wait) {
  std::vector<pollfd> what{{wake_.get(), POLLIN, 0}};
  for (const auto& child : children_) {
    if (child->end_descriptor() < 0) wait = std::min(wait, kPollWithoutPidfd);
    for (const int fd : {child->out_descriptor(), child->err_descriptor(), child->end_descriptor()}) {
      if (fd >= 0) what.push_back({fd, POLLIN, 0});
    }
  }
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(std::max(wait, Duration::zero())).count();
  ::poll(what.data(), what.size(), static_cast<int>(std::min<std::int64_t>(milliseconds, 1'000'000)));
  std::uint64_t ignored = 0;
  if (what[0].revents != 0) (void)!::read(wake_.get(), &ignored, sizeof ignored);
}

std::vector<Death> Supervisor::reap() {
  std::vector<Death> out;
  // One poll of each child: one that ends after it is for the next time, and not forgotten.
  std::erase_if(children_, [&](const std::unique_ptr<Child>& child) {
    const std::optional<Exit> exit = child->poll();
    if (!exit) return false;
    out.push_back({child->name(), child->pid(), *exit, child->tail()});
    if (!stopping_ && !first_death_ && !exit->ok()) first_death_ = out.back();
    return true;
  });
  return out;
}

std::vector<Death> Supervisor::poll(Duration wait) {
  wait_for_something(wait);
  return reap();
}

std::vector<Death> Supervisor::stop(const StopTimes& times) {
  std::vector<Death> out = reap();  // those that had died before
  stopping_ = true;
  const auto ask = [&](int number, Moment until) {
    for (const auto& child : children_) child->signal(number);
    for (Moment at = now(); !children_.empty() && at < until; at = now()) {
      for (Death& death : poll(until - at)) out.push_back(std::move(death));
    }
  };
  ask(SIGINT, now() + times.interrupt);
  ask(SIGTERM, now() + times.terminate);
  while (!children_.empty()) ask(SIGKILL, now() + std::chrono::seconds(1));
  stopping_ = false;
  return out;
}

pid_t Supervisor::pid(const std::string& name) const {
  for (const auto& child : children_)
    if (child->name() == name) return child->pid();
  return 0;
}

Duration Supervisor::cpu_time(const std::string& name) const {
  Duration sum{};
  for (const auto& child : children_)
    if (name.empty() || child->name() == name) sum += cpu_time_of(child->pid());
  return sum;
}

bool Supervisor::is_traced(const std::string& name) const { return os::is_traced(pid(name)); }

void Supervisor::signal(const std::string& name, int number) {
  for (const auto& child : children_)
    if (child->name() == name) child->signal(number);
}

}  // namespace convoy::os
