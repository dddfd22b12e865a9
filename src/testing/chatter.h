// Nodes for whole clusters of tests: each draws what it publishes, hears, serves and asks, and notes all that reaches it.
#pragma once

#include <map>
#include <string>

#include "agent/software.h"
#include "nodes/execution.h"

namespace convoy::testing {

// What every agent's nodes were handed, in its order, as one hash; by the agent's name. Equal runs have equal stories.
struct Stories {
  std::map<std::string, std::uint64_t> heard;
  std::uint64_t events = 0, from_others = 0, answers = 0, large = 0, parameters = 0;  // how often, over all agents
  std::uint64_t outside = 0;              // messages and requests from outside the run
  std::uint64_t edits = 0, refusals = 0;  // replies to what they asked of the world
  std::uint64_t turns = 0;                // of threads beside their callbacks
};

// The types of what they say and ask, for those who publish and call from outside. Their topics are /talk0 to /talk5, their
// services /ask0 to /ask3; each agent has some.
inline constexpr const char *kRemarkType = "test_msgs/msg/Remark", *kAskType = "test_msgs/srv/Ask";
inline constexpr std::uint64_t kTopics = 6, kServices = 4;    // few names: many meet
inline constexpr std::string_view kFromOutside = "outside ";  // so begins what is said from there

// A remark in bytes.
Bytes remark(const std::string& text);

// For components of any name.
class Chatters final : public SoftwareFactory {
 public:
  explicit Chatters(Stories& stories) : stories_(stories) {}
  // Half of the agents have threads beside their callbacks, which sleep, wait for each other and speak: on strands of
  // `threads`, while callbacks run on `stacks`. Both outlive the agents.
  Chatters(Stories& stories, nodes::Execution& stacks, nodes::Execution& threads)
      : stories_(stories), stacks_(&stacks), threads_(&threads) {}
  std::vector<CodeFile> code_of(std::span<const ComponentSpec>, CodeSource, std::optional<Error>&) override {
    return {};
  }
  Result<std::unique_ptr<Software>> make(const SoftwareSpec& spec) override;

 private:
  Stories& stories_;
  nodes::Execution *stacks_ = nullptr, *threads_ = nullptr;
};

}  // namespace convoy::testing
