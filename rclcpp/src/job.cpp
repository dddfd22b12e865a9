#include "convoy_ros/job.hpp"

#include <algorithm>

#include "convoy_ros/simulation.hpp"
#include "library.hpp"
#include "os/fibres.h"

namespace convoy::ros {
namespace {

Simulation::Options options_of(const JobSpec& spec, nodes::Execution& execution) {
  Simulation::Options options;
  options.graph.now = spec.built.value_or(spec.start.value_or(Instant{}));
  options.start = spec.start;
  options.overdue = spec.built.has_value();
  options.graph.order = spec.order;
  options.graph.seed = spec.seed;
  options.graph.digest_messages = true;
  options.graph.delays = spec.delays;
  options.graph.execution = &execution;
  options.arguments = ros_args(spec.arguments);
  return options;
}

Status check_end(const JobSpec& spec, Instant start) {
  if (spec.duration && (*spec.duration < Duration{0} || *spec.duration > nodes::kNoInstant - start))
    return fail(ErrorCode::kInvalid, "the end is out of range");
  return {};
}

// The recorder is beside this library; jobs that do not record do not need it.
Status record_to(Simulation& simulation, const BagSpec& spec) {
  const std::string path = own_folder() + "/" + kComponents;
  auto library = Library::open(path);
  if (!library) return tl::unexpected(library.error());
  auto* record = reinterpret_cast<decltype(&convoy_record)>(library->symbol("convoy_record"));
  if (!record) return fail(ErrorCode::kInvalid, "holds no recorder", path);
  Status ok;
  record(simulation, spec, ok);
  return ok;
}

}  // namespace

struct Job::Parts {
  Parts(JobSpec given, std::vector<rclcpp_components::NodeFactory*> found)
      : spec(std::move(given)), factories(std::move(found)), simulation(options_of(spec, fibres)) {}
  Status build();
  Status make_node(std::size_t i);
  // False: threads of its nodes remain, and with them all this must.
  bool finish();
  Instant start() const { return simulation.start().value_or(Instant{}); }
  Instant end() const { return spec.duration ? start() + *spec.duration : nodes::kNoInstant; }

  JobSpec spec;
  std::vector<rclcpp_components::NodeFactory*> factories;
  os::Fibres fibres;
  Simulation simulation;
  std::vector<rclcpp_components::NodeInstanceWrapper> nodes;  // one whose constructor still blocks is empty
  std::optional<Instant> reached;                             // by steps
  bool begun = false;
  bool whole = false;  // the duration is over
};

bool Job::Parts::finish() {
  const Simulation::Scope scope(simulation);
  simulation.shutdown();
  return finish_nodes(simulation, [this] {
    for (auto& node : nodes) node = {};
  });
}

Status Job::Parts::make_node(std::size_t i) {
  simulation.graph().set_origin(convoy::WorldNumber(spec.components[i].origin));
  if (spec.before_node) spec.before_node();
  auto node = ros::make_node(simulation, *factories[i], spec.components[i]);
  if (!node) return tl::unexpected(node.error());
  nodes[i] = std::move(*node);
  return {};
}

Status Job::Parts::build() {
  const Simulation::Scope scope(simulation);
  simulation.set_level("", spec.log_level);
  if (spec.record)
    if (auto ok = record_to(simulation, *spec.record); !ok) return ok;
  if (spec.before_nodes) spec.before_nodes(simulation);
  nodes.resize(factories.size());
  const auto left = make_on_stacks(simulation, factories.size(), [this](std::size_t i) { return make_node(i); });
  if (!left) return tl::unexpected(left.error());
  if (spec.after_nodes) spec.after_nodes(simulation);
  if (*left == 0)
    for (const DelayRule* rule : simulation.graph().unused_delays())
      return fail(ErrorCode::kNotFound, "no node sends on '" + rule->name + "'", rule->where);
  return check_end(spec, start());
}

Job::Job(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Job::~Job() { drop(); }

void Job::drop() {
  if (parts_ && !parts_->finish()) { [[maybe_unused]] const Parts* the_threads = parts_.release(); }
  parts_.reset();
}

Result<std::unique_ptr<Job>> Job::make(JobSpec spec) {
  const Instant start = spec.start.value_or(Instant{});
  if (start < Instant{} || spec.built.value_or(start) > start)
    return fail(ErrorCode::kInvalid, "the start is before 0, or before the nodes are made");
  if (auto ok = check_end(spec, start); !ok) return tl::unexpected(ok.error());
  auto factories = find_factories(spec.components, spec.prefixes);
  if (!factories) return tl::unexpected(factories.error());
  std::unique_ptr<Job> job(new Job(std::make_unique<Parts>(std::move(spec), std::move(*factories))));
  if (auto ok = job->parts_->build(); !ok) return tl::unexpected(ok.error());
  return job;
}

Status Job::reset() {
  JobSpec spec = parts_->spec;
  auto factories = parts_->factories;
  drop();  // the old nodes go before the new ones come
  parts_ = std::make_unique<Parts>(std::move(spec), std::move(factories));
  return parts_->build();
}

Status Job::run(const std::function<bool()>& stop) {
  const Status ran = run_instants(nodes::kNoInstant, stop);
  const Simulation::Scope scope(parts_->simulation);
  const Status ended = parts_->simulation.end();
  return ran ? ended : ran;
}

Result<bool> Job::step(Duration time) {
  if (time < Duration{0}) return fail(ErrorCode::kInvalid, "a step goes forward");
  const Instant from = parts_->reached.value_or(parts_->start());
  const Instant to = time > nodes::kNoInstant - from ? nodes::kNoInstant : from + time;
  parts_->reached = to;
  if (auto ok = run_instants(to, {}); !ok) return tl::unexpected(ok.error());
  if (to < parts_->end() && parts_->simulation.ok() && parts_->simulation.next() != nodes::kNoInstant) return true;
  const Simulation::Scope scope(parts_->simulation);
  if (auto ok = parts_->simulation.end(); !ok) return tl::unexpected(ok.error());
  return false;
}

Status Job::run_instants(Instant until, const std::function<bool()>& stop) {
  Simulation& simulation = parts_->simulation;
  const Instant end = parts_->end();
  Instant next = !simulation.ok() ? nodes::kNoInstant : parts_->begun ? simulation.next() : parts_->start();
  while (next != nodes::kNoInstant && next <= std::min(end, until)) {
    if (stop && stop()) return {};
    parts_->begun = true;
    if (auto ok = simulation.run_instant(next); !ok) return ok;
    next = simulation.next();
  }
  parts_->whole = next != nodes::kNoInstant && next > end;
  return next == nodes::kNoInstant && simulation.ok() ? nobody_waits_in_vain(simulation) : Status();
}

std::vector<std::string> Job::node_names() const {
  std::vector<std::string> names;
  for (auto& node : parts_->nodes)
    if (node.get_node_base_interface()) names.push_back(node.get_node_base_interface()->get_fully_qualified_name());
  return names;
}

Instant Job::start() const { return parts_->start(); }

std::uint64_t Job::callbacks() const { return parts_->simulation.graph().callbacks(); }

std::uint64_t Job::messages() const { return parts_->simulation.graph().published(); }

std::uint64_t Job::digest() const { return parts_->simulation.graph().digest(); }

int Job::exit_code() const { return parts_->simulation.exit_code(); }

Duration Job::simulated() const {
  return parts_->whole ? *parts_->spec.duration : std::max(parts_->simulation.now() - parts_->start(), Duration{0});
}

}  // namespace convoy::ros
