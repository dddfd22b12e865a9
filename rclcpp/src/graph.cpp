// The graph as nodes see it, and what publishers and subscriptions have in common: qualities and events.
#include <algorithm>

#include "beside.hpp"
#include "rclcpp/node.hpp"

namespace rclcpp {

namespace kernel = convoy::nodes;

namespace {
QoS qos_of(const kernel::QoS& q) {
  QoS out(q.keep_all ? QoSInitialization(KeepAll()) : QoSInitialization(KeepLast(q.depth)));
  if (!q.reliable) out.best_effort();
  if (q.transient_local) out.transient_local();
  return out;
}
}  // namespace

TopicEndpointInfo::TopicEndpointInfo(const kernel::Node& node, const kernel::Topic& topic, EndpointType type,
                                     std::uint32_t rank, const kernel::QoS& qos)
    : name_(node.name()), space_(node.space()), type_name_(topic.type().name()), type_(type), qos_(qos_of(qos)) {
  const rmw_gid_t gid = gid_of(rank);
  std::copy(std::begin(gid.data), std::end(gid.data), gid_.begin());
}

namespace node_interfaces {
namespace {

using NamesAndTypes = NodeGraphInterface::NamesAndTypes;

void add(NamesAndTypes& to, const std::string& name, std::string_view type) {
  auto& types = to[name];
  if (std::find(types.begin(), types.end(), type) == types.end()) types.emplace_back(type);
}

bool has_end_at(const auto& ends, const kernel::Node& node) {
  return std::any_of(ends.begin(), ends.end(), [&](const auto* end) { return &end->node() == &node; });
}

void add_parameter_services(NamesAndTypes& to, const std::string& node) {
  for (const auto& [name, type] : convoy::ros::Beside::parameter_services())
    add(to, node + "/" + name, "rcl_interfaces/srv/" + type);
}

}  // namespace

NamesAndTypes NodeGraphInterface::get_topic_names_and_types(bool) const {
  NamesAndTypes out;
  for (const auto& [name, topic] : base_->simulation().graph().topics())
    if (!topic->publishers().empty() || !topic->subscriptions().empty()) add(out, name, topic->type().name());
  return out;
}

NamesAndTypes NodeGraphInterface::get_service_names_and_types() const {
  NamesAndTypes out;
  for (const auto& [name, service] : base_->simulation().graph().services())
    if (!service->servers().empty()) add(out, name, service->type().name);
  for (const auto& [node, parameters] : base_->simulation().beside().offers()) add_parameter_services(out, node);
  return out;
}

NamesAndTypes NodeGraphInterface::get_service_names_and_types_by_node(const std::string& node,
                                                                      const std::string& space) const {
  const kernel::Node& of = named(node, space);
  NamesAndTypes out;
  for (const auto& [name, service] : base_->simulation().graph().services())
    if (has_end_at(service->servers(), of)) add(out, name, service->type().name);
  if (base_->simulation().beside().offers().count(of.full_name()) > 0) add_parameter_services(out, of.full_name());
  return out;
}

NamesAndTypes NodeGraphInterface::get_client_names_and_types_by_node(const std::string& node,
                                                                     const std::string& space) const {
  const kernel::Node& of = named(node, space);
  NamesAndTypes out;
  for (const auto& [name, service] : base_->simulation().graph().services())
    if (has_end_at(service->clients(), of)) add(out, name, service->type().name);
  return out;
}

NamesAndTypes NodeGraphInterface::get_publisher_names_and_types_by_node(const std::string& node,
                                                                        const std::string& space, bool) const {
  const kernel::Node& of = named(node, space);
  NamesAndTypes out;
  for (const auto& [name, topic] : base_->simulation().graph().topics())
    if (has_end_at(topic->publishers(), of)) add(out, name, topic->type().name());
  return out;
}

NamesAndTypes NodeGraphInterface::get_subscriber_names_and_types_by_node(const std::string& node,
                                                                         const std::string& space, bool) const {
  const kernel::Node& of = named(node, space);
  NamesAndTypes out;
  for (const auto& [name, topic] : base_->simulation().graph().topics())
    if (has_end_at(topic->subscriptions(), of)) add(out, name, topic->type().name());
  return out;
}

std::vector<std::string> NodeGraphInterface::get_node_names() const {
  std::vector<std::string> names;
  for (const auto* node : base_->simulation().graph().nodes()) names.push_back(node->full_name());
  return names;
}

std::vector<std::pair<std::string, std::string>> NodeGraphInterface::get_node_names_and_namespaces() const {
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto* node : base_->simulation().graph().nodes()) names.emplace_back(node->name(), node->space());
  return names;
}

const kernel::Node& NodeGraphInterface::named(const std::string& node, const std::string& space) const {
  const std::string full = kernel::full_node_name({node, space.empty() ? "/" : space});
  for (const kernel::Node* one : base_->simulation().graph().nodes())
    if (one->full_name() == full) return *one;
  throw std::runtime_error("cannot get names and types of node '" + full + "': it is not there");
}

const kernel::Topic* NodeGraphInterface::topic(const std::string& name, bool no_mangle) const {
  const auto& topics = base_->simulation().graph().topics();
  const auto at = topics.find(no_mangle ? name : base_->resolve_topic_or_service_name(name, false));
  return at == topics.end() ? nullptr : at->second.get();
}

const kernel::ServiceName* NodeGraphInterface::service(const std::string& name) const {
  const auto& services = base_->simulation().graph().services();
  const auto at = services.find(base_->resolve_topic_or_service_name(name, true));
  return at == services.end() ? nullptr : at->second.get();
}

std::size_t NodeGraphInterface::count_publishers(const std::string& name) const {
  const auto* at = topic(name, false);
  return at ? at->publishers().size() : 0;
}
std::size_t NodeGraphInterface::count_subscribers(const std::string& name) const {
  const auto* at = topic(name, false);
  return at ? at->subscriptions().size() : 0;
}
std::size_t NodeGraphInterface::count_services(const std::string& name) const {
  const auto* at = service(name);
  if (at && !at->servers().empty()) return at->servers().size();
  return base_->simulation().beside().offers(base_->resolve_topic_or_service_name(name, true));
}
std::size_t NodeGraphInterface::count_clients(const std::string& name) const {
  const auto* at = service(name);
  return at ? at->clients().size() : 0;
}

std::vector<TopicEndpointInfo> NodeGraphInterface::get_publishers_info_by_topic(const std::string& name,
                                                                                bool no_mangle) const {
  std::vector<TopicEndpointInfo> out;
  if (const auto* at = topic(name, no_mangle))
    for (const auto* p : at->publishers())
      out.emplace_back(p->node(), *at, EndpointType::Publisher, p->rank(), p->qos());
  return out;
}
std::vector<TopicEndpointInfo> NodeGraphInterface::get_subscriptions_info_by_topic(const std::string& name,
                                                                                   bool no_mangle) const {
  std::vector<TopicEndpointInfo> out;
  if (const auto* at = topic(name, no_mangle))
    for (const auto* s : at->subscriptions())
      out.emplace_back(s->node(), *at, EndpointType::Subscription, s->rank(), s->qos());
  return out;
}

}  // namespace node_interfaces

// --- qualities

bool operator==(const QoS& a, const QoS& b) {
  const auto& p = a.get_rmw_qos_profile();
  const auto& q = b.get_rmw_qos_profile();
  const auto same = [](rmw_time_t x, rmw_time_t y) { return x.sec == y.sec && x.nsec == y.nsec; };
  return p.history == q.history && p.depth == q.depth && p.reliability == q.reliability &&
         p.durability == q.durability && same(p.deadline, q.deadline) && same(p.lifespan, q.lifespan) &&
         p.liveliness == q.liveliness && same(p.liveliness_lease_duration, q.liveliness_lease_duration) &&
         p.avoid_ros_namespace_conventions == q.avoid_ros_namespace_conventions;
}

namespace {

struct Policy {
  QosPolicyKind kind;
  const char* name;
};
// In the order in which they are declared.
constexpr Policy kPolicies[] = {{QosPolicyKind::AvoidRosNamespaceConventions, "avoid_ros_namespace_conventions"},
                                {QosPolicyKind::Deadline, "deadline"},
                                {QosPolicyKind::Durability, "durability"},
                                {QosPolicyKind::History, "history"},
                                {QosPolicyKind::Depth, "depth"},
                                {QosPolicyKind::Lifespan, "lifespan"},
                                {QosPolicyKind::Liveliness, "liveliness"},
                                {QosPolicyKind::LivelinessLeaseDuration, "liveliness_lease_duration"},
                                {QosPolicyKind::Reliability, "reliability"}};

struct Word {
  const char* name;
  int value;
};
constexpr Word kHistories[] = {{"system_default", RMW_QOS_POLICY_HISTORY_SYSTEM_DEFAULT},
                               {"keep_last", RMW_QOS_POLICY_HISTORY_KEEP_LAST},
                               {"keep_all", RMW_QOS_POLICY_HISTORY_KEEP_ALL}};
constexpr Word kReliabilities[] = {{"system_default", RMW_QOS_POLICY_RELIABILITY_SYSTEM_DEFAULT},
                                   {"reliable", RMW_QOS_POLICY_RELIABILITY_RELIABLE},
                                   {"best_effort", RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT},
                                   {"best_available", RMW_QOS_POLICY_RELIABILITY_BEST_AVAILABLE}};
constexpr Word kDurabilities[] = {{"system_default", RMW_QOS_POLICY_DURABILITY_SYSTEM_DEFAULT},
                                  {"transient_local", RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL},
                                  {"volatile", RMW_QOS_POLICY_DURABILITY_VOLATILE},
                                  {"best_available", RMW_QOS_POLICY_DURABILITY_BEST_AVAILABLE}};
constexpr Word kLivelinesses[] = {{"system_default", RMW_QOS_POLICY_LIVELINESS_SYSTEM_DEFAULT},
                                  {"automatic", RMW_QOS_POLICY_LIVELINESS_AUTOMATIC},
                                  {"manual_by_topic", RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC},
                                  {"best_available", RMW_QOS_POLICY_LIVELINESS_BEST_AVAILABLE}};

// Gives the policy the value of a parameter whose default is the policy's value now.
template <std::size_t n, class PolicyT, class Ask>
void choose(const Word (&words)[n], const char* what, PolicyT& policy, const Ask& ask) {
  std::string now = "unknown";
  for (const Word& word : words)
    if (word.value == policy) now = word.name;
  const auto given = ask(ParameterValue(now)).template get<std::string>();
  for (const Word& word : words)
    if (given == word.name) return void(policy = static_cast<PolicyT>(word.value));
  throw std::invalid_argument(std::string("unknown QoS policy ") + what + " value: " + given);
}
template <class Ask>
void choose(rmw_time_t& time, const Ask& ask) {
  const std::int64_t given =
      ask(ParameterValue(Duration::from_rmw_time(time).nanoseconds())).template get<std::int64_t>();
  if (given < 0) throw std::invalid_argument("a QoS duration is below 0");
  time = Duration::from_nanoseconds(given).to_rmw_time();
}

template <class Ask>
void apply(QosPolicyKind kind, rmw_qos_profile_t& p, const Ask& ask) {
  switch (kind) {
    case QosPolicyKind::AvoidRosNamespaceConventions:
      p.avoid_ros_namespace_conventions = ask(ParameterValue(p.avoid_ros_namespace_conventions)).template get<bool>();
      return;
    case QosPolicyKind::Deadline: return choose(p.deadline, ask);
    case QosPolicyKind::Durability: return choose(kDurabilities, "durability", p.durability, ask);
    case QosPolicyKind::History: return choose(kHistories, "history", p.history, ask);
    case QosPolicyKind::Depth: {
      const std::int64_t depth = ask(ParameterValue(static_cast<std::int64_t>(p.depth))).template get<std::int64_t>();
      if (depth < 0) throw std::invalid_argument("a QoS depth is below 0");
      p.depth = static_cast<std::size_t>(depth);
      return;
    }
    case QosPolicyKind::Lifespan: return choose(p.lifespan, ask);
    case QosPolicyKind::Liveliness: return choose(kLivelinesses, "liveliness", p.liveliness, ask);
    case QosPolicyKind::LivelinessLeaseDuration: return choose(p.liveliness_lease_duration, ask);
    case QosPolicyKind::Reliability: return choose(kReliabilities, "reliability", p.reliability, ask);
    case QosPolicyKind::Invalid: throw std::invalid_argument("invalid QosPolicyKind");
  }
}

}  // namespace

const char* qos_policy_kind_to_cstr(const QosPolicyKind& kind) {
  for (const Policy& policy : kPolicies)
    if (policy.kind == kind) return policy.name;
  throw std::invalid_argument("unknown QoS policy kind");
}
std::ostream& operator<<(std::ostream& out, const QosPolicyKind& kind) { return out << qos_policy_kind_to_cstr(kind); }

namespace detail {

QoS declare_overrides(const QosOverridingOptions& options, node_interfaces::NodeParametersInterface* parameters,
                      const std::string& topic, QoS qos, bool publisher) {
  if (!parameters)
    throw std::runtime_error("QoS overrides of topic '" + topic + "' need the node's interface for parameters");
  const char* what = publisher ? "publisher" : "subscription";
  const std::string prefix =
      "qos_overrides." + topic + "." + what + (options.get_id().empty() ? "" : "_" + options.get_id()) + ".";
  for (const Policy& policy : kPolicies) {
    const auto& kinds = options.get_policy_kinds();
    if (std::find(kinds.begin(), kinds.end(), policy.kind) == kinds.end()) continue;
    if (!publisher && policy.kind == QosPolicyKind::Lifespan) continue;  // it is the publisher's alone
    apply(policy.kind, qos.get_rmw_qos_profile(), [&](const ParameterValue& by_default) {
      const std::string name = prefix + policy.name;
      if (parameters->has_parameter(name)) return parameters->get_parameter(name).get_parameter_value();
      rcl_interfaces::msg::ParameterDescriptor descriptor;
      descriptor.description = "qos policy {" + std::string(policy.name) + "} for " + what + " {" + topic + "}" +
                               (options.get_id().empty() ? "" : " with id {" + options.get_id() + "}");
      descriptor.read_only = true;
      return parameters->declare_parameter(name, by_default, descriptor);
    });
  }
  if (options.get_validation_callback()) {
    const QosCallbackResult result = options.get_validation_callback()(qos);
    if (!result.successful)
      throw exceptions::InvalidQosOverridesException("validation callback failed: " + result.reason);
  }
  return qos;
}

// --- events

kernel::MatchListener match_listener(const node_interfaces::NodeBaseInterface& node, const std::string& topic,
                                     const CallbackGroup::SharedPtr& group, std::function<void(MatchedInfo&)> matched,
                                     std::function<void(QOSOfferedIncompatibleQoSInfo&)> incompatible) {
  if (!matched && !incompatible) return {};
  // Shared by the publisher or subscription, which writes what has happened, and the events that report it.
  struct State {
    std::function<void(MatchedInfo&)> matched;
    std::function<void(QOSOfferedIncompatibleQoSInfo&)> incompatible;
    MatchedInfo match;
    QOSOfferedIncompatibleQoSInfo unfit;
    kernel::Owned<kernel::Trigger> notify_matched, notify_incompatible;
  };
  auto state = std::make_shared<State>();
  state->matched = std::move(matched), state->incompatible = std::move(incompatible);
  // An event that finds nothing new since the last one is silent, as when several were taken at once.
  const auto trigger = [&](auto notify) {
    return node.kernel().create_trigger(
        [weak = std::weak_ptr<State>(state), simulation = &node.simulation(),
         who = &node.about("an event of topic", topic), notify] {
          if (const auto s = weak.lock()) simulation->guarded(*who, [&] { notify(*s); });
        },
        group ? &group->kernel() : nullptr);
  };
  if (state->matched)
    state->notify_matched = trigger([](State& s) {
      MatchedInfo info = s.match;
      s.match.total_count_change = 0, s.match.current_count_change = 0;
      if (info.total_count_change > 0 || info.current_count_change != 0) s.matched(info);
    });
  if (state->incompatible)
    state->notify_incompatible = trigger([](State& s) {
      QOSOfferedIncompatibleQoSInfo info = s.unfit;
      s.unfit.total_count_change = 0;
      if (info.total_count_change > 0) s.incompatible(info);
    });
  return [state](const kernel::Match& match) {
    if (match.change == 0) {
      ++state->unfit.total_count, ++state->unfit.total_count_change;
      state->unfit.last_policy_kind =
          std::string_view(match.missing) == "durability" ? RMW_QOS_POLICY_DURABILITY : RMW_QOS_POLICY_RELIABILITY;
      if (state->notify_incompatible) state->notify_incompatible->trigger();
      return;
    }
    if (match.change > 0) ++state->match.total_count, ++state->match.total_count_change, ++state->match.current_count;
    else --state->match.current_count;
    state->match.current_count_change += match.change;
    if (state->notify_matched) state->notify_matched->trigger();
  };
}

void throw_create(const convoy::Error& error, const char* what, const std::string& name) {
  const bool type = error.text.find(" is of type ") != std::string::npos;
  if (type) throw std::runtime_error(error.text);
  if (std::string_view(what) == "service") throw exceptions::InvalidServiceNameError(name + ": " + error.text);
  throw exceptions::InvalidTopicNameError(name + ": " + error.text);
}
}  // namespace detail

}  // namespace rclcpp
