#include "adapters/web/foxglove_parameters.h"

#include "adapters/web/foxglove_calls.h"

namespace convoy::web {

bool FoxgloveParameters::is_ours(const std::string& name) {
  return name == kSpeedParameter || name == kPausedParameter;
}

FoxgloveParameters::Names FoxgloveParameters::set_run(bool paused, double speed) {
  Names other;
  const std::pair<const char*, nlohmann::json> now[] = {{kPausedParameter, paused}, {kSpeedParameter, speed}};
  for (const auto& [name, value] : now)
    if (nlohmann::json& was = values_[name]; was != value) was = value, other.insert(name);
  return other;
}

FoxgloveParameters::Names FoxgloveParameters::set_nodes(const nlohmann::json& reply) {
  if (!reply.is_object() || !reply.contains("parameters") || !reply["parameters"].is_array()) return {};
  std::map<std::string, nlohmann::json> now;
  for (const nlohmann::json& one : reply["parameters"]) {
    if (!one.is_object()) continue;
    // The value is YAML; of numbers, booleans and lists of them that is JSON as well, and all else is text.
    const std::string text = one.value("value", "");
    nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
    if (value.is_discarded()) value = text;
    now[one.value("node", "") + "." + one.value("name", "")] = std::move(value);
  }
  Names other;
  for (const auto& [name, value] : now)
    if (const auto was = values_.find(name); was == values_.end() || was->second != value) other.insert(name);
  std::erase_if(values_, [](const auto& one) { return !is_ours(one.first); });
  values_.merge(now);
  return other;
}

nlohmann::json FoxgloveParameters::json_of(const std::vector<std::string>& names) const {
  nlohmann::json out = nlohmann::json::array();
  const auto put = [&](const std::string& name, const nlohmann::json& value) {
    out.push_back({{"name", name}, {"value", value}});
    if (value.is_number()) out.back()["type"] = "float64";
  };
  if (names.empty())
    for (const auto& [name, value] : values_) put(name, value);
  for (const std::string& name : names)
    if (const auto at = values_.find(name); at != values_.end()) put(name, at->second);
  return out;
}

}  // namespace convoy::web
