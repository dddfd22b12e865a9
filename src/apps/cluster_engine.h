// An engine of a cluster, which starts a gang's ranks on machines of its own.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "apps/arguments.h"
#include "convoy/result.h"
#include "gang/gang.h"

namespace convoy::apps {

// Where ranks find what they need.
struct RankPlaces {
  std::string exe;                           // of the program; empty: where it is here
  std::string scenario;                      // empty: where it is here
  std::string listen = "{own_host}:0";       // of the server
  bool recording_stays = false;              // where the server wrote it, by the name that was given
  std::map<std::string, std::string> files;  // that go along with the gang, since ranks do not see this machine's
};

// How what ranks write is brought.
enum class Bringing : std::uint8_t { kAsItComes, kToTheEnd };

class ClusterEngine {
 public:
  virtual ~ClusterEngine() = default;

  // What is submitted, and the name of its file. `settings`: what the user tells the engine, a JSON object or empty.
  virtual Result<std::string> script(const gang::Gang& gang, const std::string& settings) const = 0;
  virtual Result<std::string> script(const gang::Tasks& tasks, const std::string& settings) const = 0;
  virtual std::string script_name() const = 0;
  // Is it there? An error names what brings it.
  virtual Status check() const = 0;
  // The script lies in the job's folder. The job's number, or name, by which the engine knows it.
  virtual Result<std::string> submit(const std::string& folder) = 0;
  virtual Result<gang::JobState> state(const std::string& job) = 0;
  virtual Status cancel(const std::string& job) = 0;

  // False: ranks see no folder of this machine, and all that follows is for that.
  virtual bool shares_folder() const { return true; }
  // An error: what the command line asks for cannot be had there.
  virtual Result<RankPlaces> places(const Arguments&, const std::string& /*settings*/) const { return RankPlaces{}; }
  // Before a gang is submitted: the engine hands its secret on, and it is written nowhere.
  virtual void take_secret(const std::string&) {}
  // Brings what ranks have written into the job's folder; called again and again, and at the end to the end.
  virtual void bring(const gang::Gang&, const std::string& /*job*/, const std::string& /*folder*/, Bringing) {}
  // Asks the server to end the run in order, as otherwise a file in the attempt's folder does.
  virtual Status interrupt(const std::string& /*job*/) { return {}; }
  // The job has ended, and what it made has been brought: nothing of it stays behind.
  virtual Status clear(const std::string& /*job*/) { return {}; }
};

// kNotFound: there is none of that name; the error names those that are.
Result<std::unique_ptr<ClusterEngine>> cluster_engine(const std::string& name);
std::unique_ptr<ClusterEngine> ray_engine();
std::unique_ptr<ClusterEngine> slurm_engine();
std::unique_ptr<ClusterEngine> kubernetes_engine();

}  // namespace convoy::apps
