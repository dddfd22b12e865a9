// Whose commands robots obey: the call that sets it, for some or all, and the one that asks.
#pragma once

#include "roles/calls.h"

namespace convoy {

// The robots must be there. The answer to a question is JSON: a list of {robot, source, ignored: {source: n}}.
void control_source(const proto::ControlSource& wanted, const std::vector<WorldNumber>& robots, Run& run,
                    const Answer& answer);

}  // namespace convoy
