// convoy service, node and param with --ros2.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <rcl_interfaces/srv/get_parameters.hpp>
#include <rcl_interfaces/srv/list_parameters.hpp>
#include <rcl_interfaces/srv/set_parameters.hpp>

#include <convoy_ros/types.hpp>
#include "adapters/ros2/parameter_messages.h"
#include "apps/prepare.h"
#include "apps/ros2_look.h"
#include "apps/ros2_room.h"
#include "core/nearest.h"
#include "os/clock.h"

namespace convoy::apps {

namespace {

using Json = nlohmann::ordered_json;
using rcl_interfaces::srv::GetParameters;
using rcl_interfaces::srv::ListParameters;
using rcl_interfaces::srv::SetParameters;
using ros2::TopicKind;

constexpr const char* kRequest = "_Request";

bool is_served(const ros2::ReportedTopic& service) {
  return std::any_of(service.ends.begin(), service.ends.end(), [](const auto& end) { return !end.writer; });
}

// "std_srvs/srv/Trigger" of "std_srvs/srv/Trigger_Request".
std::string service_type(const std::string& request) {
  return request.ends_with(kRequest) ? request.substr(0, request.size() - std::string_view(kRequest).size()) : request;
}

// The response's bytes, or nothing and `code`: it has been complained about, or Ctrl-C.
std::optional<Bytes> call(Ros2Room& room, const std::string& service, const ros::TypeSupport& request,
                          const ros::TypeSupport& response, ByteView cdr, double timeout, int& code) {
  auto client = room.node().client(service, ros2::ServiceTypes(request, response));
  if (!client) return code = complain(client.error().message(), kUsage), std::nullopt;
  const auto failed = [&](const std::string& text) {
    code = room.interrupted() ? kInterrupted : complain(text, kFailed);
    return std::nullopt;
  };
  if (!room.wait(timeout, [&] { return (*client)->ready(); }))
    return failed(fmt::format("nobody serves '{}' in {}, within {:g} s", service, room.text(), timeout));
  std::optional<Result<Bytes>> got;
  (*client)->call(cdr, os::now() + Duration(static_cast<std::int64_t>(timeout * 1e9)),
                  [&](Result<Bytes> reply) { got = std::move(reply); });
  if (!room.wait(timeout + 1, [&] { return got.has_value(); }) || !*got)
    return failed(fmt::format("no response of '{}' within {:g} s", service, timeout));
  return std::move(**got);
}

template <class Service>
std::optional<typename Service::Response> call(Ros2Room& room, const std::string& name,
                                               const typename Service::Request& request, double timeout, int& code) {
  const auto types = ros::ServiceSupport::of<Service>();
  const auto cdr = types.request.to_cdr(&request);
  if (!cdr) return code = complain(cdr.error().message(), kUsage), std::nullopt;
  const auto bytes = call(room, name, types.request, types.response, *cdr, timeout, code);
  if (!bytes) return std::nullopt;
  typename Service::Response out;
  if (const Status read = types.response.from_cdr(*bytes, &out, ros::Rest::kIgnored); !read)
    return code = complain("the response of '" + name + "' is none: " + read.error().message(), kFailed), std::nullopt;
  return out;
}

// The parameters of a node by name with their values, or nothing and `code`.
std::optional<std::vector<nodes::Parameter>> parameters(Ros2Room& room, const std::string& node, double timeout,
                                                        int& code) {
  const auto listed = call<ListParameters>(room, node + "/list_parameters", ListParameters::Request(), timeout, code);
  if (!listed) return std::nullopt;
  GetParameters::Request request;
  request.names = listed->result.names;
  const auto got = call<GetParameters>(room, node + "/get_parameters", request, timeout, code);
  if (!got) return std::nullopt;
  std::vector<nodes::Parameter> out;
  for (std::size_t i = 0; i < std::min(request.names.size(), got->values.size()); ++i) {
    auto value = ros2::value_in(got->values[i]);
    out.push_back({request.names[i], value ? std::move(*value) : nodes::ParameterValue{}});
  }
  return out;
}

// Its field of a ParameterValue that has this type.
constexpr const char* kFields[] = {nullptr,
                                   "bool_value",
                                   "integer_value",
                                   "double_value",
                                   "string_value",
                                   "byte_array_value",
                                   "bool_array_value",
                                   "integer_array_value",
                                   "double_array_value",
                                   "string_array_value"};

// The message with the YAML as a value of that type. kInvalid.
Result<rcl_interfaces::msg::ParameterValue> value_of(nodes::ParameterType type, const std::string& yaml) {
  rcl_interfaces::msg::ParameterValue out;
  out.type = static_cast<std::uint8_t>(type);
  const auto support = ros::TypeSupport::of<rcl_interfaces::msg::ParameterValue>();
  const std::string text = std::string(kFields[static_cast<std::size_t>(type)]) + ": " + yaml;
  if (auto read = support.from_yaml(text, &out); !read) return tl::unexpected(read.error());
  return out;
}

}  // namespace

int ros2_service_list(const Arguments& a) {
  int code = kOk;
  const auto room = Ros2Room::enter(a, code);
  if (!room) return code;
  room->look_around();
  Json lines = Json::array();
  std::size_t name = 0;
  for (const ros2::ReportedTopic& service : room->topics(TopicKind::kRequest)) {
    const auto clients =
        std::count_if(service.ends.begin(), service.ends.end(), [](const auto& e) { return e.writer; });
    name = std::max(name, service.name.size());
    lines.push_back({{"name", service.name},
                     {"type", service_type(service.ends.front().type)},
                     {"servers", service.ends.size() - static_cast<std::size_t>(clients)},
                     {"clients", clients}});
  }
  if (a.json) os::print("{}\n", Json{{"services", lines}}.dump());
  else
    for (const Json& l : lines)
      os::print("{:<{}}  {}  {} servers, {} clients\n", l["name"].get<std::string>(), name,
                l["type"].get<std::string>(), l["servers"].get<std::size_t>(), l["clients"].get<std::size_t>());
  return room->interrupted() ? kInterrupted : kOk;
}

int ros2_service_call(const Arguments& a) {
  int code = kOk;
  const auto room = Ros2Room::enter(a, code);
  if (!room) return code;
  std::string type = a.look.type;
  if (type.empty()) {
    const auto service = room->find(TopicKind::kRequest, a.look.service);
    if (!service) return room->interrupted() ? kInterrupted : kFailed;
    if ((type = service_type(type_of(*service, ""))).empty()) return kFailed;
    if (!is_served(*service))
      return complain(fmt::format("nobody serves '{}' in {}", service->name, room->text()), kFailed);
  }
  const auto request = ros::find_type(type + kRequest), response = ros::find_type(type + "_Response");
  if (!request) return complain(request.error().message(), kFailed);
  if (!response) return complain(response.error().message(), kFailed);
  ros::AnyMessage message(*request), answer(*response);
  if (const Status read = request->from_yaml(a.look.value.empty() ? "{}" : a.look.value, message.get()); !read)
    return complain(read.error().message(), kUsage);
  const auto cdr = request->to_cdr(message.get());
  if (!cdr) return complain(cdr.error().message(), kUsage);
  const auto bytes = call(*room, Ros2Room::full(a.look.service), *request, *response, *cdr, a.look.timeout, code);
  if (!bytes) return code;
  if (const Status read = response->from_cdr(*bytes, answer.get(), ros::Rest::kIgnored); !read)
    return complain("the response is none: " + read.error().message(), kFailed);
  const std::string yaml = response->to_yaml(answer.get());
  os::print("{}", a.json ? Json{{"yaml", yaml}}.dump() + "\n" : yaml);
  return kOk;
}

int ros2_node_list(const Arguments& a) {
  int code = kOk;
  const auto room = Ros2Room::enter(a, code);
  if (!room) return code;
  room->look_around();
  const std::vector<std::string> nodes = room->domain().graph().nodes();
  Json list = Json::array();
  for (const std::string& name : nodes) list.push_back({{"name", name}});
  if (a.json) os::print("{}\n", Json{{"nodes", list}}.dump());
  else
    for (const std::string& name : nodes) os::print("{}\n", name);
  return room->interrupted() ? kInterrupted : kOk;
}

int ros2_node_info(const Arguments& a) {
  int code = kOk;
  const auto room = Ros2Room::enter(a, code);
  if (!room) return code;
  const std::string name = Ros2Room::full(a.look.node);
  room->look_around();
  const std::vector<std::string> nodes = room->domain().graph().nodes();
  if (room->interrupted()) return kInterrupted;
  if (std::find(nodes.begin(), nodes.end(), name) == nodes.end()) {
    const std::string near = nearest_name(name, nodes);
    return complain(
        fmt::format("no node '{}' in {}{}", name, room->text(), near.empty() ? "" : "; did you mean '" + near + "'?"),
        kFailed);
  }
  Json out{{"name", name},
           {"publishes", Json::array()},
           {"subscribes", Json::array()},
           {"serves", Json::array()},
           {"calls", Json::array()}};
  for (const ros2::ReportedTopic& topic : ros2::report_of(room->domain().graph())) {
    if (topic.kind == TopicKind::kReply) continue;
    const bool is_topic = topic.kind == TopicKind::kTopic;
    for (const ros2::ReportedEnd& end : topic.ends)
      if (end.node == name)
        out[is_topic ? (end.writer ? "publishes" : "subscribes") : (end.writer ? "calls" : "serves")].push_back(
            {{"name", topic.name}, {"type", is_topic ? end.type : service_type(end.type)}});
  }
  if (a.json) {
    os::print("{}\n", Json{{"nodes", Json::array({out})}}.dump());
    return kOk;
  }
  os::print("{}\n", name);
  for (const char* what : {"publishes", "subscribes", "serves", "calls"})
    for (const Json& one : out[what])
      os::print("{:<10}  {}  {}\n", what, one["name"].get<std::string>(), one["type"].get<std::string>());
  return kOk;
}

int ros2_param_list(const Arguments& a) {
  int code = kOk;
  const auto room = Ros2Room::enter(a, code);
  if (!room) return code;
  std::vector<std::string> nodes;
  if (!a.look.node.empty()) {
    nodes.push_back(Ros2Room::full(a.look.node));
  } else {
    room->look_around();
    constexpr std::string_view kService = "/list_parameters";
    for (const ros2::ReportedTopic& service : room->topics(TopicKind::kRequest))
      if (service.name.ends_with(kService) && is_served(service))
        nodes.push_back(service.name.substr(0, service.name.size() - kService.size()));
    if (nodes.empty() && !room->interrupted()) return complain("no node has parameters in " + room->text(), kFailed);
  }
  Json lines = Json::array();
  for (const std::string& node : nodes) {
    const auto found = parameters(*room, node, a.look.timeout, code);
    if (!found) return code;
    for (const nodes::Parameter& p : *found)
      lines.push_back({{"node", node}, {"name", p.name}, {"value", nodes::to_text(p.value)}});
  }
  if (a.json) os::print("{}\n", Json{{"parameters", lines}}.dump());
  else
    for (const Json& p : lines)
      os::print("{} {}: {}\n", p["node"].get<std::string>(), p["name"].get<std::string>(),
                p["value"].get<std::string>());
  return kOk;
}

namespace {

// The one that the arguments name, or nothing and `code`.
std::optional<nodes::Parameter> parameter(Ros2Room& room, const Arguments& a, int& code) {
  const std::string node = Ros2Room::full(a.look.node);
  const auto found = parameters(room, node, a.look.timeout, code);
  if (!found) return std::nullopt;
  std::vector<std::string> names;
  for (const nodes::Parameter& p : *found) {
    if (p.name == a.look.parameter) return p;
    names.push_back(p.name);
  }
  code = complain(fmt::format("'{}' has no parameter '{}'; it has: {}", node, a.look.parameter, fmt::join(names, ", ")),
                  kFailed);
  return std::nullopt;
}

}  // namespace

int ros2_param_get(const Arguments& a) {
  int code = kOk;
  const auto room = Ros2Room::enter(a, code);
  if (!room) return code;
  const auto found = parameter(*room, a, code);
  if (!found) return code;
  const std::string value = nodes::to_text(found->value);
  if (a.json)
    os::print("{}\n", Json{{"node", Ros2Room::full(a.look.node)}, {"name", found->name}, {"value", value}}.dump());
  else os::print("{}\n", value);
  return kOk;
}

int ros2_param_set(const Arguments& a) {
  int code = kOk;
  const auto room = Ros2Room::enter(a, code);
  if (!room) return code;
  const auto found = parameter(*room, a, code);
  if (!found) return code;
  if (nodes::type_of(found->value) == nodes::ParameterType::kNotSet)
    return complain("'" + found->name + "' has no value, so its type is not known", kFailed);
  auto value = value_of(nodes::type_of(found->value), a.look.value);
  if (!value) return complain(value.error().message(), kUsage);
  SetParameters::Request request;
  request.parameters.emplace_back();
  request.parameters[0].name = found->name, request.parameters[0].value = std::move(*value);
  const std::string node = Ros2Room::full(a.look.node);
  const auto done = call<SetParameters>(*room, node + "/set_parameters", request, a.look.timeout, code);
  if (!done) return code;
  if (done->results.size() != 1) return complain("the response of '" + node + "' is about no parameter", kFailed);
  if (!done->results[0].successful) return complain("'" + node + "' refuses it: " + done->results[0].reason, kFailed);
  return kOk;
}

}  // namespace convoy::apps
