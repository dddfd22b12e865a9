#include "adapters/ros2/parameters.h"

#include <algorithm>
#include <rcl_interfaces/srv/describe_parameters.hpp>
#include <rcl_interfaces/srv/get_parameter_types.hpp>
#include <rcl_interfaces/srv/get_parameters.hpp>
#include <rcl_interfaces/srv/list_parameters.hpp>
#include <rcl_interfaces/srv/set_parameters.hpp>
#include <rcl_interfaces/srv/set_parameters_atomically.hpp>
#include <set>

#include "adapters/ros2/parameter_messages.h"
#include "core/check.h"
#include "messages/geometry.h"

namespace convoy::ros2 {

namespace {

namespace rcl = rcl_interfaces::srv;
using Lists = Served<rcl::ListParameters>;
using Gets = Served<rcl::GetParameters>;
using Types = Served<rcl::GetParameterTypes>;
using Describes = Served<rcl::DescribeParameters>;
using Sets = Served<rcl::SetParameters>;
using SetsAtomically = Served<rcl::SetParametersAtomically>;

constexpr const char* kEvents = "/parameter_events";
constexpr Qos kEventsQos{.depth = 1000};
constexpr char kSeparator = '.';

// Fewer dots than `depth`, or any number.
bool shallow(std::string_view name, std::uint64_t depth) {
  return depth == rcl::ListParameters::Request::DEPTH_RECURSIVE ||
         static_cast<std::uint64_t>(std::count(name.begin(), name.end(), kSeparator)) < depth;
}

bool below(std::string_view name, std::string_view prefix, std::uint64_t depth) {
  if (name == prefix) return true;
  return name.size() > prefix.size() && name.starts_with(prefix) && name[prefix.size()] == kSeparator &&
         shallow(name.substr(prefix.size() + 1), depth);
}

rcl_interfaces::msg::ListParametersResult listed(const std::vector<std::string>& names,
                                                 const rcl::ListParameters::Request& request) {
  rcl_interfaces::msg::ListParametersResult out;
  std::set<std::string> prefixes;
  for (const std::string& name : names) {
    const auto asked = [&](const std::string& prefix) { return below(name, prefix, request.depth); };
    const bool found = request.prefixes.empty() ? shallow(name, request.depth)
                                                : std::any_of(request.prefixes.begin(), request.prefixes.end(), asked);
    if (!found) continue;
    out.names.push_back(name);
    if (const std::size_t dot = name.rfind(kSeparator); dot != std::string::npos) prefixes.insert(name.substr(0, dot));
  }
  out.prefixes.assign(prefixes.begin(), prefixes.end());
  return out;
}

rcl_interfaces::msg::SetParametersResult message_of(const nodes::SetResult& result) {
  rcl_interfaces::msg::SetParametersResult out;
  out.successful = result.successful, out.reason = result.reason;
  return out;
}

nodes::SetResult set_in(nodes::ParameterStore& store, const std::vector<nodes::Parameter>& wanted) {
  auto set = store.set(wanted);
  return set ? std::move(*set) : nodes::SetResult{false, set.error().text};
}

}  // namespace

// One parameter after the other, or all at once; each step is done, or refused, before the next one.
struct NodeParameters::Setting {
  struct Step {
    Parameters wanted;
    nodes::SetResult result;  // not successful beforehand: what is wanted makes no sense
  };
  std::vector<Step> steps;
  std::size_t done = 0;
  std::function<void(const std::vector<Step>&)> respond;

  void add(Step& step, const rcl_interfaces::msg::Parameter& parameter) const {
    if (auto value = value_in(parameter.value)) step.wanted.push_back({parameter.name, std::move(*value)});
    else step.result = {false, value.error().text};
  }
};

NodeParameters::NodeParameters(DoorHere& here, Node& node)
    : here_(here), node_name_(full_name(node.ns(), node.name())) {
  serve_reads(node), serve_writes(node);
  auto events = node.publisher(kEvents, ros::TypeSupport::of<rcl_interfaces::msg::ParameterEvent>(), kEventsQos);
  if (events) events_ = std::move(*events);
  else here_.log.line(LogLevel::kWarn, "ROS 2: " + events.error().message());
}

void NodeParameters::declare(const std::string& name, const nodes::ParameterValue& value,
                             nodes::ParameterDescriptor descriptor) {
  EXPECTS(store_.declare(name, value, std::move(descriptor)));
}

void NodeParameters::update(const std::string& name, const nodes::ParameterValue& value) {
  const nodes::ParameterValue* now = store_.find(name);
  EXPECTS(now);
  if (*now != value) (void)commit({{name, value}});
}

bool NodeParameters::few(std::size_t asked) const {
  if (asked <= kMaxParametersAsked) return true;
  ++here_.domain.counts().malformed;
  return false;
}

// ------------------------------------------------------------------------------------------------------ services

void NodeParameters::serve_reads(Node& node) {
  Lists::add(
      here_, node, "~/list_parameters",
      [this](DoorHere&, const Lists::Request& request, const Lists::Respond& respond) {
        if (!few(request.prefixes.size())) return;
        Lists::Response out;
        out.result = listed(store_.names(), request);
        respond(out);
      },
      services_);
  Gets::add(
      here_, node, "~/get_parameters",
      [this](DoorHere&, const Gets::Request& request, const Gets::Respond& respond) {
        if (!few(request.names.size())) return;
        const auto answer = [this, respond, names = request.names] {
          Gets::Response out;
          for (const std::string& name : names) {
            const nodes::ParameterValue* value = store_.find(name);
            out.values.push_back(ros2::message_of(value ? *value : nodes::ParameterValue()));
          }
          respond(out);
        };
        if (refresh_) refresh_(answer);
        else answer();
      },
      services_);
  Types::add(
      here_, node, "~/get_parameter_types",
      [this](DoorHere&, const Types::Request& request, const Types::Respond& respond) {
        if (!few(request.names.size())) return;
        Types::Response out;
        for (const std::string& name : request.names) {
          const nodes::ParameterDescriptor* found = store_.describe(name);
          out.types.push_back(static_cast<std::uint8_t>(found ? found->type : nodes::ParameterType::kNotSet));
        }
        respond(out);
      },
      services_);
  Describes::add(
      here_, node, "~/describe_parameters",
      [this](DoorHere&, const Describes::Request& request, const Describes::Respond& respond) {
        if (!few(request.names.size())) return;
        Describes::Response out;
        for (const std::string& name : request.names) {
          const nodes::ParameterDescriptor* found = store_.describe(name);
          out.descriptors.push_back(ros2::message_of(name, found ? *found : nodes::ParameterDescriptor()));
        }
        respond(out);
      },
      services_);
}

void NodeParameters::serve_writes(Node& node) {
  Sets::add(
      here_, node, "~/set_parameters",
      [this](DoorHere&, const Sets::Request& request, const Sets::Respond& respond) {
        if (!few(request.parameters.size())) return;
        const auto setting = std::make_shared<Setting>();
        for (const auto& parameter : request.parameters) setting->add(setting->steps.emplace_back(), parameter);
        setting->respond = [respond](const std::vector<Setting::Step>& steps) {
          Sets::Response out;
          for (const Setting::Step& step : steps) out.results.push_back(message_of(step.result));
          respond(out);
        };
        proceed(setting);
      },
      services_);
  SetsAtomically::add(
      here_, node, "~/set_parameters_atomically",
      [this](DoorHere&, const SetsAtomically::Request& request, const SetsAtomically::Respond& respond) {
        if (!few(request.parameters.size())) return;
        const auto setting = std::make_shared<Setting>();
        Setting::Step& all = setting->steps.emplace_back();
        for (const auto& parameter : request.parameters) setting->add(all, parameter);
        setting->respond = [respond](const std::vector<Setting::Step>& steps) {
          SetsAtomically::Response out;
          out.result = message_of(steps.front().result);
          respond(out);
        };
        proceed(setting);
      },
      services_);
}

// -------------------------------------------------------------------------------------------------------- setting

void NodeParameters::proceed(const std::shared_ptr<Setting>& setting) {
  if (setting->done == setting->steps.size()) return setting->respond(setting->steps);
  const auto end = [this, setting](nodes::SetResult result) {
    Setting::Step& step = setting->steps[setting->done++];
    step.result = result.successful ? commit(step.wanted) : std::move(result);
    proceed(setting);
  };
  const Setting::Step& step = setting->steps[setting->done];
  nodes::SetResult may = step.result;
  nodes::ParameterStore trial = store_;
  if (may.successful) may = set_in(trial, step.wanted);
  if (!may.successful || !on_set_ || step.wanted.empty()) return end(std::move(may));
  on_set_(step.wanted, end);
}

nodes::SetResult NodeParameters::commit(const Parameters& wanted) {
  nodes::SetResult out = set_in(store_, wanted);
  if (out.successful && !wanted.empty()) tell(wanted);
  return out;
}

void NodeParameters::tell(const Parameters& changed) {
  if (!events_) return;
  rcl_interfaces::msg::ParameterEvent event;
  if (const Fleet* fleet = here_.fleet) {
    const Instant now = instant(here_.control.position().tick * nanos(fleet->tick()));
    event.stamp = ros::stamp_of(now + clock_start(*fleet));
  }
  event.node = node_name_;
  for (const nodes::Parameter& parameter : changed) event.changed_parameters.push_back(ros2::message_of(parameter));
  ros2::publish(*events_, event);
}

}  // namespace convoy::ros2
