// Who runs what, as JSON: robots by host, and sensors by the machine that computes their samples, with the reason.
#pragma once

#include <nlohmann/json.hpp>

#include "run/run.h"

namespace convoy {

// {host: [names of its robots]}
nlohmann::ordered_json robots_by_host(const Run& run);

// {hosts: the same, loads: {machine: of 1}, sensors: [{robot, sensor, type, runs_on, distribution, load, why}]}: of sensors
// that may sample on more than one machine. Loads are there where there are sensor hosts. With policy: measured also work_ms,
// {machine: ms in a second of the run}, and of sensors that were measured.
nlohmann::ordered_json placement_facts(const Run& run);

}  // namespace convoy
