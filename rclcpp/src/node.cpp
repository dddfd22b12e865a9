#include "rclcpp/node.hpp"

#include <algorithm>

#include "arguments.hpp"
#include "rclcpp/exceptions/exceptions.hpp"

namespace rclcpp {
namespace {

namespace kernel = convoy::nodes;
using convoy::ros::Arguments;
using convoy::ros::Simulation;

// All that arguments and options say about one node.
struct Asked {
  kernel::NodeSpec spec;
  std::map<std::string, kernel::ParameterValue> overrides;
};

Asked asked(const std::string& name, const std::string& space, const NodeOptions& options, Simulation& simulation) {
  Arguments local, global;
  auto ok = local.add(options.arguments());
  if (ok && options.use_global_arguments()) ok = global.add(simulation.arguments());
  if (!ok) throw exceptions::UnknownROSArgsError(ok.error().message());
  for (const Arguments* all : {&global, &local})
    for (const auto& [logger, level] : all->levels) simulation.set_level(logger, level);

  Asked out{{.name = name, .space = space.empty() ? "/" : space[0] == '/' ? space : "/" + space}, {}};
  // A node's own rules come first; the first that fits holds, for the name and the namespace too.
  bool named = false, placed = false;
  for (const Arguments* all : {&local, &global})
    for (const Arguments::Rule& rule : all->rules) {
      if (!rule.node.empty() && rule.node != name) continue;
      if (rule.from == "__node" || rule.from == "__name") {
        if (!std::exchange(named, true)) out.spec.name = rule.to;
      } else if (rule.from == "__ns") {
        if (!std::exchange(placed, true)) out.spec.space = rule.to;
      } else {
        out.spec.remaps.push_back({rule.from, rule.to, rule.topics, rule.services});
      }
    }
  const std::string full = kernel::full_node_name({out.spec.name, out.spec.space});
  for (const Arguments* all : {&global, &local})
    for (const Arguments::Given& given : all->parameters)
      if (convoy::ros::fits(given.node, full)) out.overrides[given.name] = given.value;
  for (const Parameter& given : options.parameter_overrides())
    out.overrides[given.get_name()] = given.get_parameter_value().value();
  return out;
}

Simulation& current_simulation() {
  Simulation* simulation = Simulation::current();
  if (!simulation) throw std::runtime_error("a node was made before rclcpp::init(), or outside of a simulation");
  return *simulation;
}

node_interfaces::NodeBaseInterface::SharedPtr make_base(const std::string& name, const std::string& space,
                                                        const NodeOptions& options) {
  Simulation& simulation = current_simulation();
  Asked all = asked(name, space, options, simulation);
  const std::string node_space = all.spec.space;
  auto node = simulation.graph().create_node(std::move(all.spec));
  if (!node) {
    if (!kernel::check_namespace(node_space)) throw exceptions::InvalidNamespaceError(node.error().text);
    throw exceptions::InvalidNodeNameError(node.error().text);
  }
  (*node)->parameters().set_overrides(std::move(all.overrides));
  (*node)->parameters().set_allow_undeclared(options.allow_undeclared_parameters());
  return std::make_shared<node_interfaces::NodeBaseInterface>(std::move(*node), simulation);
}

std::string dotted(std::string full_name) {
  full_name.erase(0, 1);
  std::replace(full_name.begin(), full_name.end(), '/', '.');
  return full_name;
}

}  // namespace

namespace detail {
void throw_create(const convoy::Error& error, const char* what, const std::string& name) {
  const bool type = error.text.find(" is of type ") != std::string::npos;
  if (type) throw std::runtime_error(error.text);
  if (std::string_view(what) == "service") throw exceptions::InvalidServiceNameError(name + ": " + error.text);
  throw exceptions::InvalidTopicNameError(name + ": " + error.text);
}
}  // namespace detail

namespace node_interfaces {

NodeBaseInterface::NodeBaseInterface(kernel::Owned<kernel::Node> node, Simulation& simulation)
    : node_(std::move(node)), simulation_(simulation),
      default_group_(std::make_shared<CallbackGroup>(node_->default_group())) {
  if (simulation.is_program()) set_held(true);
}

CallbackGroup::SharedPtr NodeBaseInterface::create_callback_group(CallbackGroupType type, bool) {
  const auto kind = type == CallbackGroupType::Reentrant ? kernel::CallbackGroup::Kind::kReentrant
                                                         : kernel::CallbackGroup::Kind::kMutuallyExclusive;
  auto group = std::make_shared<CallbackGroup>(node_->create_group(kind), type);
  group->kernel().set_held(held_);
  groups_.push_back(group);
  return group;
}

void NodeBaseInterface::for_each_callback_group(const CallbackGroupFunction& function) {
  function(default_group_);
  for (const auto& weak : groups_)
    if (const auto group = weak.lock()) function(group);
}

void NodeBaseInterface::set_held(bool held) {
  held_ = held;
  for_each_callback_group([held](const CallbackGroup::SharedPtr& group) { group->kernel().set_held(held); });
}

}  // namespace node_interfaces

Node::Node(const std::string& name, const std::string& space, const NodeOptions& options)
    : options_(options), base_(make_base(name, space, options)),
      parameters_(std::make_shared<node_interfaces::NodeParametersInterface>(base_->kernel().parameters(), base_,
                                                                             options.allow_undeclared_parameters())),
      clock_(std::make_shared<Clock>(options.clock_type())),
      logger_(dotted(base_->get_fully_qualified_name()), &base_->simulation()) {
  // What every node of ROS 2 has. Time is simulated in either case.
  declare_parameter("use_sim_time", false);
  Descriptor read_only;
  read_only.read_only = true;
  declare_parameter("start_type_description_service", true, read_only);
  if (options.automatically_declare_parameters_from_overrides()) {
    Descriptor dynamic;
    dynamic.dynamic_typing = true;
    for (const auto& [parameter, value] : parameters_->get_parameter_overrides())
      if (!has_parameter(parameter)) declare_parameter(parameter, value, dynamic);
  }
}

Node::Node(const Node& other, const std::string& sub_namespace)
    : std::enable_shared_from_this<Node>(), options_(other.options_), base_(other.base_), parameters_(other.parameters_),
      clock_(other.clock_), logger_(other.logger_),
      sub_namespace_(other.sub_namespace_.empty() ? sub_namespace : other.sub_namespace_ + "/" + sub_namespace) {
  if (sub_namespace.empty() || sub_namespace[0] == '/')
    throw exceptions::NameValidationError("a sub-namespace is relative and not empty");
}

Node::~Node() = default;

std::shared_ptr<GenericPublisher> Node::create_generic_publisher(const std::string& topic,
                                                                 const kernel::MessageType& type, const QoS& qos) {
  auto made = base_->kernel().create_publisher({.topic = extended(topic), .type = &type, .qos = qos.offered()});
  if (!made) detail::throw_create(made.error(), "topic", topic);
  return std::make_shared<GenericPublisher>(std::move(*made), qos, type);
}

const kernel::MessageType& detail::generic_type(const std::string& type) {
  const auto found = convoy::ros::serialized_type(type);
  if (!found) throw std::runtime_error(found.error().message());
  return **found;
}

Node::SharedPtr Node::create_sub_node(const std::string& sub_namespace) {
  return Node::SharedPtr(new Node(*this, sub_namespace));
}

std::string Node::get_effective_namespace() const {
  const std::string space = get_namespace();
  if (sub_namespace_.empty()) return space;
  return space == "/" ? "/" + sub_namespace_ : space + "/" + sub_namespace_;
}

std::string Node::extended(const std::string& name) const {
  if (sub_namespace_.empty() || name.empty() || name[0] == '/' || name[0] == '~') return name;
  return sub_namespace_ + "/" + name;
}

std::vector<std::string> Node::get_node_names() const {
  std::vector<std::string> names;
  for (const auto* node : simulation().graph().nodes()) names.push_back(node->full_name());
  return names;
}

std::map<std::string, std::vector<std::string>> Node::get_topic_names_and_types() const {
  std::map<std::string, std::vector<std::string>> out;
  for (const auto& [name, topic] : simulation().graph().topics())
    if (!topic->publishers().empty() || !topic->subscriptions().empty())
      out[name].emplace_back(topic->type().name());
  return out;
}

std::map<std::string, std::vector<std::string>> Node::get_service_names_and_types() const {
  std::map<std::string, std::vector<std::string>> out;
  for (const auto& [name, service] : simulation().graph().services())
    if (!service->servers().empty()) out[name].push_back(service->type().name);
  return out;
}

namespace {
template <class Map>
auto* found(const Map& map, const kernel::Node& node, const std::string& name, kernel::NameOf kind) {
  const auto full = node.resolve(name, kind);
  const auto at = full ? map.find(*full) : map.end();
  return at == map.end() ? nullptr : at->second.get();
}
}  // namespace

std::size_t Node::count_publishers(const std::string& topic) const {
  const auto* at = found(simulation().graph().topics(), base_->kernel(), topic, kernel::NameOf::kTopic);
  return at ? at->publishers().size() : 0;
}
std::size_t Node::count_subscribers(const std::string& topic) const {
  const auto* at = found(simulation().graph().topics(), base_->kernel(), topic, kernel::NameOf::kTopic);
  return at ? at->subscriptions().size() : 0;
}
std::size_t Node::count_services(const std::string& service) const {
  const auto* at = found(simulation().graph().services(), base_->kernel(), service, kernel::NameOf::kService);
  return at ? at->servers().size() : 0;
}
std::size_t Node::count_clients(const std::string& service) const {
  const auto* at = found(simulation().graph().services(), base_->kernel(), service, kernel::NameOf::kService);
  return at ? at->clients().size() : 0;
}

std::size_t SubscriptionBase::get_publisher_count() const {
  if (!subscription_->graph()) return 0;
  std::size_t count = 0;
  for (const auto* publisher : subscription_->topic().publishers())
    count += kernel::missing(publisher->qos(), subscription_->qos()) == nullptr;
  return count;
}

// --- timers and clients

std::chrono::nanoseconds TimerBase::time_until_trigger() const {
  if (!timer_->graph() || timer_->is_canceled()) return std::chrono::nanoseconds::max();
  return timer_->due() - timer_->graph()->now();
}
bool TimerBase::is_ready() const { return time_until_trigger() <= std::chrono::nanoseconds(0); }
TimerInfo TimerBase::info() const {
  return {Time(convoy::nanos(timer_->expected()), RCL_ROS_TIME), Time(convoy::nanos(timer_->graph()->now()), RCL_ROS_TIME)};
}

bool ClientBase::wait_for_service_nanoseconds(std::chrono::nanoseconds timeout) {
  if (service_is_ready()) return true;
  if (timeout == std::chrono::nanoseconds(0)) return false;
  const bool forever = timeout < std::chrono::nanoseconds(0) || timeout > kernel::kNoInstant - simulation_->now();
  return simulation_->wait_until(forever ? kernel::kNoInstant : simulation_->now() + timeout,
                                 [this] { return service_is_ready(); });
}

std::string to_string(const FutureReturnCode& code) {
  static constexpr const char* kNames[] = {"SUCCESS (0)", "INTERRUPTED (1)", "TIMEOUT (2)"};
  return kNames[static_cast<int>(code)];
}
std::ostream& operator<<(std::ostream& out, const FutureReturnCode& code) { return out << to_string(code); }

bool operator==(const QoS& a, const QoS& b) {
  const auto& p = a.get_rmw_qos_profile();
  const auto& q = b.get_rmw_qos_profile();
  const auto same = [](rmw_time_t x, rmw_time_t y) { return x.sec == y.sec && x.nsec == y.nsec; };
  return p.history == q.history && p.depth == q.depth && p.reliability == q.reliability && p.durability == q.durability &&
         same(p.deadline, q.deadline) && same(p.lifespan, q.lifespan) && p.liveliness == q.liveliness &&
         same(p.liveliness_lease_duration, q.liveliness_lease_duration) &&
         p.avoid_ros_namespace_conventions == q.avoid_ros_namespace_conventions;
}

}  // namespace rclcpp
