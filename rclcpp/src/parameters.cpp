#include "rclcpp/node_interfaces/node_parameters_interface.hpp"

#include <algorithm>

#include "beside.hpp"
#include "convoy_ros/message_type.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/time.hpp"

namespace rclcpp {

namespace kernel = convoy::nodes;

std::string to_string(ParameterType type) {
  return std::string(kernel::to_string(static_cast<kernel::ParameterType>(type)));
}
std::ostream& operator<<(std::ostream& out, ParameterType type) { return out << to_string(type); }
std::string to_string(const ParameterValue& value) { return kernel::to_text(value.value()); }
std::ostream& operator<<(std::ostream& out, const Parameter& p) {
  return out << "{\"name\": \"" << p.get_name() << "\", \"type\": \"" << p.get_type_name() << "\", \"value\": \""
             << p.value_to_string() << "\"}";
}

ParameterValue::ParameterValue(const rcl_interfaces::msg::ParameterValue& v) {
  switch (v.type) {
    case PARAMETER_NOT_SET: break;
    case PARAMETER_BOOL: value_ = v.bool_value; break;
    case PARAMETER_INTEGER: value_ = v.integer_value; break;
    case PARAMETER_DOUBLE: value_ = v.double_value; break;
    case PARAMETER_STRING: value_ = v.string_value; break;
    case PARAMETER_BYTE_ARRAY: value_ = v.byte_array_value; break;
    case PARAMETER_BOOL_ARRAY: value_ = v.bool_array_value; break;
    case PARAMETER_INTEGER_ARRAY: value_ = v.integer_array_value; break;
    case PARAMETER_DOUBLE_ARRAY: value_ = v.double_array_value; break;
    case PARAMETER_STRING_ARRAY: value_ = v.string_array_value; break;
    default: throw std::runtime_error("Unknown type: " + std::to_string(v.type));
  }
}

rcl_interfaces::msg::ParameterValue ParameterValue::to_value_msg() const {
  rcl_interfaces::msg::ParameterValue v;
  v.type = static_cast<std::uint8_t>(get_type());
  switch (get_type()) {
    case PARAMETER_NOT_SET: break;
    case PARAMETER_BOOL: v.bool_value = get<PARAMETER_BOOL>(); break;
    case PARAMETER_INTEGER: v.integer_value = get<PARAMETER_INTEGER>(); break;
    case PARAMETER_DOUBLE: v.double_value = get<PARAMETER_DOUBLE>(); break;
    case PARAMETER_STRING: v.string_value = get<PARAMETER_STRING>(); break;
    case PARAMETER_BYTE_ARRAY: v.byte_array_value = get<PARAMETER_BYTE_ARRAY>(); break;
    case PARAMETER_BOOL_ARRAY: v.bool_array_value = get<PARAMETER_BOOL_ARRAY>(); break;
    case PARAMETER_INTEGER_ARRAY: v.integer_array_value = get<PARAMETER_INTEGER_ARRAY>(); break;
    case PARAMETER_DOUBLE_ARRAY: v.double_array_value = get<PARAMETER_DOUBLE_ARRAY>(); break;
    case PARAMETER_STRING_ARRAY: v.string_array_value = get<PARAMETER_STRING_ARRAY>(); break;
  }
  return v;
}

Parameter Parameter::from_parameter_msg(const rcl_interfaces::msg::Parameter& msg) {
  return {msg.name, ParameterValue(msg.value)};
}
rcl_interfaces::msg::Parameter Parameter::to_parameter_msg() const {
  rcl_interfaces::msg::Parameter msg;
  msg.name = name_;
  msg.value = value_.to_value_msg();
  return msg;
}

namespace node_interfaces {
namespace {

using Descriptor = rcl_interfaces::msg::ParameterDescriptor;

kernel::ParameterDescriptor to_kernel(const Descriptor& d) {
  kernel::ParameterDescriptor out{.description = d.description,
                                  .constraints = d.additional_constraints,
                                  .read_only = d.read_only,
                                  .dynamic_typing = d.dynamic_typing};
  if (!d.integer_range.empty()) {
    const auto& r = d.integer_range[0];
    out.integers = kernel::ParameterRange<std::int64_t>{r.from_value, r.to_value, static_cast<std::int64_t>(r.step)};
  }
  if (!d.floating_point_range.empty()) {
    const auto& r = d.floating_point_range[0];
    out.doubles = kernel::ParameterRange<double>{r.from_value, r.to_value, r.step};
  }
  return out;
}

Descriptor from_kernel(const std::string& name, const kernel::ParameterDescriptor& d) {
  Descriptor out;
  out.name = name, out.type = static_cast<std::uint8_t>(d.type);
  out.description = d.description, out.additional_constraints = d.constraints;
  out.read_only = d.read_only, out.dynamic_typing = d.dynamic_typing;
  if (d.integers) {
    out.integer_range.resize(1);
    auto& r = out.integer_range[0];
    r.from_value = d.integers->from, r.to_value = d.integers->to, r.step = static_cast<std::uint64_t>(d.integers->step);
  }
  if (d.doubles) {
    out.floating_point_range.resize(1);
    auto& r = out.floating_point_range[0];
    r.from_value = d.doubles->from, r.to_value = d.doubles->to, r.step = d.doubles->step;
  }
  return out;
}

[[noreturn]] void throw_for(const convoy::Error& e, const std::string& name) {
  switch (e.code) {
    case convoy::ErrorCode::kExists: throw exceptions::ParameterAlreadyDeclaredException(e.text);
    case convoy::ErrorCode::kNotFound: throw exceptions::ParameterNotDeclaredException(e.text);
    case convoy::ErrorCode::kDenied: throw exceptions::ParameterImmutableException(e.text);
    case convoy::ErrorCode::kUnsupported: throw exceptions::InvalidParameterTypeException(name, e.text);
    case convoy::ErrorCode::kState: throw exceptions::ParameterModifiedInCallbackException(e.text);
    default:
      if (name.empty()) throw exceptions::InvalidParametersException(e.text);
      throw exceptions::InvalidParameterValueException(e.text);
  }
}

// `before`: the names that were there, in order.
rcl_interfaces::msg::ParameterEvent event_of(const std::vector<kernel::Parameter>& set,
                                             const std::vector<std::string>& before) {
  rcl_interfaces::msg::ParameterEvent event;
  for (const kernel::Parameter& p : set) {
    const bool known = std::binary_search(before.begin(), before.end(), p.name);
    const bool unset = kernel::type_of(p.value) == kernel::ParameterType::kNotSet;
    if (unset && !known) continue;
    auto& list = unset ? event.deleted_parameters : known ? event.changed_parameters : event.new_parameters;
    list.push_back(Parameter(p.name, ParameterValue(p.value)).to_parameter_msg());
  }
  return event;
}

// Notes what is set while it exists: what callbacks have made of what was asked for.
struct Listener {
  explicit Listener(kernel::ParameterStore& s)
      : store(s),
        before(s.names()),
        id(s.add_post_set([this](const std::vector<kernel::Parameter>& all) { set = all; })) {}
  ~Listener() { store.remove_callback(id); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  kernel::ParameterStore& store;
  std::vector<std::string> before;
  std::vector<kernel::Parameter> set;
  kernel::ParameterStore::CallbackId id;
};

std::vector<Parameter> from_kernel(const std::vector<kernel::Parameter>& parameters) {
  std::vector<Parameter> out;
  for (const auto& p : parameters) out.emplace_back(p.name, ParameterValue(p.value));
  return out;
}
std::vector<kernel::Parameter> to_kernel(const std::vector<Parameter>& parameters) {
  std::vector<kernel::Parameter> out;
  for (const auto& p : parameters) out.push_back({p.get_name(), p.get_parameter_value().value()});
  return out;
}

}  // namespace

kernel::ParameterStore& NodeParametersInterface::store() const {
  convoy::ros::in_order("a parameter of", node_->get_fully_qualified_name());
  return *store_;
}

NodeParametersInterface::~NodeParametersInterface() {
  if (offers_) node_->simulation().beside().withdraw(node_->get_fully_qualified_name(), *this);
}

void NodeParametersInterface::offer_services() {
  offers_ = true;
  node_->simulation().beside().offer(node_->get_fully_qualified_name(), *this);
}

const ParameterValue& NodeParametersInterface::declared(const std::string& name) {
  const ParameterValue& value = given_out_[name] = ParameterValue(*store().find(name));
  if (events_have_subscribers()) {
    rcl_interfaces::msg::ParameterEvent event;
    event.new_parameters.push_back(Parameter(name, value).to_parameter_msg());
    publish_event(std::move(event));
  }
  return value;
}

// --- /parameter_events

bool NodeParametersInterface::events_have_subscribers() const {
  return events_qos_ && node_->simulation().beside().events_have_subscribers();
}

void NodeParametersInterface::publish_event(rcl_interfaces::msg::ParameterEvent event) {
  const auto& type = convoy::ros::MessageTypeOf<rcl_interfaces::msg::ParameterEvent>::instance();
  if (!events_) {
    auto made = node_->kernel().create_publisher(
        {.topic = "/parameter_events", .type = &type, .qos = events_qos_->offered(), .ranks = kernel::Ranks::kSystem});
    if (!made) throw std::runtime_error(made.error().text);
    events_ = std::move(*made);
  }
  event.stamp = Time(convoy::nanos(node_->simulation().now()), RCL_ROS_TIME);
  event.node = node_->get_fully_qualified_name();
  events_->publish_copy(&event);
}

// --- declaring, setting and getting

const ParameterValue& NodeParametersInterface::declare_parameter(const std::string& name, const ParameterValue& value,
                                                                 const Descriptor& descriptor, bool ignore_override) {
  if (const auto ok = store().declare(name, value.value(), to_kernel(descriptor), ignore_override); !ok)
    throw_for(ok.error(), name);
  return declared(name);
}

const ParameterValue& NodeParametersInterface::declare_parameter(const std::string& name, ParameterType type,
                                                                 const Descriptor& descriptor, bool ignore_override) {
  if (const auto ok =
          store().declare_type(name, static_cast<kernel::ParameterType>(type), to_kernel(descriptor), ignore_override);
      !ok) {
    if (type == PARAMETER_NOT_SET) throw std::invalid_argument(ok.error().text);
    throw_for(ok.error(), name);
  }
  return declared(name);
}

void NodeParametersInterface::undeclare_parameter(const std::string& name) {
  if (const auto ok = store().undeclare(name); !ok) throw_for(ok.error(), name);
}

std::vector<rcl_interfaces::msg::SetParametersResult> NodeParametersInterface::set_parameters(
    const std::vector<Parameter>& parameters) {
  std::vector<rcl_interfaces::msg::SetParametersResult> results;
  for (const auto& parameter : parameters) results.push_back(set_parameters_atomically({parameter}));
  return results;
}

rcl_interfaces::msg::SetParametersResult NodeParametersInterface::set_parameters_atomically(
    const std::vector<Parameter>& parameters) {
  std::optional<Listener> listener;
  if (events_have_subscribers()) listener.emplace(store());
  const auto done = store().set(to_kernel(parameters));
  if (listener && !listener->set.empty()) publish_event(event_of(listener->set, listener->before));
  if (!done) throw_for(done.error(), parameters.empty() ? "" : parameters[0].get_name());
  rcl_interfaces::msg::SetParametersResult result;
  result.successful = done->successful, result.reason = done->reason;
  return result;
}

bool NodeParametersInterface::get_parameter(const std::string& name, Parameter& parameter) const {
  const auto* value = store().find(name);
  if (!value || kernel::type_of(*value) == kernel::ParameterType::kNotSet) {
    if (allow_undeclared_ && !value) parameter = Parameter(name);
    return false;
  }
  parameter = Parameter(name, ParameterValue(*value));
  return true;
}

Parameter NodeParametersInterface::get_parameter(const std::string& name) const {
  Parameter parameter;
  if (get_parameter(name, parameter)) return parameter;
  const auto* descriptor = store().describe(name);
  if (descriptor && descriptor->dynamic_typing) return Parameter(name);
  if (descriptor) throw exceptions::ParameterUninitializedException(name);
  if (allow_undeclared_) return Parameter(name);
  throw exceptions::ParameterNotDeclaredException(name);
}

std::vector<Parameter> NodeParametersInterface::get_parameters(const std::vector<std::string>& names) const {
  std::vector<Parameter> out;
  for (const auto& name : names) out.push_back(get_parameter(name));
  return out;
}

bool NodeParametersInterface::get_parameters_by_prefix(const std::string& prefix,
                                                       std::map<std::string, Parameter>& parameters) const {
  const std::string begin = prefix.empty() ? "" : prefix + ".";
  bool found = false;
  for (const auto& name : store().names()) {
    if (name.rfind(begin, 0) != 0) continue;
    parameters[name.substr(begin.size())] = Parameter(name, ParameterValue(*store().find(name)));
    found = true;
  }
  return found;
}

std::vector<Descriptor> NodeParametersInterface::describe_parameters(const std::vector<std::string>& names) const {
  std::vector<Descriptor> out;
  for (const auto& name : names) {
    if (const auto* descriptor = store().describe(name)) out.push_back(from_kernel(name, *descriptor));
    else if (allow_undeclared_) out.emplace_back().name = name;
    else throw exceptions::ParameterNotDeclaredException(name);
  }
  return out;
}

std::vector<std::uint8_t> NodeParametersInterface::get_parameter_types(const std::vector<std::string>& names) const {
  std::vector<std::uint8_t> out;
  for (const auto& name : names) {
    const auto* value = store().find(name);
    if (!value && !allow_undeclared_) throw exceptions::ParameterNotDeclaredException(name);
    out.push_back(value ? static_cast<std::uint8_t>(value->index()) : static_cast<std::uint8_t>(PARAMETER_NOT_SET));
  }
  return out;
}

// A prefix names itself and what is below it, at most `depth` names deep (0: any depth).
rcl_interfaces::msg::ListParametersResult NodeParametersInterface::list_parameters(
    const std::vector<std::string>& prefixes, std::uint64_t depth) const {
  rcl_interfaces::msg::ListParametersResult result;
  const auto dots = [](std::string_view text) {
    return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '.'));
  };
  for (const auto& name : store().names()) {
    bool listed = prefixes.empty() && (depth == 0 || dots(name) < depth);
    for (const auto& prefix : prefixes)
      listed |= name == prefix || (name.rfind(prefix + ".", 0) == 0 &&
                                   (depth == 0 || dots(std::string_view(name).substr(prefix.size() + 1)) < depth));
    if (!listed) continue;
    result.names.push_back(name);
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) continue;
    const std::string prefix = name.substr(0, dot);
    if (std::find(result.prefixes.begin(), result.prefixes.end(), prefix) == result.prefixes.end())
      result.prefixes.push_back(prefix);
  }
  return result;
}

template <class Handle>
std::shared_ptr<Handle> NodeParametersInterface::handle(kernel::ParameterStore::CallbackId id) {
  return {new Handle{id}, [weak = weak_from_this()](Handle* h) {
            if (const auto self = weak.lock()) self->remove_callback(h->id);
            delete h;
          }};
}

PreSetParametersCallbackHandle::SharedPtr NodeParametersInterface::add_pre_set_parameters_callback(
    PreSetParametersCallbackType callback) {
  return handle<PreSetParametersCallbackHandle>(
      store().add_pre_set([call = std::move(callback)](std::vector<kernel::Parameter>& parameters) {
        auto all = from_kernel(parameters);
        call(all);
        parameters = to_kernel(all);
      }));
}
OnSetParametersCallbackHandle::SharedPtr NodeParametersInterface::add_on_set_parameters_callback(
    OnSetParametersCallbackType callback) {
  return handle<OnSetParametersCallbackHandle>(
      store().add_on_set([call = std::move(callback)](const std::vector<kernel::Parameter>& parameters) {
        const auto result = call(from_kernel(parameters));
        return kernel::SetResult{result.successful, result.reason};
      }));
}
PostSetParametersCallbackHandle::SharedPtr NodeParametersInterface::add_post_set_parameters_callback(
    PostSetParametersCallbackType callback) {
  return handle<PostSetParametersCallbackHandle>(
      store().add_post_set([call = std::move(callback)](const std::vector<kernel::Parameter>& parameters) {
        call(from_kernel(parameters));
      }));
}

std::map<std::string, ParameterValue> NodeParametersInterface::get_parameter_overrides() const {
  std::map<std::string, ParameterValue> out;
  for (const auto& [name, value] : store().overrides()) out.emplace(name, ParameterValue(value));
  return out;
}

}  // namespace node_interfaces
}  // namespace rclcpp
