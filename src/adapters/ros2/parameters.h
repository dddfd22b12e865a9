// Parameters of a node as ROS 2's tools know them: `ros2 param`, AsyncParameterClient, a dashboard's.
//
//   NodeParameters parameters(here, node);
//   parameters.declare("seed", std::int64_t{7}, {.description = "of the run", .read_only = true});
//   parameters.on_set([](const std::vector<nodes::Parameter>& wanted, NodeParameters::Done done) { done({}); });
//
// Six services in the node's own name (rcl_interfaces: list_, get_ and describe_parameters, get_parameter_types,
// set_parameters, set_parameters_atomically), and what changes on the topic /parameter_events. A request for more than
// kMaxParametersAsked is counted as malformed and not answered.
#pragma once

#include <functional>
#include <memory>
#include <rcl_interfaces/msg/parameter_event.hpp>
#include <string>
#include <vector>

#include "adapters/ros2/served.h"
#include "nodes/parameters.h"

namespace convoy::ros2 {

inline constexpr std::size_t kMaxParametersAsked = 1000;  // names or values of one request

class NodeParameters {
 public:
  using Parameters = std::vector<nodes::Parameter>;
  using Done = std::function<void(nodes::SetResult)>;
  using OnSet = std::function<void(const Parameters& wanted, Done done)>;
  using Refresh = std::function<void(std::function<void()> then)>;

  // Both outlive it.
  NodeParameters(DoorHere& here, Node& node);
  NodeParameters(const NodeParameters&) = delete;

  // Once for each name; the default lies in the descriptor's range.
  void declare(const std::string& name, const nodes::ParameterValue& value, nodes::ParameterDescriptor descriptor);
  // It has come to have this value by itself. Told if it is another one.
  void update(const std::string& name, const nodes::ParameterValue& value);
  // Does what values ask for that may be set by type and range, and says whether that is done: now or later. They are the
  // parameters' then; all or none.
  void on_set(OnSet act) { on_set_ = std::move(act); }
  // Brings values up to date (update()) before they are told; calls `then` once, now or later.
  void on_get(Refresh refresh) { refresh_ = std::move(refresh); }

 private:
  struct Setting;  // a request that is under way
  void serve_reads(Node& node);
  void serve_writes(Node& node);
  void proceed(const std::shared_ptr<Setting>& setting);
  nodes::SetResult commit(const Parameters& wanted);
  void tell(const Parameters& changed);
  // Counts the request if it is for too many.
  bool few(std::size_t asked) const;

  DoorHere& here_;
  std::string node_name_;  // in full
  nodes::ParameterStore store_;
  OnSet on_set_;
  Refresh refresh_;
  std::vector<std::unique_ptr<Service>> services_;
  std::unique_ptr<Publisher> events_;
};

}  // namespace convoy::ros2
