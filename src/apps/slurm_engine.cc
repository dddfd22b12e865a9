// Slurm, by its commands.
#include <fmt/format.h>

#include <algorithm>

#include "apps/cluster_engine.h"
#include "apps/tool_run.h"
#include "gang/slurm.h"

namespace convoy::apps {

namespace {

class Slurm final : public ClusterEngine {
 public:
  Result<std::string> script(const gang::Gang& gang, const std::string& settings) const override {
    return gang::slurm_script(gang, settings);
  }
  Result<std::string> script(const gang::Tasks& tasks, const std::string& settings) const override {
    return gang::slurm_tasks_script(tasks, settings);
  }
  std::string script_name() const override { return "job.sbatch"; }

  Status check() const override {
    const auto version = run_tool({"sbatch", "--version"});
    if (!version)
      return fail(
          ErrorCode::kNotFound,
          "Slurm's sbatch is not here: it comes with slurm-client, on the machines from which jobs are submitted");
    const auto ping = run_tool({"scontrol", "ping"});
    if (!ping) return tl::unexpected(ping.error());
    if (!ping->exit.ok())
      return fail(ErrorCode::kUnavailable, "Slurm's controller is not to be reached: " + ping->trouble());
    return {};
  }

  Result<std::string> submit(const std::string& folder) override {
    const auto said = run_tool({"sbatch", "--parsable", folder + "/" + script_name()});
    if (!said) return tl::unexpected(said.error());
    if (!said->exit.ok()) return fail(ErrorCode::kUnavailable, "Slurm takes no such job: " + said->trouble());
    const std::string job = said->out.substr(0, said->out.find_first_of(";\n"));  // ID, or ID;CLUSTER
    if (job.empty() || !std::all_of(job.begin(), job.end(), [](char c) { return c >= '0' && c <= '9'; }))
      return fail(ErrorCode::kUnavailable, "sbatch gave no number of a job: " + said->out);
    return job;
  }

  Result<gang::JobState> state(const std::string& job) override {
    const auto said = run_tool({"scontrol", "--oneliner", "show", "job", job});
    if (!said) return tl::unexpected(said.error());
    if (said->exit.ok()) return gang::parse_slurm_job(said->out);
    // Some minutes after its end the controller forgets a job.
    if (said->err.find("Invalid job id") != said->err.npos) return gang::JobState{gang::JobPhase::kEnded, "GONE", ""};
    return fail(ErrorCode::kUnavailable, "scontrol: " + said->trouble());
  }

  Status cancel(const std::string& job) override {
    const auto said = run_tool({"scancel", job});
    if (!said) return tl::unexpected(said.error());
    if (!said->exit.ok()) return fail(ErrorCode::kUnavailable, "scancel: " + said->trouble());
    return {};
  }
};

}  // namespace

std::unique_ptr<ClusterEngine> slurm_engine() { return std::make_unique<Slurm>(); }

Result<std::unique_ptr<ClusterEngine>> cluster_engine(const std::string& name) {
  if (name == "slurm") return slurm_engine();
  if (name == "ray") return ray_engine();
  if (name == "kubernetes") return kubernetes_engine();
  return fail(ErrorCode::kNotFound, "there is no engine '" + name + "'; there are: slurm, ray, kubernetes");
}

}  // namespace convoy::apps
