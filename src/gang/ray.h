// What Ray is told of a job: JSON that on_ray.py reads, which places and starts the processes.
#pragma once

#include <string>
#include <string_view>

#include "convoy/result.h"
#include "gang/gang.h"

namespace convoy::gang {

// `settings`, a JSON object or empty: address (of the cluster, as ray.init takes it; "auto"), resources (of each process,
// {"CPU": 2}), strategy (SPREAD, PACK, STRICT_SPREAD or STRICT_PACK). An error: anything else.
Result<std::string> ray_job(const Gang& gang, std::string_view settings);
Result<std::string> ray_job(const Tasks& tasks, std::string_view settings);

// Of what on_ray.py says of a job.
Result<JobState> parse_ray_state(std::string_view text);

}  // namespace convoy::gang
