// By what a sweep knows its runs: keys made of the scenario, the build, the settings and what is kept.
#pragma once

#include <vector>

#include "apps/arguments.h"
#include "scenario/scenario.h"
#include "sweep/plan.h"

namespace convoy::apps {

// A key is of the scenario's file, its setup (maps, models), users' code, the build, the settings, the metrics with their
// scripts, and what is kept. To know them, the scenario is loaded as it is, and with each value of an axis by itself, so that
// a key changes with whatever file the value names; no number names one, and of an axis of numbers only the last is tried.
// A field that is not there, or does not take a value, is so told before anything runs.
tl::expected<std::vector<std::uint64_t>, scenario::Refusal> sweep_keys(const sweep::Plan& plan,
                                                                       const std::string& scenario,
                                                                       const Arguments& arguments);

}  // namespace convoy::apps
