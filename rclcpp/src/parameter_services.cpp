// Services of parameters, their clients, and handlers of changes.
#include <algorithm>

#include <rcl_interfaces/srv/describe_parameters.hpp>
#include <rcl_interfaces/srv/get_parameter_types.hpp>
#include <rcl_interfaces/srv/get_parameters.hpp>
#include <rcl_interfaces/srv/list_parameters.hpp>
#include <rcl_interfaces/srv/set_parameters.hpp>
#include <rcl_interfaces/srv/set_parameters_atomically.hpp>

#include "arguments.hpp"
#include "rclcpp/parameter_client.hpp"
#include "rclcpp/parameter_event_handler.hpp"
#include "rclcpp/parameter_service.hpp"

namespace rclcpp {

namespace srv = rcl_interfaces::srv;
using node_interfaces::NodeBaseInterface;
using node_interfaces::NodeParametersInterface;
using SetResult = rcl_interfaces::msg::SetParametersResult;

// --- the services

namespace {

// What cannot be set, for whatever reason, is no error of the node that is asked.
SetResult set(NodeParametersInterface& parameters, const std::vector<rcl_interfaces::msg::Parameter>& given) {
  SetResult result;
  try {
    std::vector<Parameter> all;
    for (const auto& one : given) all.push_back(Parameter::from_parameter_msg(one));
    return parameters.set_parameters_atomically(all);
  } catch (const exceptions::ParameterNotDeclaredException& e) {
    result.reason = given.size() == 1 ? e.what() : "One or more parameters were not declared before setting";
  } catch (const std::exception& e) { result.reason = e.what(); }
  result.successful = false;
  return result;
}

// What is asked of parameters that are not there, or have no value, is answered with nothing.
template <class F>
void ask(F question) {
  try {
    question();
  } catch (const exceptions::ParameterNotDeclaredException&) {
  } catch (const exceptions::ParameterUninitializedException&) {}
}

}  // namespace

ParameterService::ParameterService(const NodeBaseInterface::SharedPtr& node,
                                   const node_interfaces::NodeServicesInterface::SharedPtr&,
                                   NodeParametersInterface* parameters, const QoS&)
    : ParameterService(*node, *parameters) {}

ParameterService::ParameterService(NodeBaseInterface& node, NodeParametersInterface& of) {
  const auto serve = [&]<class ServiceT>(const char* name, ServiceT, auto answer) {
    using Request = typename ServiceT::Request;
    using Response = typename ServiceT::Response;
    services_.push_back(detail::make_service<ServiceT>(
        node, std::string("~/") + name,
        [answer, parameters = &of](std::shared_ptr<Request> request, std::shared_ptr<Response> response) {
          answer(*parameters, *request, *response);
        },
        nullptr, convoy::nodes::Ranks::kSystem));
  };
  serve("get_parameters", srv::GetParameters(), [](auto& parameters, const auto& request, auto& response) {
    ask([&] {
      for (const auto& p : parameters.get_parameters(request.names)) response.values.push_back(p.get_value_message());
    });
  });
  serve("get_parameter_types", srv::GetParameterTypes(), [](auto& parameters, const auto& request, auto& response) {
    ask([&] { response.types = parameters.get_parameter_types(request.names); });
  });
  serve("set_parameters", srv::SetParameters(), [](auto& parameters, const auto& request, auto& response) {
    for (const auto& p : request.parameters) response.results.push_back(set(parameters, {p}));
  });
  serve("set_parameters_atomically", srv::SetParametersAtomically(),
        [](auto& parameters, const auto& request, auto& response) {
          response.result = set(parameters, request.parameters);
        });
  serve("describe_parameters", srv::DescribeParameters(), [](auto& parameters, const auto& request, auto& response) {
    ask([&] { response.descriptors = parameters.describe_parameters(request.names); });
  });
  serve("list_parameters", srv::ListParameters(), [](auto& parameters, const auto& request, auto& response) {
    response.result = parameters.list_parameters(request.prefixes, request.depth);
  });
}

void NodeParametersInterface::start_services() {
  if (!services_) services_ = std::make_shared<ParameterService>(*node_, *this);
}

// --- clients

struct AsyncParametersClient::Clients {
  Client<srv::GetParameters>::SharedPtr get;
  Client<srv::GetParameterTypes>::SharedPtr types;
  Client<srv::SetParameters>::SharedPtr set;
  Client<srv::SetParametersAtomically>::SharedPtr set_atomically;
  Client<srv::DescribeParameters>::SharedPtr describe;
  Client<srv::ListParameters>::SharedPtr list;
  std::vector<ClientBase*> all() const {
    return {get.get(), types.get(), set.get(), set_atomically.get(), list.get(), describe.get()};
  }
};

AsyncParametersClient::AsyncParametersClient(NodeBaseInterface::SharedPtr base,
                                             node_interfaces::NodeTopicsInterface::SharedPtr topics,
                                             node_interfaces::NodeGraphInterface::SharedPtr,
                                             node_interfaces::NodeServicesInterface::SharedPtr,
                                             const std::string& remote, const QoS&, CallbackGroup::SharedPtr group)
    : topics_(std::move(topics)),
      remote_(remote.empty() ? base->get_fully_qualified_name() : remote),
      clients_(std::make_unique<Clients>()) {
  const auto make = [&]<class ServiceT>(std::shared_ptr<Client<ServiceT>>& client, const char* name) {
    client = detail::make_client<ServiceT>(*base, remote_ + "/" + name, group);
  };
  make(clients_->get, "get_parameters");
  make(clients_->types, "get_parameter_types");
  make(clients_->set, "set_parameters");
  make(clients_->set_atomically, "set_parameters_atomically");
  make(clients_->list, "list_parameters");
  make(clients_->describe, "describe_parameters");
}

AsyncParametersClient::~AsyncParametersClient() = default;

namespace {

// Sends a request; what `read` makes of the response is the future's, and the callback's.
template <class Result, class ServiceT, class Read>
std::shared_future<Result> send(Client<ServiceT>& client, std::shared_ptr<typename ServiceT::Request> request,
                                std::function<void(std::shared_future<Result>)> callback, Read read) {
  auto promise = std::make_shared<std::promise<Result>>(convoy::ros::make_promise<Result>());
  std::shared_future<Result> future = promise->get_future().share();
  client.async_send_request(std::move(request), [promise, future, callback = std::move(callback),
                                                 read](typename Client<ServiceT>::SharedFuture answer) {
    promise->set_value(read(*answer.get()));
    if (callback) callback(future);
  });
  return future;
}

std::vector<rcl_interfaces::msg::Parameter> to_messages(const std::vector<Parameter>& parameters) {
  std::vector<rcl_interfaces::msg::Parameter> out;
  for (const Parameter& p : parameters) out.push_back(p.to_parameter_msg());
  return out;
}

}  // namespace

std::shared_future<std::vector<Parameter>> AsyncParametersClient::get_parameters(
    const std::vector<std::string>& names, ResultCallback<std::vector<Parameter>> callback) {
  auto request = std::make_shared<srv::GetParameters::Request>();
  request->names = names;
  return send<std::vector<Parameter>>(*clients_->get, request, std::move(callback), [names](const auto& response) {
    std::vector<Parameter> out;
    for (std::size_t i = 0; i < std::min(names.size(), response.values.size()); ++i)
      out.emplace_back(names[i], ParameterValue(response.values[i]));
    return out;
  });
}

std::shared_future<std::vector<AsyncParametersClient::Descriptor>> AsyncParametersClient::describe_parameters(
    const std::vector<std::string>& names, ResultCallback<std::vector<Descriptor>> callback) {
  auto request = std::make_shared<srv::DescribeParameters::Request>();
  request->names = names;
  return send<std::vector<Descriptor>>(*clients_->describe, request, std::move(callback),
                                       [](const auto& response) { return response.descriptors; });
}

std::shared_future<std::vector<ParameterType>> AsyncParametersClient::get_parameter_types(
    const std::vector<std::string>& names, ResultCallback<std::vector<ParameterType>> callback) {
  auto request = std::make_shared<srv::GetParameterTypes::Request>();
  request->names = names;
  return send<std::vector<ParameterType>>(*clients_->types, request, std::move(callback), [](const auto& response) {
    std::vector<ParameterType> out;
    for (const auto type : response.types) out.push_back(static_cast<ParameterType>(type));
    return out;
  });
}

std::shared_future<std::vector<SetResult>> AsyncParametersClient::set_parameters(
    const std::vector<Parameter>& parameters, ResultCallback<std::vector<SetResult>> callback) {
  auto request = std::make_shared<srv::SetParameters::Request>();
  request->parameters = to_messages(parameters);
  return send<std::vector<SetResult>>(*clients_->set, request, std::move(callback),
                                      [](const auto& response) { return response.results; });
}

std::shared_future<SetResult> AsyncParametersClient::set_parameters_atomically(const std::vector<Parameter>& parameters,
                                                                               ResultCallback<SetResult> callback) {
  auto request = std::make_shared<srv::SetParametersAtomically::Request>();
  request->parameters = to_messages(parameters);
  return send<SetResult>(*clients_->set_atomically, request, std::move(callback),
                         [](const auto& response) { return response.result; });
}

// A parameter without a value is one that is to go.
std::shared_future<std::vector<SetResult>> AsyncParametersClient::delete_parameters(
    const std::vector<std::string>& names) {
  std::vector<Parameter> parameters;
  for (const std::string& name : names) parameters.emplace_back(name);
  return set_parameters(parameters);
}

std::shared_future<std::vector<SetResult>> AsyncParametersClient::load_parameters(const std::string& yaml_file) {
  convoy::ros::Arguments read;
  if (const auto ok = read.add_file(yaml_file); !ok) throw exceptions::InvalidParametersException(ok.error().message());
  std::map<std::string, ParameterValue> last;  // a later one holds
  for (const auto& given : read.parameters)
    if (convoy::ros::fits(given.node, remote_[0] == '/' ? remote_ : "/" + remote_))
      last[given.name] = ParameterValue(given.value);
  std::vector<Parameter> parameters;
  for (const auto& [name, value] : last) parameters.emplace_back(name, value);
  return set_parameters(parameters);
}

std::shared_future<rcl_interfaces::msg::ListParametersResult> AsyncParametersClient::list_parameters(
    const std::vector<std::string>& prefixes, std::uint64_t depth, ResultCallback<ListResult> callback) {
  auto request = std::make_shared<srv::ListParameters::Request>();
  request->prefixes = prefixes, request->depth = depth;
  return send<ListResult>(*clients_->list, request, std::move(callback),
                          [](const auto& response) { return response.result; });
}

bool AsyncParametersClient::service_is_ready() const {
  const auto all = clients_->all();
  return std::all_of(all.begin(), all.end(), [](const ClientBase* client) { return client->service_is_ready(); });
}

// All of one node's come at once.
bool AsyncParametersClient::wait_for_service_nanoseconds(std::chrono::nanoseconds timeout) {
  return clients_->get->wait_for_service(timeout) && service_is_ready();
}

SyncParametersClient::SyncParametersClient(Executor::SharedPtr, NodeBaseInterface::SharedPtr base,
                                           node_interfaces::NodeTopicsInterface::SharedPtr topics,
                                           node_interfaces::NodeGraphInterface::SharedPtr graph,
                                           node_interfaces::NodeServicesInterface::SharedPtr services,
                                           const std::string& remote, const QoS& qos)
    : base_(base),
      group_(base->create_callback_group(CallbackGroupType::MutuallyExclusive)),
      async_(std::make_shared<AsyncParametersClient>(base, topics, graph, services, remote, qos, group_)) {}

bool SyncParametersClient::has_parameter(const std::string& name) {
  const auto names = list_parameters({name}, 1).names;
  return std::find(names.begin(), names.end(), name) != names.end();
}

// --- handlers of changes

void ParameterEventHandler::Callbacks::receive(const Event& event) {
  // Copies: a callback may add others, and drop its own handle.
  const auto parameters = of_parameters;
  for (const auto& [key, callbacks] : parameters) {
    Parameter parameter;
    if (!get_parameter_from_event(event, parameter, key.first, key.second)) continue;
    for (const auto& weak : callbacks)
      if (const auto handle = weak.lock()) handle->callback(parameter);
  }
  const auto events = of_events;
  for (const auto& weak : events)
    if (const auto handle = weak.lock()) handle->callback(event);
  for (auto& [key, callbacks] : of_parameters)
    std::erase_if(callbacks, [](const auto& weak) { return weak.expired(); });
  std::erase_if(of_events, [](const auto& weak) { return weak.expired(); });
}

ParameterEventCallbackHandle::SharedPtr ParameterEventHandler::add_parameter_event_callback(
    ParameterEventCallbackHandle::ParameterEventCallbackType callback) {
  auto handle = std::make_shared<ParameterEventCallbackHandle>();
  handle->callback = std::move(callback);
  callbacks_->of_events.insert(callbacks_->of_events.begin(), handle);
  return handle;
}

void ParameterEventHandler::remove_parameter_event_callback(ParameterEventCallbackHandle::SharedPtr handle) {
  if (std::erase_if(callbacks_->of_events, [&](const auto& weak) { return weak.lock() == handle; }) == 0)
    throw std::runtime_error("Callback doesn't exist");
}

ParameterCallbackHandle::SharedPtr ParameterEventHandler::add_parameter_callback(
    const std::string& parameter, ParameterCallbackHandle::ParameterCallbackType callback, const std::string& node) {
  auto handle = std::make_shared<ParameterCallbackHandle>();
  const std::string space = base_->get_namespace();
  handle->parameter_name = parameter;
  handle->node_name = node.empty()     ? base_->get_fully_qualified_name()
                      : node[0] == '/' ? node
                      : space == "/"   ? space + node
                                       : space + "/" + node;
  handle->callback = std::move(callback);
  auto& of = callbacks_->of_parameters[{parameter, handle->node_name}];
  of.insert(of.begin(), handle);
  return handle;
}

void ParameterEventHandler::remove_parameter_callback(ParameterCallbackHandle::SharedPtr handle) {
  const auto found = callbacks_->of_parameters.find({handle->parameter_name, handle->node_name});
  if (found == callbacks_->of_parameters.end() ||
      std::erase_if(found->second, [&](const auto& weak) { return weak.lock() == handle; }) == 0)
    throw std::runtime_error("Callback doesn't exist");
}

bool ParameterEventHandler::get_parameter_from_event(const Event& event, Parameter& parameter, const std::string& name,
                                                     const std::string& node) {
  if (event.node != node) return false;
  for (const auto* list : {&event.new_parameters, &event.changed_parameters})
    for (const auto& one : *list)
      if (one.name == name) return parameter = Parameter::from_parameter_msg(one), true;
  return false;
}

Parameter ParameterEventHandler::get_parameter_from_event(const Event& event, const std::string& name,
                                                          const std::string& node) {
  Parameter parameter;
  if (!get_parameter_from_event(event, parameter, name, node))
    throw std::runtime_error("Parameter '" + name + "' of node '" + node + "' is not part of parameter event");
  return parameter;
}

std::vector<Parameter> ParameterEventHandler::get_parameters_from_event(const Event& event) {
  std::vector<Parameter> out;
  for (const auto* list : {&event.new_parameters, &event.changed_parameters})
    for (const auto& one : *list) out.push_back(Parameter::from_parameter_msg(one));
  return out;
}

}  // namespace rclcpp
