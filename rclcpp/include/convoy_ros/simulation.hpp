// One graph of rclcpp nodes, and what they find when they are built: the simulation that is current on their thread.
//
//   Simulation simulation({.graph = {.now = instant(10'000'000'000)}});
//   {
//     Simulation::Scope scope(simulation);
//     auto node = std::make_shared<Talker>(rclcpp::NodeOptions());
//     while (simulation.next() <= end) simulation.run_instant(simulation.next());
//   }
//
// Nodes go before their simulation, and after shutdown() if callbacks may be suspended.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "convoy_ros/watched.hpp"
#include "nodes/graph.h"

namespace convoy::ros {

// Where log lines of nodes go.
struct LogLine {
  int severity = 0;  // rclcpp::Logger::Level: 10 debug to 50 fatal
  Instant at{};
  std::string logger;
  std::string text;
};
using LogSink = std::function<void(const LogLine&)>;
// "[INFO] [10.000000000] [talker]: hello" on stderr.
void log_to_stderr(const LogLine& line);

class Beside;
class ThreadOrder;
class Waitables;

// Decides how far a program with a main() of its own may go, for the world that it is part of.
class Pace {
 public:
  virtual ~Pace() = default;
  // The program has nothing to do until `until`: the others go on, and come back with an instant that has begun, at the
  // latest that one. False: it is over.
  virtual bool wait(Instant until) = 0;
  virtual void done(const Status& instant) = 0;  // it is finished
};

class Simulation;
// Puts back how this thread rounds, if that work of a node has changed it, with a warning that names the work.
void restore_float_mode(Simulation& simulation, const std::string& who);

// Ends the simulation if a thread that its nodes have started calls rclcpp.
void stop_for_threads(Simulation& simulation);

class Simulation {
 public:
  struct Options {
    nodes::GraphOptions graph;
    std::vector<std::string> arguments;  // ROS arguments for all nodes, as a command line has them
    LogSink log = log_to_stderr;
    // A program's own main() runs beside it, not in a callback of it: nodes receive only while that program spins.
    bool program = false;
    Pace* pace = nullptr;          // of a program; null: it goes on by itself
    std::optional<Instant> start;  // when the run begins; none: whoever asks first sets it (request_start)
    bool overdue = false;          // the clock stays as it is while nodes are made, whenever the run begins
  };
  explicit Simulation(Options options);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // The one that nodes built on this thread belong to, or null.
  static Simulation* current();
  class Scope {
   public:
    explicit Scope(Simulation& simulation);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Simulation* before_;
  };

  nodes::Graph& graph() { return *graph_; }
  const std::vector<std::string>& arguments() const { return options_.arguments; }
  Instant now() const { return graph_->now(); }
  Instant next() const { return stopped_ ? nodes::kNoInstant : graph_->next(); }
  // With this simulation as the current one.
  Status run_instant(Instant t);
  // The two halves of it: between them others may publish. /clock goes with the first.
  void begin_instant(Instant t);
  Status finish_instant();
  void unwind();  // callbacks that are suspended
  // Something has changed outside of callbacks: waiters check their conditions again.
  void find_topics_again() {
    if (waiting_ > 0) something_happened();
  }

  bool ok() const { return !stopped_; }
  void shutdown();  // rclcpp::shutdown(): nothing more is to run
  // What is called then: before ok() turns false, and after.
  struct AtShutdown {
    std::vector<std::shared_ptr<std::function<void()>>> before, after;
  };
  AtShutdown& at_shutdown() { return at_shutdown_; }

  // --- for nodes that steer the run (rclcpp/convoy_components)
  // Before the run: it is to begin then, and nodes made from now on see that time. False: it is decided already, or
  // runs.
  bool request_start(Instant start);
  std::optional<Instant> start() const { return options_.start; }
  bool begun() const { return begun_; }  // an instant has run
  // shutdown(), and the process that runs this is to exit with that code.
  void finish(int exit_code) { exit_code_ = exit_code, finished_ = true, shutdown(); }
  bool finished() const { return finished_; }
  int exit_code() const { return exit_code_; }
  // What is to be done when the run is over, while all nodes are still there: in order, each once, whatever fails
  // before.
  void at_end(std::function<Status()> task) { at_end_.push_back(std::move(task)); }
  Status end();  // does it, and gives the first error

  // --- for the library
  // Waits, inside a callback or in a program's own main(), until `done` returns true; it is called after each callback.
  // False: the instant has come, or the simulation has ended, first. Throws where nothing can be suspended.
  bool wait_until(Instant until, const std::function<bool()>& done);
  // The same for the instant alone, or the end.
  void sleep_until(Instant until);
  // A line of a node, which goes to /rosout too.
  void log(int severity, const std::string& logger, const std::string& text);
  int level_of(const std::string& logger) const;
  void set_level(const std::string& logger, int severity) { levels_[logger] = severity; }
  bool is_program() const { return options_.program; }
  // A text that lasts as long as the simulation: what a callback is called, in errors and by the watchdog.
  const std::string& keep(std::string text) { return *texts_.kept.insert(std::move(text)).first; }
  Beside& beside() { return *beside_; }
  // The work of a node that runs now, if any.
  Watched& watched() { return watched_; }
  // What a user should know of his node, but not at each callback.
  void warn_once(const std::string& text);
  // Runs a callback of a node: what it throws ends the simulation with an error that names it.
  template <class F>
  void guarded(const std::string& who, F call) {
    watched_.begin(who);
    try {
      call();
    } catch (const std::exception& e) { threw(who, e.what()); }
    restore_float_mode(*this, who);
    watched_.end();
    if (watched_.threads()->attention()) [[unlikely]]
      stop_for_threads(*this);
    if (waiting_ > 0) something_happened();
  }
  // Inside a callback: lets everything run that is ready at this instant.
  void yield();
  Waitables& waitables() { return *waitables_; }

 private:
  friend class ThreadOrder;
  friend class Waitables;
  friend class Waits;
  void threw(const std::string& who, const char* what);
  void something_happened();
  bool suspends() const;  // else it is the program's main() that waits
  bool step(Instant until);
  bool step_with_others(Instant until);

  Options options_;
  std::unique_ptr<Log> graph_log_;
  std::unique_ptr<nodes::Graph> graph_;
  std::unique_ptr<nodes::Gate> progress_;  // opens after each callback while a callback waits for what it may have done
  int waiting_ = 0;                        // callbacks and waitables that do
  std::unique_ptr<nodes::Gate> stopping_;  // opens with shutdown()
  std::map<std::string, int> levels_;
  AtShutdown at_shutdown_;
  struct Texts {
    std::set<std::string> kept;
    std::set<std::string> warned;  // what warnings have said
  } texts_;
  Watched watched_;
  std::unique_ptr<Beside> beside_;
  std::unique_ptr<Waitables> waitables_;
  std::unique_ptr<ThreadOrder> order_;
  std::vector<std::function<Status()>> at_end_;
  int exit_code_ = 0;
  bool finished_ = false;  // by finish()
  bool begun_ = false;     // an instant has run
  bool stopped_ = false;
  bool running_ = false;  // a program's own main() is inside wait_until()
};

}  // namespace convoy::ros
