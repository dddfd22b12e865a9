// The calls that set and query the control source of robots.
#pragma once

#include <nlohmann/json.hpp>

#include "agent/inspect.h"
#include "roles/calls.h"

namespace convoy {

// Reports of the hosts on their robots, without hosts that did not answer within a second.
using Rules = std::map<WorldNumber, NodesAnswer::Ruled>;

// Asks the hosts; of one robot, or of all if the name is empty.
void find_rules(const std::string& robot, Run& run, Moment now, std::function<void(const Rules&)> done);
// {source, ignored: {source: commands}}
nlohmann::ordered_json rule_json(const NodesAnswer::Ruled& rule);
// Of all robots with an agent: {default, robots: {source: robots}, ignored: {source: commands}}.
nlohmann::ordered_json rules_json(const Rules& rules, const Run& run);

// The robots must be there. The answer to a question is JSON: a list of {robot, source, ignored: {source: n}}.
void control_source(const proto::ControlSource& wanted, const std::vector<WorldNumber>& robots,
                    const std::string& holder, Run& run, Moment now, const Answer& answer);

}  // namespace convoy
