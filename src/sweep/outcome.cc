#include "sweep/outcome.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "core/hash.h"

namespace convoy::sweep {

using nlohmann::ordered_json;

std::string Outcome::line() const {
  ordered_json j;
  j["key"] = hex16(key), j["done"] = done;
  j["digest"] = digest ? ordered_json(*digest) : ordered_json();
  j["exit_code"] = exit_code ? ordered_json(*exit_code) : ordered_json();
  j["error"] = error, j["log"] = log;
  j["values"] = ordered_json::object();
  for (const auto& [name, value] : values) j["values"][name] = ordered_json::parse(value, nullptr, false);
  j["node"] = node, j["attempts"] = attempts, j["process_s"] = process_s, j["wall_s"] = wall_s, j["cpu_s"] = cpu_s;
  return j.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

Result<Outcome> parse_outcome(std::string_view line) {
  const auto none = fail(ErrorCode::kInvalid, "no line of a sweep's journal");
  const auto j = nlohmann::json::parse(line, nullptr, false);
  if (!j.is_object()) return none;
  Outcome out;
  try {
    const std::string key = j.at("key");
    const auto [end, status] = std::from_chars(key.data(), key.data() + key.size(), out.key, 16);
    if (status != std::errc{} || end != key.data() + 16) return none;
    out.done = j.at("done");
    if (!j.at("digest").is_null()) out.digest = j.at("digest").get<std::string>();
    if (!j.at("exit_code").is_null()) out.exit_code = j.at("exit_code").get<int>();
    out.error = j.at("error"), out.log = j.at("log").get<std::vector<std::string>>();
    for (const auto& [name, value] : j.at("values").items()) out.values[name] = value.dump();
    out.node = j.at("node"), out.attempts = j.at("attempts");
    out.process_s = j.at("process_s"), out.wall_s = j.at("wall_s"), out.cpu_s = j.at("cpu_s");
  } catch (const nlohmann::json::exception&) { return none; }
  return out;
}

}  // namespace convoy::sweep
