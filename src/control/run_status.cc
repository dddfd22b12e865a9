#include "control/run_status.h"

#include <nlohmann/json.hpp>

namespace convoy::control {

namespace {

using Json = nlohmann::json;

std::string text_of(const Json& object, const char* name) {
  const auto it = object.find(name);
  return it != object.end() && it->is_string() ? it->get<std::string>() : "";
}

}  // namespace

RunStatus read_status(const std::string& text) {
  RunStatus out;
  const Json status = Json::parse(text, nullptr, false);
  if (!status.is_object()) return out;
  if (const auto it = status.find("paused"); it != status.end() && it->is_boolean()) out.paused = it->get<bool>();
  if (const auto it = status.find("speed"); it != status.end() && it->is_number()) out.speed = it->get<double>();
  const auto hosts = status.find("hosts");
  if (hosts == status.end() || !hosts->is_array()) return out;
  for (const Json& host : *hosts)
    if (host.is_object()) out.hosts.push_back({text_of(host, "name"), text_of(host, "doors")});
  return out;
}

}  // namespace convoy::control
