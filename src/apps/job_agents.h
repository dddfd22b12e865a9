// Runs a job as several agents, without a world: copies of it, or groups of its components joined by delays.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "agent/software.h"
#include "core/ports.h"
#include "run/run.h"

namespace convoy::apps {

struct JobGroup {
  std::string name;
  std::vector<ComponentSpec> components;
};

struct JobAgentsSpec {
  std::vector<JobGroup> groups;  // one: the whole job
  std::uint64_t copies = 1;
  std::uint64_t seed = 1;
  NodeRules rules;
  Duration tick = std::chrono::milliseconds(100);  // the least delay between groups
  int hosts = 1, threads = 1;
};

struct JobAgentsOutcome {
  struct Agent {
    std::string name;
    std::uint64_t digest = 0, callbacks = 0, published = 0;
  };
  std::uint64_t digest = 0;
  Duration simulated{};
  std::vector<Agent> agents;  // by copy, then by group
  std::vector<Ending> endings;
};

// What an agent's nodes threw, or why they could not be made, is recorded in the endings.
Result<JobAgentsOutcome> run_agents(const JobAgentsSpec& spec, SoftwareFactory& software, Log& log,
                                    const std::atomic<bool>& interrupted);

}  // namespace convoy::apps
