// A gang: the processes of one run, each a rank of a job that an engine of a cluster starts. Rank 0 is the server.
//
//   gang::Gang gang{.name = "convoy-warehouse", .ranks = {{"server", {...}}, {"host0", {...}}}};
//   write(folder + "/gang.json", gang::text_of(gang));   // read by each rank where it runs: convoy rank
//   std::string script = *gang::slurm_script(gang, settings);
//
// What nobody knows before the job has begun stands in a rank's command as a word in braces:
//
//   {own}       the address of its machine                  {server}    the server's ADDR:PORT
//   {own_host}  the same before a port: of IPv6 in brackets  {attempt}   folder of what this attempt writes
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "convoy/result.h"

namespace convoy::gang {

inline constexpr std::size_t kMaxRanks = 4096;
inline constexpr std::size_t kMaxTasks = 1000;  // of one job: as many as Slurm takes unless it is told otherwise

struct Rank {
  std::string name;                                // of its files: "server", "host0", "sensor0", a program's
  std::vector<std::string> argv;                   // the program first
  std::map<std::string, std::string> environment;  // beside the secret; words in braces there, too
  friend bool operator==(const Rank&, const Rank&) = default;
};

struct Gang {
  std::string name;       // of the job: letters, digits and "-"
  std::string folder;     // of the job, absolute; where ranks meet, if all of them see it
  std::string exe;        // the program that runs ranks, absolute
  std::string interface;  // of each machine, whose address is {own}; empty: the engine's own address of it
  int threads = 1;        // of a rank
  int patience_s = 120;   // for the server to be found, and for the run to get on before it has begun
  std::vector<Rank> ranks;
  std::map<std::string, std::string> files;  // that go along where machines share no folder; not in text_of()
  friend bool operator==(const Gang&, const Gang&) = default;
};

// Many processes of one command that need not meet. Each finds its number, from 0 on, in SLURM_ARRAY_TASK_ID,
// JOB_COMPLETION_INDEX or CONVOY_TASK.
struct Tasks {
  std::string name;               // of the job
  std::string folder;             // of the job, absolute
  std::vector<std::string> argv;  // the program first
  std::size_t count = 0;
  std::size_t at_once = 0;  // at most; 0: as many as the engine has room for
  int cores = 1;            // of each
};

std::string text_of(const Gang& gang);
Result<Gang> parse_gang(std::string_view text);

// A word's braces filled in; one that is unknown stays.
std::string filled(std::string text, const std::map<std::string, std::string>& values);

// The names of what lies in a job's folder.
inline constexpr const char* kGangFile = "gang.json";
inline constexpr const char* kSecretFile = "secret";
inline constexpr const char* kBatchLog = "batch.log";    // what the engine's own script says
inline constexpr const char* kAttemptLine = "attempt ";  // how it begins
std::string attempt_folder(const std::string& folder, int attempt);
// Of an attempt's folder.
inline constexpr const char* kServerAt = "server.at";  // ADDR:PORT, once it listens
inline constexpr const char* kStop = "stop";           // the run is asked to end: whoever follows it was interrupted
inline constexpr const char* kReport = "report.json";  // of the run, if it was asked for
std::string log_file(const std::string& attempt, const std::string& rank);     // its stderr
std::string output_file(const std::string& attempt, const std::string& rank);  // its stdout
std::string end_file(const std::string& attempt, const std::string& rank);     // there once it has ended

// What an engine says of a job.
enum class JobPhase : std::uint8_t { kWaiting, kRunning, kEnded };
struct JobState {
  JobPhase phase = JobPhase::kWaiting;
  std::string state;   // the engine's word, "PENDING"
  std::string reason;  // why it waits, or ended, "Resources"; empty: none is given
  std::string text() const { return reason.empty() ? state : state + " (" + reason + ")"; }
};

// How a rank ended: what its end file says.
struct RankEnd {
  int status = 0, signal = 0;
  std::string text;  // for people
};
std::string text_of(const RankEnd& end);
Result<RankEnd> parse_end(std::string_view text);

}  // namespace convoy::gang
