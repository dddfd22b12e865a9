// A program with a main() of its own as the robot client of one agent (rclcpp/src/joining.hpp).
//
// The program's thread and the one that talks to the server take turns: one works, the other waits. What the agent's
// nodes do in an instant, and what main() does between two of them, is done by the program's thread while the world
// waits, so that a run with it is a function of the same things as one without.
#include "joining.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <thread>

#include "convoy_ros/robot.hpp"
#include "engines/engines.h"
#include "engines/identity.h"
#include "library.hpp"
#include "nodes_software.hpp"
#include "os/clock.h"
#include "os/fibres.h"
#include "os/loaded_files.h"
#include "os/loop.h"
#include "os/machine.h"
#include "os/port_secret.h"
#include "os/sign_of_life.h"
#include "os/signals.h"
#include "os/terminal.h"
#include "plugins/code_files.h"
#include "roles/client.h"
#include "thread_order.hpp"

namespace convoy::ros {
namespace {

class Turns {
 public:
  enum class Of : std::uint8_t { kProgram, kWorld };
  void give_to(Of whom) {
    const std::lock_guard lock(mutex_);
    whose_ = whom;
    changed_.notify_all();
  }
  void wait_for(Of whom) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return whose_ == whom; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Of whose_ = Of::kWorld;
};

class Joined final : public SoftwareFactory, private Pace {
 public:
  explicit Joined(JoinRequest request) : request_(std::move(request)), log_(LogLevel::kWarn) {}

  // The simulation, once the run has the agent; null: error() has the reason.
  Simulation* begin() {
    if (!open()) return nullptr;
    world_ = std::thread([this] { go(); });
    turns_.wait_for(Turns::Of::kProgram);
    if (simulation_) return &*simulation_;
    world_.join();
    if (error_.empty()) std::exit(os::kExitInterrupted);
    return nullptr;
  }
  const std::string& error() const { return error_; }

  // main() is over: the agent goes on without software, so that the run is the same however soon this process ends.
  void finish() {
    if (!simulation_) return;
    if (auto ok = simulation_->begun() ? simulation_->end() : Status(); !ok)
      std::fprintf(stderr, "convoy: %s\n", ok.error().message().c_str());
    simulation_->shutdown();
    if (ThreadOrder::of(*simulation_).used()) (void)finish_nodes(*simulation_, [] {});
    main_is_over_ = true;
    if (!over_) {
      std::fprintf(stderr, "convoy: %s: the program has ended, its agent stays until the run does\n",
                   request_.name.c_str());
      turns_.give_to(Turns::Of::kWorld);
    }
    if (world_.joinable() && world_.get_id() != std::this_thread::get_id()) world_.join();
  }

  // --- the world's thread

  Result<std::unique_ptr<Software>> make(const SoftwareSpec& spec) override;
  // The program, which is the software of its robot whatever else the scenario names.
  std::vector<CodeFile> code_of(std::span<const ComponentSpec>, CodeSource, std::optional<Error>&) override;
  // It is the program's turn until it waits.
  void let_program_work() {
    if (main_is_over_) return;
    turns_.give_to(Turns::Of::kProgram);
    turns_.wait_for(Turns::Of::kWorld);
  }
  Instant until() const { return until_; }
  Status take_status() { return std::exchange(status_, {}); }
  bool main_is_over() const { return main_is_over_; }

 private:
  bool open();
  void go();

  // --- the program's thread
  bool wait(Instant until) override {
    if (over_) return false;
    until_ = until;
    turns_.give_to(Turns::Of::kWorld);
    turns_.wait_for(Turns::Of::kProgram);
    return !over_;
  }
  void done(const Status& instant) override { status_ = instant; }

  JoinRequest request_;
  os::StderrLog log_;
  std::string error_;
  SerialExecutor executor_;
  std::unique_ptr<PhysicsFactory> physics_ = engines::physics_factory();
  std::unique_ptr<RayCasters> rays_ = engines::ray_casters();
  std::unique_ptr<os::NetLoop> loop_;
  os::SignOfLife life_;
  std::unique_ptr<ClientRole> role_;
  std::optional<os::Signals> signals_;
  std::thread world_;
  Turns turns_;
  // What follows is touched by whose turn it is.
  os::Fibres fibres_;
  std::optional<Simulation> simulation_;
  Instant until_ = nodes::kNoInstant;  // main() waits until then at the latest
  Status status_;
  bool over_ = false, main_is_over_ = false;
  std::atomic<bool> interrupted_{false};
};

class JoinedSoftware final : public NodesSoftware {
 public:
  JoinedSoftware(Simulation& simulation, Joined& joined, const SoftwareSpec& spec)
      : NodesSoftware(simulation), joined_(joined) {
    make_robot_node(spec);
  }
  Instant next() const override {
    if (!simulation().ok()) return nodes::kNoInstant;
    return inspector_ ? simulation().now() : std::min(NodesSoftware::next(), joined_.until());
  }
  Status run(Instant t, const Readings* readings) override {
    inspector_ = false;
    begin(t, readings);
    joined_.let_program_work();
    return joined_.take_status();
  }
  void outside_changed() override {
    NodesSoftware::outside_changed();
    inspector_ = true;  // main() may be waiting for just that
  }

 private:
  Joined& joined_;
  bool inspector_ = false;
};

bool Joined::open() {
  const std::string build = engines::build_text_of(program_libraries());
  if (build.empty()) return error_ = "Convoy's libraries in " + own_folder() + " are not complete", false;
  os::NetLoopOptions net;
  net.connect = request_.server;
  net.log = &log_;
  auto loop = os::NetLoop::open(net);
  if (!loop) return error_ = loop.error().message(), false;
  loop_ = std::move(*loop);
  ClientOptions options;
  options.session.name = request_.name;
  options.session.build = build;
  options.session.fingerprint = engines::numeric_fingerprint();
  const char* credentials = std::getenv("CONVOY_CREDENTIALS");
  options.session.credentials = os::credentials(credentials ? credentials : "", *loop_);
  options.session.datagrams = true;
  options.session.server = loop_->server_endpoint();
  options.stopwatch = [] { return static_cast<std::uint64_t>(nanos(os::now().time_since_epoch())); };
  options.process = [] {
    HostReport report;
    report.pid = static_cast<std::uint64_t>(os::process_id());
    report.cpu_ns = static_cast<std::uint64_t>(nanos(os::process_cpu_time()));
    return report;
  };
  options.welcomed = [this](const Session& session) {
    life_.begin({.server = loop_->server_endpoint(),
                 .hello = side_hello(SideLink::kLife, session.number(), session.token()),
                 .sign = [] { return life_sign(os::is_traced(os::process_id()) ? std::string(kTraced) : busy_with()); },
                 .every = Listening::most(session.liveness())});
  };
  role_ = std::make_unique<ClientRole>(options, *loop_, executor_, AgentParts{*physics_, this, rays_.get()}, log_);
  signals_.emplace([this](int) {
    interrupted_ = true;
    loop_->post([this] { role_->stop(); });
  });
  return true;
}

void Joined::go() {
  if (auto ok = loop_->run(*role_); !ok) error_ = ok.error().message();
  else if (const auto failure = role_->failure())
    error_ = failure->message() + (loop_->last_trouble().empty() ? "" : ": " + loop_->last_trouble());
  else if (!simulation_ && !interrupted_) error_ = "the run ended before it began";
  if (simulation_ && !error_.empty()) std::fprintf(stderr, "convoy: %s: %s\n", request_.name.c_str(), error_.c_str());
  over_ = true;
  turns_.give_to(Turns::Of::kProgram);
}

std::vector<CodeFile> Joined::code_of(std::span<const ComponentSpec>, CodeSource, std::optional<Error>&) {
  return code_files("program of " + request_.name, os::files_of_program());
}

Result<std::unique_ptr<Software>> Joined::make(const SoftwareSpec& spec) {
  if (spec.entity.name != request_.name)
    return fail(ErrorCode::kUnsupported,
                "this host is the program of '" + request_.name + "' and runs no other software", spec.entity.name);
  if (simulation_)
    return fail(ErrorCode::kUnsupported, "a program with its own main() cannot begin anew", spec.entity.name);
  Simulation::Options options = options_of(spec, {}, fibres_);
  // The program's own come first: of several rules for a name the first one holds.
  options.arguments.insert(options.arguments.begin(), request_.arguments.begin(), request_.arguments.end());
  options.program = true;
  options.pace = this;
  simulation_.emplace(std::move(options));
  let_program_work();  // it makes its nodes
  return std::make_unique<JoinedSoftware>(*simulation_, *this, spec);
}

// Never destroyed: nodes of the program may be, after this.
Joined* the_joined = nullptr;

}  // namespace
}  // namespace convoy::ros

extern "C" convoy::ros::Simulation* convoy_join(const convoy::ros::JoinRequest& request, std::string& error) {
  using namespace convoy::ros;
  if (the_joined) return error = "a program joins once", nullptr;
  the_joined = new Joined(request);
  // Registered last, it runs before anything that was loaded until now is taken down.
  std::atexit([] { the_joined->finish(); });
  Simulation* simulation = the_joined->begin();
  if (!simulation) error = the_joined->error();
  return simulation;
}
