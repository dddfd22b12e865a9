#include "convoy_ros/simulation.hpp"

#include <cstdio>

#include "beside.hpp"
#include "current.hpp"
#include "os/float_mode.h"
#include "pools.hpp"
#include "rclcpp/logger.hpp"
#include "thread_order.hpp"
#include "waitables.hpp"
#include "watchdog.hpp"

namespace convoy::ros {

// Nodes find their simulation without being given it, as in ROS 2. Agents may run on different threads.
thread_local Simulation* the_current = nullptr;

namespace {

// Warnings of the graph, as log lines. Not on /rosout: they come in the middle of its changes.
class GraphLog final : public Log {
 public:
  GraphLog(Simulation& simulation, LogSink sink) : simulation_(simulation), sink_(std::move(sink)) {}
  void line(LogLevel level, const std::string& text) override {
    if (sink_) sink_({10 * (static_cast<int>(level) + 1), simulation_.now(), "convoy", text});
  }

 private:
  Simulation& simulation_;
  LogSink sink_;
};

}  // namespace

void log_to_stderr(const LogLine& line) {
  static constexpr const char* kNames[] = {"UNSET", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"};
  const long long ns = nanos(line.at);
  std::fprintf(stderr, "[%s] [%lld.%09lld] [%s]: %s\n", kNames[line.severity / 10], ns / 1'000'000'000,
               ns % 1'000'000'000, line.logger.c_str(), line.text.c_str());
}

Simulation::Scope::Scope(Simulation& simulation) : before_(std::exchange(the_current, &simulation)) {
  if (pool_sizes_set.load(std::memory_order_relaxed)) [[unlikely]]
    use_pool_size_of(simulation);
}
Simulation::Scope::~Scope() { the_current = before_; }

// Not inlined: a callback may go on upon another thread than the one on which it was suspended.
__attribute__((noinline)) Simulation* Simulation::current() { return the_current; }

Simulation::Simulation(Options options) : options_(std::move(options)) {
  if (!options_.graph.log)
    graph_log_ = std::make_unique<GraphLog>(*this, options_.log), options_.graph.log = graph_log_.get();
  options_.graph.on_stack = [this] {
    the_current = this;
    if (pool_sizes_set.load(std::memory_order_relaxed)) use_pool_size_of(*this);
  };
  options_.graph.entered = in_order;
  options_.graph.on_parked = [this] { find_topics_again(); };
  graph_ = std::make_unique<nodes::Graph>(options_.graph);
  progress_ = std::make_unique<nodes::Gate>(*graph_);
  stopping_ = std::make_unique<nodes::Gate>(*graph_);
  beside_ = std::make_unique<Beside>(*this);
  waitables_ = std::make_unique<Waitables>(*this);
  order_ = std::make_unique<ThreadOrder>(*this);
  watched_.threads()->set_program(options_.program);
  Watchdog::watch(watched_);
}

Simulation::~Simulation() {
  if (begun_) (void)end();
  Watchdog::forget(watched_);
  unwind();
  if (the_current == this) the_current = nullptr;
}

Status Simulation::run_instant(Instant t) {
  begin_instant(t);
  return finish_instant();
}

void Simulation::begin_instant(Instant t) {
  graph_->begin_instant(t);
  beside_->publish_time();
}

Status Simulation::finish_instant() {
  const Scope scope(*this);
  begun_ = true;
  if (watched_.threads()->attention()) stop_for_threads(*this);
  return graph_->finish_instant();
}

void Simulation::unwind() {
  const Scope scope(*this);
  graph_->shutdown();
  watched_.end();
}

bool Simulation::request_start(Instant start) {
  if (options_.start || begun_ || start < now()) return false;
  options_.start = start;
  if (!options_.overdue) graph_->begin_instant(start);
  return true;
}

Status Simulation::end() {
  Status first;
  for (const auto& task : std::exchange(at_end_, {}))
    if (Status ok = task(); !ok && first) first = ok;
  return first;
}

void Simulation::shutdown() {
  if (stopped_) return;
  for (const auto& callback : std::exchange(at_shutdown_.before, {})) (*callback)();
  if (std::exchange(stopped_, true)) return;  // by one of them
  for (const auto& callback : std::exchange(at_shutdown_.after, {})) (*callback)();
  stopping_->open();
  progress_->open();
}

bool Simulation::suspends() const {
  const bool suspend = graph_->stacks().can_suspend();
  if (!suspend && !(options_.program && !running_))
    throw std::runtime_error("a callback blocks, and there are no stacks for callbacks that do");
  return suspend;
}

// The program's own main(): one instant of all others. False: nothing will ever happen.
bool Simulation::step(Instant until) {
  if (options_.pace) return step_with_others(until);
  const Instant next = std::min(graph_->next(), until);
  if (next == nodes::kNoInstant) return false;
  running_ = true;
  const Status ok = run_instant(next);
  running_ = false;
  if (!ok) throw std::runtime_error(ok.error().message());
  return true;
}

bool Simulation::step_with_others(Instant until) {
  bool more = false;
  {
    struct Running {  // what the others call meanwhile cannot wait
      bool& flag;
      explicit Running(bool& f) : flag(f) { flag = true; }
      ~Running() { flag = false; }
    } running(running_);
    more = options_.pace->wait(until);
    if (more) options_.pace->done(finish_instant());
  }
  if (!more || graph_->failure()) shutdown();  // the run reports what went wrong
  return ok();
}

bool Simulation::wait_until(Instant until, const std::function<bool()>& done) {
  const bool suspend = suspends();
  while (!done()) {
    if (stopped_ || graph_->failure() || now() >= until) {
      if (stopped_ && suspend && order_->used()) order_->waits().pass_after_end();
      return false;
    }
    if (suspend) {
      struct Waiting {
        int& count;
        explicit Waiting(int& c) : count(++c) {}
        ~Waiting() { --count; }
      } waiting(waiting_);
      const Watched::Pause pause(watched_);
      graph_->stacks().sleep_until(until, progress_.get());
    } else if (!step(until)) {
      return false;
    }
  }
  return true;
}

void Simulation::something_happened() {
  progress_->open();
  waitables_->update();
}

void Simulation::yield() {
  if (!suspends()) return;
  const Watched::Pause pause(watched_);
  graph_->stacks().yield();
}

void Simulation::sleep_until(Instant until) {
  const bool suspend = suspends();
  while (!stopped_ && !graph_->failure() && now() < until) {
    if (suspend) {
      const Watched::Pause pause(watched_);
      graph_->stacks().sleep_until(until, stopping_.get());
    } else if (!step(until)) {
      return;
    }
  }
  if (stopped_ && suspend && order_->used()) order_->waits().pass_after_end();
}

void Simulation::log(int severity, const std::string& logger, const std::string& text) {
  const LogLine line{severity, now(), logger, text};
  if (options_.log) options_.log(line);
  beside_->publish(line);
}

void Simulation::warn_once(const std::string& text) {
  if (texts_.warned.insert(text).second) graph_->warn(text);
}

void stop_for_threads(Simulation& simulation) {
  if (const std::string trouble = simulation.watched().threads()->settle(); !trouble.empty())
    simulation.graph().stop({ErrorCode::kState, trouble, {}});
}

void restore_float_mode(Simulation& simulation, const std::string& who) {
  if (os::restore_float_mode())
    simulation.warn_once(who +
                         " changes how floating point rounds, or flushes denormals to zero: it is put back, since all "
                         "that runs in this thread would compute otherwise");
}

// A logger has the level of its nearest ancestor that has one: "a.b", "a", then the one without a name.
int Simulation::level_of(const std::string& logger) const {
  std::string name = logger;
  for (;;) {
    if (const auto found = levels_.find(name); found != levels_.end() && found->second != 0) return found->second;
    if (name.empty()) return static_cast<int>(rclcpp::Logger::Level::Info);
    const std::size_t dot = name.rfind('.');
    name.resize(dot == std::string::npos ? 0 : dot);
  }
}

void Simulation::threw(const std::string& who, const char* what) {
  if (watched_.threads()->attention()) stop_for_threads(*this);  // what was thrown may follow from that
  graph_->stop({ErrorCode::kState, who + " threw: " + what, {}});
}

}  // namespace convoy::ros
