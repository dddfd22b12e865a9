// Child processes: started, watched, stopped in order, and never left behind.
//
//   os::Supervisor family;
//   if (Status ok = family.start({.name = "host0", .argv = {"convoy", "client", ...}}); !ok) return ok;
//   while (family.running() > 0)
//     for (const os::Death& d : family.poll(100ms)) log.line(LogLevel::kError, d.text());
//
// Each child leads a process group of its own, so that Ctrl-C on the terminal reaches only us; what is left of the
// group is killed when its leader ends. The kernel kills a child when the thread that started it ends, however that
// happens: start children from the main thread. (A child's own children live on after a `kill -9` of us, unless they
// ask for the same, as ours do.)
//
// Threads: one, except wake().
#pragma once

#include <sys/types.h>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "convoy/result.h"
#include "convoy/time.h"
#include "os/descriptor.h"

namespace convoy::os {

inline constexpr std::size_t kTailLines = 20;             // of a child's output, kept for the report of its death
inline constexpr std::size_t kMaxChildLine = 4096;        // bytes; longer lines are broken
inline constexpr std::size_t kChildReadSlice = 1u << 20;  // bytes of one child before others get their turn

enum class Output : std::uint8_t { kCapture, kInherit, kDiscard, kFile };

struct ChildOptions {
  std::string name;               // for reports
  std::vector<std::string> argv;  // the program's path, or its name to be found in PATH, and its arguments
  std::vector<std::pair<std::string, std::string>> environment;  // added to ours, or in its place
  std::string directory;                                         // to start in; empty: ours
  std::string input;                                             // what it reads; it lies in memory alone
  Output out = Output::kCapture, err = Output::kCapture;
  std::string out_file, err_file;  // for kFile; emptied first
  // Each captured line without its end; to_stderr is true if it went there.
  std::function<void(std::string_view line, bool to_stderr)> on_line;
};

struct Exit {
  int status = 0;  // if not signalled
  int signal = 0;  // or 0
  bool ok() const { return status == 0 && signal == 0; }
  std::string text() const;  // "ended with status 3", "was killed by SIGSEGV (Segmentation fault)"
  friend bool operator==(const Exit&, const Exit&) = default;
};

struct Death {
  std::string name;
  pid_t pid = 0;
  Exit exit;
  std::vector<std::string> last_lines;  // captured, at most kTailLines
  std::string text() const;             // "host0 (process 12) ended with status 3; its last lines:\n  ..."
};

class Child {
 public:
  static Result<std::unique_ptr<Child>> spawn(ChildOptions options);
  ~Child();  // kills the group if it still runs

  pid_t pid() const { return pid_; }
  const std::string& name() const { return options_.name; }
  // Reads what the child has written, and returns whether it has ended. Never waits.
  std::optional<Exit> poll();
  // Sends a signal to the child's group; nothing after its end.
  void signal(int number);
  std::vector<std::string> tail() const { return {tail_.begin(), tail_.end()}; }
  // Descriptors that become readable when poll() has something to do; -1 for none.
  int out_descriptor() const { return out_.pipe.get(); }
  int err_descriptor() const { return err_.pipe.get(); }
  int end_descriptor() const { return pidfd_.get(); }

 private:
  struct Stream {
    Descriptor pipe;
    std::string partial;
  };
  Child() = default;
  void drain(Stream& stream, bool to_stderr, bool to_the_end);
  void line(std::string text, bool to_stderr);

  ChildOptions options_;
  pid_t pid_ = 0;
  Descriptor pidfd_;  // absent on old kernels
  Stream out_, err_;
  std::deque<std::string> tail_;
  std::optional<Exit> exit_;
};

// Starts a program that lives on when this one ends, in a session of its own: its input is empty, what it says is added to
// the file. Gives its process id. An error: there is no such program, or no such file can be had.
Result<pid_t> start_detached(std::vector<std::string> argv, const std::string& output);

struct StopTimes {
  Duration interrupt = std::chrono::seconds(5);  // from SIGINT to SIGTERM
  Duration terminate = std::chrono::seconds(2);  // from SIGTERM to SIGKILL
};

class Supervisor {
 public:
  Supervisor();
  ~Supervisor();  // kills those that still run
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  Status start(ChildOptions options);
  // Waits for output, an end or wake(), at most `wait`; returns those that have ended, in the order in which it was
  // noticed.
  std::vector<Death> poll(Duration wait);
  // SIGINT to all, SIGTERM to those left, then SIGKILL; returns when none is left, with those that ended in the
  // meantime.
  std::vector<Death> stop(const StopTimes& times = {});
  // To the child of this name, if it runs.
  void signal(const std::string& name, int number);
  std::size_t running() const { return children_.size(); }
  // Of the child of this name, while it runs: its process id (or 0), the time of processors that it has used, and whether
  // a debugger looks at it. Without a name: the time of all that run.
  pid_t pid(const std::string& name) const;
  Duration cpu_time(const std::string& name = {}) const;
  bool is_traced(const std::string& name) const;
  // The first child that ended badly, and not at our request: usually the cause of everything after it.
  const std::optional<Death>& first_death() const { return first_death_; }
  void wake();  // any thread: poll() returns soon

 private:
  void wait_for_something(Duration wait);
  std::vector<Death> reap();

  std::vector<std::unique_ptr<Child>> children_;
  std::optional<Death> first_death_;
  bool stopping_ = false;
  Descriptor wake_;
};

}  // namespace convoy::os
