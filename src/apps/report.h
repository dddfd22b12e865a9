// The report of a run: collected from the server, printed as a table and as JSON.
#pragma once

#include <string>
#include <vector>

#include "os/clock.h"
#include "os/output_file.h"
#include "roles/server.h"
#include "run/sensor_places.h"
#include "scenario/scenario.h"

namespace convoy::apps {

// Times each tick from boundary to boundary, on the host's clock.
class TickTimer final : public RunWatcher {
 public:
  void completed(std::uint32_t, Tick, const World&, std::span<const AgentHash>, std::span<const Message>) override {}
  void entered(const JournalEntry&) override {}
  void chained(std::uint32_t run, Tick tick, std::uint64_t digest, const World& world,
               std::span<const AgentHash> inside) override;
  void checkpointed(std::uint32_t, Tick, const InnerBytes&) override {}

  Tick tick() const { return tick_; }
  double percentile(double share) const;  // ms

 private:
  Moment last_{};
  Tick tick_ = 0;
  std::vector<float> ms_;
};

struct ProcessReport {
  std::string name;
  std::uint64_t pid = 0;
  std::uint64_t agents = 0;
  std::uint64_t agent_ticks = 0;
  double cpu_s = 0;
  double divergence = 0, mean_divergence = 0;    // m; free mode
  std::map<std::string, std::uint64_t> gateway;  // what passed between its robots and programs outside
};

struct RobotLine {
  std::string name;
  double distance = 0, stuck_s = 0;
  std::uint32_t map_contacts = 0, robot_contacts = 0;
  std::uint64_t one_sided = 0;  // ticks in touch with what no push moves
};

inline constexpr double kStuckLong = 1;  // s: robots that were stuck for so long in all are counted

// Over all robots in the order of their names: the same on any hosts.
struct Totals {
  double distance = 0, stuck_s = 0;  // m, s
  std::uint64_t stuck_robots = 0;    // for kStuckLong or more
  std::uint64_t map_contacts = 0, robot_contacts = 0, one_sided = 0;
};

// What was run, and by whom.
struct RunSource {
  std::string scenario;
  std::vector<std::string> overrides;  // from the command line and the environment
  std::uint64_t seed = 0;
  std::string setup;  // hash, as `check --json` has it
  std::string build;
};
// To be asked while the scenario has its setup.
RunSource source_of(const scenario::Scenario& scenario);

struct RunReport {
  RunSource source;
  std::string mode;
  int hosts = 0, threads = 0;
  std::uint64_t robots = 0, ticks = 0;
  double sim_s = 0, wall_s = 0, rtf = 0;
  std::optional<std::string> digest;
  std::uint64_t spawned = 0, deleted = 0, updates_in = 0, updates_out = 0, bytes_in = 0, bytes_out = 0, recoveries = 0;
  std::map<std::string, std::uint64_t> drops;
  double tick_p50 = 0, tick_p99 = 0, tick_max = 0;  // ms
  std::uint64_t resumes = 0, faults = 0;
  std::uint64_t contacts_between_hosts = 0;
  double server_cpu_s = 0;
  Losses losses;
  struct SensorHosts {
    std::size_t all = 0;  // at the end, and those that were lost
    std::uint64_t lost = 0;
    SensorPlaces::Counts counts;
    std::string text() const;
  } sensor_hosts;
  CodeBook code;                                          // users' code in the run
  ElementCounts elements;                                 // that took effect at boundaries; lockstep
  std::map<std::string, std::uint64_t> missed_deadlines;  // of wait_for, by name
  std::vector<ProcessReport> processes;
  std::vector<RobotLine> robot_lines;
  std::vector<Ending> endings;  // of agents' software
  std::vector<AgentFault> physics_faults;
  bool interrupted = false;
  bool accept_losses = false;  // an unexpected loss does not make the run fail

  Totals totals() const;
  // As the run ended: 0, or what the software of an agent returned; 1 if it failed, or a host was lost unexpectedly.
  int exit_code() const;
  std::string json() const;
  std::string table() const;
};

RunReport gather(const scenario::Scenario& scenario, RunSource source, const ServerRole& server, const TickTimer& timer,
                 int threads);

// --report F.json: the file, opened before the run. Nothing if `path` is empty.
using ReportFile = std::optional<os::OutputFile>;
Result<ReportFile> report_to(const std::string& path);

// Writes the JSON where the user wants it, the table to stderr (or JSON to stdout with --json), the digest line last.
int deliver(const RunReport& report, ReportFile& file, bool json);

}  // namespace convoy::apps
