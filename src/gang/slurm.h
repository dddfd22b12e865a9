// What Slurm is told of a gang, and what it says of a job. Sources: the manual pages of sbatch, srun and scontrol, 22.05.
#pragma once

#include <string>
#include <string_view>

#include "convoy/result.h"
#include "gang/gang.h"

namespace convoy::gang {

// The batch script. `settings`: options of sbatch by their long names, a JSON object; true is a flag, null and false leave
// one out, also of those that stand there unasked. An error: one that the job sets itself, or a name or value that a script
// cannot hold.
//
// The job ends with its server: who has lost a machine is not kept until Slurm gives that up. A lost rank is not started
// again; where Slurm begins the whole job again, each process does so under the next attempt's number.
Result<std::string> slurm_script(const Gang& gang, std::string_view settings);

// The same of tasks, as a job array; one that is requeued begins again.
Result<std::string> slurm_tasks_script(const Tasks& tasks, std::string_view settings);

// Of `scontrol --oneliner show job ID`: of an array's tasks the one that tells most, which is one that runs, waits, or has
// not ended well.
Result<JobState> parse_slurm_job(std::string_view text);
// NodeAddr of `scontrol --oneliner show node NAME`; empty: it does not stand there.
std::string parse_slurm_node(std::string_view text);

}  // namespace convoy::gang
