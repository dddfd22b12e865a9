#include "convoy_ros/robot.hpp"

#include <algorithm>
#include <set>

#include "library.hpp"
#include "nodes_software.hpp"
#include "os/fibres.h"
#include "plugins/code_files.h"
#include "watchdog.hpp"

namespace convoy::ros {
namespace {

// What nodes live in, there before what is made in it. Threads of nodes that do not end keep it.
struct Shell {
  Shell(const SoftwareSpec& spec, const RobotNodesOptions& all) : simulation(options_of(spec, all.arguments, fibres)) {
    simulation.set_level("", all.log_level);
    if (all.before_node) before_node = [before = all.before_node, entity = spec.entity] { before(entity); };
  }
  os::Fibres fibres;
  Simulation simulation;
  std::vector<Component> components;
  std::vector<rclcpp_components::NodeFactory*> factories;
  std::function<void()> before_node;
  std::vector<rclcpp_components::NodeInstanceWrapper> nodes;  // one whose constructor still blocks is empty
};
struct HasShell {
  HasShell(const SoftwareSpec& spec, const RobotNodesOptions& all) : shell(std::make_unique<Shell>(spec, all)) {}
  std::unique_ptr<Shell> shell;
};

class RobotSoftware final : private HasShell, public NodesSoftware {
 public:
  RobotSoftware(const SoftwareSpec& spec, const RobotNodesOptions& all)
      : HasShell(spec, all),
        NodesSoftware(shell->simulation),
        end_(spec.setup.nodes.end < Duration(0) ? nodes::kNoInstant
                                                : Instant(spec.setup.nodes.start + spec.setup.nodes.end)),
        one_job_(spec.setup.nodes.one_job),
        alone_(spec.setup.nodes.alone) {}
  ~RobotSoftware() override {
    Simulation& s = simulation();
    const Simulation::Scope scope(s);
    // One that was only made, to see whether it can be, leaves nothing, no file either.
    if (auto ok = s.begun() ? s.end() : Status(); !ok) s.log(40, "convoy", ok.error().message());
    s.shutdown();
    const bool finished = finish_nodes(s, [this] {
      drop_robot_node();
      for (auto& node : shell->nodes) node = {};
    });
    if (!finished) { [[maybe_unused]] const Shell* the_threads = shell.release(); }
  }

  Status build(const SoftwareSpec& spec, const std::vector<Component>& components,
               const std::vector<rclcpp_components::NodeFactory*>& factories) {
    Simulation& s = simulation();
    const Simulation::Scope scope(s);
    shell->components = components, shell->factories = factories;
    shell->nodes.resize(factories.size());
    const auto left = make_on_stacks(s, factories.size(),
                                     [this, name = spec.entity.name](std::size_t i) { return make_node_of(name, i); });
    if (!left) return tl::unexpected(left.error());
    // The delays of a job are about its own names; those of a scenario may be about other robots'.
    if (alone_ && *left == 0)
      for (const DelayRule* rule : graph().unused_delays())
        return fail(ErrorCode::kNotFound, "no node sends on '" + rule->name + "'", rule->where);
    make_robot_node(spec);
    return {};
  }

  Instant next() const override {
    const Instant next = NodesSoftware::next();
    return next > end_ ? nodes::kNoInstant : next;
  }
  Status run(Instant t, const Readings* readings) override {
    if (t <= end_) return NodesSoftware::run(t, readings);
    whole_ = true;
    return {};
  }
  std::optional<Ended> ended() const override {
    if (auto ended = NodesSoftware::ended()) {
      ended->run = !alone_ && (ended->run || one_job_);  // one part of a job ends it
      return ended;
    }
    // A job to which no other sends ends when nothing is left to happen.
    if (whole_) return Ended{};
    if (!alone_ || NodesSoftware::next() != nodes::kNoInstant) return std::nullopt;
    if (const Status free = nobody_waits_in_vain(shell->simulation); !free) return Ended{1, free.error().text, false};
    return Ended{};
  }

 private:
  Status make_node_of(const std::string& robot, std::size_t i) {
    if (shell->before_node) shell->before_node();
    auto node = make_node(simulation(), *shell->factories[i], shell->components[i]);
    if (!node) return fail(node.error().code, node.error().text, robot + ": " + shell->components[i].type);
    shell->nodes[i] = std::move(*node);
    return {};
  }

  Instant end_;
  bool one_job_, alone_;
  bool whole_ = false;  // everything up to the end has happened
};

std::vector<Component> components_of(std::span<const ComponentSpec> specs) {
  std::vector<Component> components;
  for (const ComponentSpec& c : specs) components.push_back({c.library, c.type, c.arguments});
  return components;
}

}  // namespace

Status RobotNodes::check(const std::vector<ComponentSpec>& components) {
  const auto factories = find_factories(components_of(components), options_.prefixes, [&](const std::string& path) {
    return rule_.admit(path, CodeSource::kScenario);
  });
  return factories ? Status() : tl::unexpected(factories.error());
}

std::vector<CodeFile> RobotNodes::code_of(std::span<const ComponentSpec> components, CodeSource source,
                                          std::optional<Error>& missing) {
  std::vector<CodeFile> files;
  std::set<std::string> known;
  for (const Component& component : components_of(components)) {
    const auto found = find_component_class(component, options_.prefixes,
                                            [&](const std::string& path) { return rule_.admit(path, source); });
    if (!found && !missing) missing = found.error();
    if (!found || !known.insert(found->library_name).second) continue;
    for (CodeFile& file : code_files(found->library_name, found->library.files())) files.push_back(std::move(file));
  }
  return files;
}

Result<std::unique_ptr<Software>> RobotNodes::make(const SoftwareSpec& spec) {
  if (joins(spec.entity.kind->components))
    return fail(ErrorCode::kState, "its program has not joined the run", spec.entity.name);
  const std::vector<Component> components = components_of(spec.entity.kind->components);
  // The scenario's own were admitted when this machine said what it has of them (code_of).
  const auto factories = find_factories(components, options_.prefixes,
                                        [&](const std::string& path) { return rule_.admit(path, CodeSource::kSpawn); });
  if (!factories) return tl::unexpected(factories.error());
  auto software = std::make_unique<RobotSoftware>(spec, options_);
  if (auto ok = software->build(spec, components, *factories); !ok) return tl::unexpected(ok.error());
  return software;
}

std::string busy_with() { return Watchdog::busy(); }

}  // namespace convoy::ros
