#include "adapters/web/foxglove_calls.h"

#include <cmath>

#include "adapters/web/json_text.h"
#include "roles/call_text.h"
#include "world/state.h"

namespace convoy::web {

namespace {

using Json = nlohmann::json;

struct Field {
  const char* name;
  const char* type;  // of JSON
  const char* help;
};
struct Service {
  const char* name;
  std::vector<Field> fields;
  Json (*call)(const Json& request);  // in the names of control.proto
};

// What is there of these members, under the same names.
Json some(const Json& request, std::initializer_list<const char*> names) {
  Json out = Json::object();
  for (const char* name : names)
    if (request.contains(name)) out[name] = request[name];
  return out;
}

// 0 if it is not there, NaN if it is no number.
double number(const Json& json, const char* name) {
  const auto at = json.find(name);
  return at == json.end() ? 0 : at->is_number() ? at->get<double>() : NAN;
}

Json spawn(const Json& request) {
  Json one = some(request, {"name", "model", "tags"});
  const Quat q = from_yaw(number(request, "yaw"));
  one["pose"] = {{"p", {{"x", number(request, "x")}, {"y", number(request, "y")}, {"z", number(request, "z")}}},
                 {"q", {{"w", q.w}, {"x", q.x}, {"y", q.y}, {"z", q.z}}}};
  return {{"spawn", {{"entities", Json::array({std::move(one)})}}}};
}

const std::vector<Service>& services() {
  static const std::vector<Service> all{
      {"/convoy/pause",
       {},
       [](const Json&) -> Json {
         return {{"pause", Json::object()}};
       }},
      {"/convoy/resume",
       {},
       [](const Json&) -> Json {
         return {{"resume", Json::object()}};
       }},
      {"/convoy/step",
       {{"ticks", "integer", "how many; 1 if it is left out"}},
       [](const Json& r) -> Json {
         return {{"step", {{"ticks", r.value("ticks", Json(1))}}}};
       }},
      {"/convoy/reset",
       {{"names", "array", "robots; none: everything"}},
       [](const Json& r) -> Json {
         return {{"reset", some(r, {"names"})}};
       }},
      {"/convoy/speed",
       {{"factor", "number", "times real time; 0: as fast as possible"}},
       [](const Json& r) -> Json {
         return {{"speed", some(r, {"factor"})}};
       }},
      {"/convoy/spawn",
       {{"name", "string", "a new one; empty: the server chooses"},
        {"model", "string", "as convoy ctl spawnables lists them"},
        {"x", "number", "m"},
        {"y", "number", "m"},
        {"z", "number", "m"},
        {"yaw", "number", "rad"},
        {"tags", "array", "words"}},
       spawn},
      {"/convoy/delete",
       {{"names", "array", "entities"}},
       [](const Json& r) -> Json {
         return {{"delete_", some(r, {"names"})}};
       }},
  };
  return all;
}

// A JSON schema of an object with these members.
std::string schema_of_fields(const std::vector<Field>& fields) {
  Json members = Json::object();
  for (const Field& one : fields) {
    members[one.name] = {{"type", one.type}, {"description", one.help}};
    if (std::string_view(one.type) == "array") members[one.name]["items"] = {{"type", "string"}};
  }
  return dump({{"type", "object"}, {"properties", std::move(members)}});
}

Json form(const std::string& name, const std::vector<Field>& fields) {
  return {{"encoding", "json"},
          {"schemaName", name},
          {"schemaEncoding", "jsonschema"},
          {"schema", schema_of_fields(fields)}};
}

Result<proto::Request> made(const Json& call) {
  auto request = call_of_json(dump(call));
  if (!request) return fail(ErrorCode::kInvalid, request.error().text);
  return request;
}

}  // namespace

Json foxglove_services() {
  Json out = Json::array();
  const std::vector<Field> answer{{"success", "boolean", ""}, {"message", "string", ""}, {"tick", "integer", ""}};
  for (const Service& one : services()) {
    const std::string type = "convoy." + std::string(one.name).substr(std::string_view("/convoy/").size());
    Json request = form(type + ".Request", one.fields), response = form(type + ".Response", answer);
    const std::string asked = request["schema"], answered = response["schema"];
    out.push_back({{"id", out.size() + 1},
                   {"name", one.name},
                   {"type", type},
                   {"request", std::move(request)},
                   {"response", std::move(response)},
                   {"requestSchema", asked},  // what older clients read
                   {"responseSchema", answered}});
  }
  return out;
}

std::vector<std::string> foxglove_service_names() {
  std::vector<std::string> out;
  for (const Service& one : services()) out.emplace_back(one.name);
  return out;
}

Result<proto::Request> call_of_service(std::uint32_t service, const Json& request) {
  if (service == 0 || service > services().size()) return fail(ErrorCode::kNotFound, "no such service");
  if (!request.is_object()) return fail(ErrorCode::kInvalid, "a request is a JSON object");
  return made(services()[service - 1].call(request));
}

Json response_of(const proto::Reply& reply) {
  const std::string why = failure_of(reply);
  return {{"success", why.empty()}, {"message", why}, {"tick", reply.tick()}};
}

std::string failure_of(const proto::Reply& reply) {
  if (reply.error() != 0) return reply.text().empty() ? "it was refused" : reply.text();
  for (const proto::Outcome& one : reply.outcomes())
    if (one.error() != 0) return one.text();
  return {};
}

std::optional<std::string> driven_by(std::string_view topic) {
  constexpr std::string_view kEnd = "/cmd_vel";
  if (topic.size() <= 1 + kEnd.size() || topic.front() != '/' || !topic.ends_with(kEnd)) return std::nullopt;
  return std::string(topic.substr(1, topic.size() - 1 - kEnd.size()));
}

Result<proto::Request> call_of_twist(const std::string& robot, const Json& message) {
  const auto bad = [] {
    return fail(ErrorCode::kInvalid, "cmd_vel is a geometry_msgs/Twist as JSON, {\"linear\": {\"x\": 0.2}, ...}");
  };
  if (!message.is_object()) return bad();
  const Json& twist = message.contains("twist") ? message["twist"] : message;
  const auto along = twist.find("linear"), about = twist.find("angular");
  if (!twist.is_object() || along == twist.end() || about == twist.end() || !along->is_object() || !about->is_object())
    return bad();
  proto::Request out;
  proto::Drive& drive = *out.mutable_drive();
  drive.set_name(robot), drive.set_timeout(kFoxgloveDrive);
  drive.set_forward(number(*along, "x")), drive.set_turn(number(*about, "z"));
  if (!std::isfinite(drive.forward()) || !std::isfinite(drive.turn())) return bad();
  return out;
}

Result<proto::Request> call_of_parameter(const std::string& name, const Json& value) {
  if (name == kPausedParameter) {
    if (!value.is_boolean()) return fail(ErrorCode::kInvalid, name + " is true or false");
    return made({{value.get<bool>() ? "pause" : "resume", Json::object()}});
  }
  if (name == kSpeedParameter) {
    if (!value.is_number()) return fail(ErrorCode::kInvalid, name + " is a number, times real time");
    return made({{"speed", {{"factor", value}}}});
  }
  const std::size_t slash = name.rfind('/'), dot = name.find('.', slash == std::string::npos ? 0 : slash);
  if (slash == std::string::npos || dot == std::string::npos || dot + 1 == name.size())
    return fail(ErrorCode::kNotFound, "'" + name.substr(0, 100) + "' is no parameter");
  if (value.is_null()) return fail(ErrorCode::kInvalid, "parameters are not taken away");
  proto::Request out;
  proto::SetParameter& set = *out.mutable_set_parameter();
  set.set_node(name.substr(0, dot)), set.set_name(name.substr(dot + 1)), set.set_value(dump(value));
  return out;
}

}  // namespace convoy::web
