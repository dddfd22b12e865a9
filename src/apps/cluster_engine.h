// An engine of a cluster, which starts a gang's ranks on machines of its own.
#pragma once

#include <memory>
#include <string>

#include "convoy/result.h"
#include "gang/gang.h"

namespace convoy::apps {

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
};

// kNotFound: there is none of that name; the error names those that are.
Result<std::unique_ptr<ClusterEngine>> cluster_engine(const std::string& name);
std::unique_ptr<ClusterEngine> ray_engine();
std::unique_ptr<ClusterEngine> slurm_engine();

}  // namespace convoy::apps
