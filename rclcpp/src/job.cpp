#include "convoy_ros/job.hpp"

#include "convoy_ros/simulation.hpp"
#include "library.hpp"
#include "os/fibres.h"

namespace convoy::ros {
namespace {

std::vector<std::string> ros_args(const std::vector<std::string>& words) {
  std::vector<std::string> out{"--ros-args"};
  out.insert(out.end(), words.begin(), words.end());
  return out;
}

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
  explicit Parts(JobSpec given) : spec(std::move(given)), simulation(options_of(spec, fibres)) {}

  JobSpec spec;
  os::Fibres fibres;
  Simulation simulation;
  std::vector<rclcpp_components::NodeInstanceWrapper> nodes;
  bool whole = false;  // the duration is over
  Instant start() const { return simulation.start().value_or(Instant{}); }
};

Job::Job(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Job::~Job() {
  const Simulation::Scope scope(parts_->simulation);
  parts_->simulation.shutdown();
  parts_->simulation.unwind();
  for (auto& node : parts_->nodes) node = {};
}

Result<std::unique_ptr<Job>> Job::make(JobSpec spec) {
  const Instant start = spec.start.value_or(Instant{});
  if (start < Instant{} || spec.built.value_or(start) > start)
    return fail(ErrorCode::kInvalid, "the start is before 0, or before the nodes are made");
  if (auto ok = check_end(spec, start); !ok) return tl::unexpected(ok.error());
  std::vector<rclcpp_components::NodeFactory*> factories;
  for (const Component& component : spec.components) {
    auto factory = find_factory(component, spec.prefixes);
    if (!factory) return tl::unexpected(factory.error());
    factories.push_back(*factory);
  }
  std::unique_ptr<Job> job(new Job(std::make_unique<Parts>(std::move(spec))));
  Parts& parts = *job->parts_;
  const Simulation::Scope scope(parts.simulation);
  parts.simulation.set_level("", parts.spec.log_level);
  if (parts.spec.record)
    if (auto ok = record_to(parts.simulation, *parts.spec.record); !ok) return tl::unexpected(ok.error());
  for (std::size_t i = 0; i < factories.size(); ++i) {
    const Component& component = parts.spec.components[i];
    parts.simulation.graph().set_origin(component.origin);
    const Watched::Work making(parts.simulation.watched(), parts.simulation.keep(component.type + ": constructor"));
    try {
      parts.nodes.push_back(
          factories[i]->create_node_instance(rclcpp::NodeOptions().arguments(ros_args(component.arguments))));
    } catch (const std::exception& e) {
      return fail(ErrorCode::kInvalid, e.what(), component.type);
    }
  }
  for (const nodes::DelayRule* rule : parts.simulation.graph().unused_delays())
    return fail(ErrorCode::kNotFound, "no node sends on '" + rule->name + "'", rule->where);
  if (auto ok = check_end(parts.spec, parts.start()); !ok) return tl::unexpected(ok.error());
  return job;
}

Status Job::run(const std::function<bool()>& stop) {
  const Status ran = run_instants(stop);
  const Simulation::Scope scope(parts_->simulation);
  const Status ended = parts_->simulation.end();
  return ran ? ended : ran;
}

Status Job::run_instants(const std::function<bool()>& stop) {
  Simulation& simulation = parts_->simulation;
  const Instant start = parts_->start();
  const Instant end = parts_->spec.duration ? start + *parts_->spec.duration : nodes::kNoInstant;
  Instant next = simulation.ok() ? start : nodes::kNoInstant;
  while (next != nodes::kNoInstant && next <= end) {
    if (stop && stop()) return {};
    if (auto ok = simulation.run_instant(next); !ok) return ok;
    next = simulation.next();
  }
  parts_->whole = next != nodes::kNoInstant;
  return {};
}

std::vector<std::string> Job::node_names() const {
  std::vector<std::string> names;
  for (auto& node : parts_->nodes) names.push_back(node.get_node_base_interface()->get_fully_qualified_name());
  return names;
}

Instant Job::start() const { return parts_->start(); }

std::uint64_t Job::callbacks() const { return parts_->simulation.graph().callbacks(); }

std::uint64_t Job::messages() const {
  return parts_->simulation.graph().published();
}

std::uint64_t Job::digest() const { return parts_->simulation.graph().digest(); }

int Job::exit_code() const { return parts_->simulation.exit_code(); }

Duration Job::simulated() const {
  return parts_->whole ? *parts_->spec.duration : std::max(parts_->simulation.now() - parts_->start(), Duration{0});
}

}  // namespace convoy::ros
