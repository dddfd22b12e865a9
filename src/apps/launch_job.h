// A run that an engine of a cluster starts: described in a folder, submitted, followed to its end.
#pragma once

#include <string>

#include "apps/arguments.h"
#include "os/terminal.h"
#include "scenario/scenario.h"

namespace convoy::apps {

// convoy launch --engine, once the scenario is known to be sound. Returns the exit code.
int launch_job(const Arguments& arguments, scenario::Scenario scenario, const std::string& exe, os::StderrLog& log);

// convoy launch status JOB, cancel JOB: of the job whose folder that is.
int launch_status(const Arguments& arguments);
int launch_cancel(const Arguments& arguments);

}  // namespace convoy::apps
