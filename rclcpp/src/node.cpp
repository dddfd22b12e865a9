#include "rclcpp/node.hpp"

#include <algorithm>

#include "arguments.hpp"
#include "beside.hpp"
#include "rclcpp/exceptions/exceptions.hpp"

namespace rclcpp {
namespace {

namespace kernel = convoy::nodes;
using convoy::ros::Arguments;
using convoy::ros::Simulation;

// All that arguments and options specify for one node.
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
  convoy::ros::in_order("the making of a node");
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
  return std::make_shared<node_interfaces::NodeBaseInterface>(std::move(*node), simulation,
                                                              options.use_intra_process_comms());
}

std::string dotted(std::string full_name) {
  full_name.erase(0, 1);
  std::replace(full_name.begin(), full_name.end(), '/', '.');
  return full_name;
}

}  // namespace

namespace node_interfaces {

NodeBaseInterface::NodeBaseInterface(kernel::Owned<kernel::Node> node, Simulation& simulation, bool intra_process)
    : node_(std::move(node)),
      simulation_(simulation),
      default_group_(std::make_shared<CallbackGroup>(node_->default_group())),
      intra_process_(intra_process),
      holds_(simulation.is_program()) {
  if (holds_) default_group_->hold(0);
}

CallbackGroup::SharedPtr NodeBaseInterface::create_callback_group(CallbackGroupType type, bool automatic) {
  const auto kind = type == CallbackGroupType::Reentrant ? kernel::CallbackGroup::Kind::kReentrant
                                                         : kernel::CallbackGroup::Kind::kMutuallyExclusive;
  auto group = std::make_shared<CallbackGroup>(node_->create_group(kind), type, automatic);
  if (holds_ || !automatic) group->hold(automatic ? spinning_ : 0);
  groups_.push_back(group);
  return group;
}

void NodeBaseInterface::for_each_callback_group(const CallbackGroupFunction& function) {
  function(default_group_);
  for (const auto& weak : groups_)
    if (const auto group = weak.lock()) function(group);
}

bool NodeBaseInterface::callback_group_in_node(CallbackGroup::SharedPtr group) {
  bool found = false;
  for_each_callback_group([&](const CallbackGroup::SharedPtr& one) { found |= one == group; });
  return found;
}

void NodeBaseInterface::set_held(bool held) {
  if (!holds_) return;
  spinning_ += held ? -1 : 1;
  for_each_callback_group([held](const CallbackGroup::SharedPtr& group) {
    if (group->automatically_add_to_executor_with_node() && !group->get_associated_with_executor_atomic())
      group->spin(!held);
  });
}

std::string NodeBaseInterface::resolve_topic_or_service_name(const std::string& name, bool is_service,
                                                             bool only_expand) const {
  const auto full = only_expand ? kernel::expand(name, {node_->name(), node_->space()})
                                : node_->resolve(name, is_service ? kernel::NameOf::kService : kernel::NameOf::kTopic);
  if (!full) rclcpp::detail::throw_create(full.error(), is_service ? "service" : "topic", name);
  return *full;
}

const std::string& NodeBaseInterface::about(const char* what, const std::string& name) const {
  return simulation_.keep(node_->full_name() + ": callback of " + what + (name.empty() ? "" : " '" + name + "'"));
}

}  // namespace node_interfaces

detail::NodeFunctions::Parts::Parts(const node_interfaces::NodeBaseInterface::SharedPtr& base,
                                    rcl_clock_type_t clock_type, Logger logger)
    : timers(base),
      topics(base, &timers),
      services(base),
      graph(base),
      clock(clock_type),
      logging(std::move(logger)),
      waitables(base) {}

detail::NodeFunctions::NodeFunctions(const std::string& name, const std::string& space, const NodeOptions& options)
    : options_(options),
      base_(make_base(name, space, options)),
      parameters_(std::make_shared<node_interfaces::NodeParametersInterface>(base_->kernel().parameters(), base_,
                                                                             options.allow_undeclared_parameters())),
      parts_(std::make_shared<Parts>(base_, options.clock_type(),
                                     Logger(dotted(base_->get_fully_qualified_name()), &base_->simulation()))) {
  if (!options.enable_rosout()) base_->simulation().beside().keep_off_rosout(get_logger().get_name());
  if (options.start_parameter_event_publisher()) parameters_->publish_events(options.parameter_event_qos());
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
  if (options.start_parameter_services()) parameters_->offer_services();
}

detail::NodeFunctions::NodeFunctions(const NodeFunctions& other, const std::string& sub_namespace)
    : options_(other.options_),
      base_(other.base_),
      parameters_(other.parameters_),
      parts_(other.parts_),
      sub_namespace_(other.sub_namespace_.empty() ? sub_namespace : other.sub_namespace_ + "/" + sub_namespace) {
  if (sub_namespace.empty() || sub_namespace[0] == '/')
    throw exceptions::NameValidationError("a sub-namespace is relative and not empty");
}

detail::NodeFunctions::~NodeFunctions() = default;
Node::~Node() = default;

std::shared_ptr<GenericPublisher> detail::NodeFunctions::create_generic_publisher(const std::string& topic,
                                                                                  const kernel::MessageType& type,
                                                                                  const QoS& qos) {
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

std::string detail::NodeFunctions::get_effective_namespace() const {
  const std::string space = get_namespace();
  if (sub_namespace_.empty()) return space;
  return space == "/" ? "/" + sub_namespace_ : space + "/" + sub_namespace_;
}

std::string detail::NodeFunctions::extended(const std::string& name) const {
  if (sub_namespace_.empty() || name.empty() || name[0] == '/' || name[0] == '~') return name;
  return sub_namespace_ + "/" + name;
}

std::size_t SubscriptionBase::get_publisher_count() const {
  if (!subscription_->graph()) return 0;
  std::size_t count = 0;
  for (const auto* publisher : subscription_->topic().publishers())
    count += kernel::missing(publisher->qos(), subscription_->qos()) == nullptr;
  return count;
}

// --- timers and clients

void TimerBase::join(const node_interfaces::NodeBaseInterface& node, const CallbackGroup::SharedPtr& group) {
  if (!plan_) throw std::invalid_argument("the timer is of a node already");
  set_kernel(node.kernel().create_timer(
      {.period = plan_->period,
       .autostart = plan_->autostart,
       .group = detail::kernel_of(group),
       .callback = [simulation = &node.simulation(), who = &node.about("a timer"), call = std::move(plan_->call)] {
         simulation->guarded(*who, [&] { call(); });
       }}));
  plan_.reset();
}

std::chrono::nanoseconds TimerBase::time_until_trigger() const {
  if (!timer_->graph() || timer_->is_canceled()) return std::chrono::nanoseconds::max();
  return timer_->due() - timer_->graph()->now();
}
bool TimerBase::is_ready() const { return time_until_trigger() <= std::chrono::nanoseconds(0); }
TimerInfo TimerBase::info() const {
  return {Time(convoy::nanos(timer_->expected()), RCL_ROS_TIME),
          Time(convoy::nanos(timer_->graph()->now()), RCL_ROS_TIME)};
}

void ClientBase::set_kernel(convoy::nodes::Owned<convoy::nodes::Client> client) {
  client_ = std::move(client), name_ = client_->name().name(), handle_.receiver = client_.get();
  simulation_->beside().asked_for(name_);
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

}  // namespace rclcpp
