// Whose commands robots obey: the call that sets it, for some or all, and the one that asks.
#pragma once

#include <nlohmann/json.hpp>

#include "agent/look.h"
#include "roles/calls.h"

namespace convoy {

// What hosts have told of their robots. Of hosts that are silent for a second, nothing.
using Rules = std::map<WorldNumber, NodesAnswer::Ruled>;

// Asks the hosts; of one robot, or of all if the name is empty.
void find_rules(const std::string& robot, Run& run, Moment now, std::function<void(const Rules&)> done);
// {source, ignored: {source: commands}}
nlohmann::ordered_json rule_json(const NodesAnswer::Ruled& rule);
// Of all robots that somebody runs: {default, robots: {source: robots}, ignored: {source: commands}}.
nlohmann::ordered_json rules_json(const Rules& rules, const Run& run);

// The robots must be there. The answer to a question is JSON: a list of {robot, source, ignored: {source: n}}.
void control_source(const proto::ControlSource& wanted, const std::vector<WorldNumber>& robots, Run& run, Moment now,
                    const Answer& answer);

}  // namespace convoy
