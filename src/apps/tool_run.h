// Another program run to its end, for what it prints: sbatch, kubectl and their kin.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "convoy/result.h"
#include "convoy/time.h"
#include "os/process.h"

namespace convoy::apps {

struct ToolOutput {
  os::Exit exit;
  std::string out, err;         // whole lines
  std::string trouble() const;  // the last line of err or out, or how it ended
};
// An error: no such program (kNotFound), or it was not done in time and has been ended (kUnavailable).
// `input`: what it reads from its stdin.
Result<ToolOutput> run_tool(std::vector<std::string> argv, Duration patience = std::chrono::seconds(60),
                            std::string input = {});

}  // namespace convoy::apps
