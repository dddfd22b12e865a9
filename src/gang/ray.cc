#include "gang/ray.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace convoy::gang {

namespace {

using Json = nlohmann::json;

Error wrong(const std::string& text) { return {ErrorCode::kInvalid, "engine: ray: " + text, {}}; }

// What the user says over what stands there unasked.
Result<Json> job_of(const char* kind, int cores, std::string_view settings) {
  Json out{{"kind", kind}, {"address", "auto"}, {"resources", {{"CPU", cores}}}, {"strategy", "SPREAD"}};
  const Json given = settings.empty() ? Json::object() : Json::parse(settings, nullptr, false);
  if (!given.is_object()) return tl::unexpected(wrong("must be a map"));
  for (const auto& [name, value] : given.items()) {
    if (name != "address" && name != "resources" && name != "strategy")
      return tl::unexpected(wrong("unknown field '" + name + "'; there are address, resources and strategy"));
    if (name == "resources") {
      const bool amounts = value.is_object() && std::all_of(value.begin(), value.end(), [](const Json& amount) {
                             return amount.is_number() && amount.get<double>() > 0;
                           });
      if (!amounts) return tl::unexpected(wrong("resources: must be a map of amounts above 0, as {CPU: 2}"));
    } else if (!value.is_string()) {
      return tl::unexpected(wrong(name + ": must be a word"));
    }
    out[name] = value;
  }
  const std::string strategy = out["strategy"];
  for (const char* known : {"SPREAD", "PACK", "STRICT_SPREAD", "STRICT_PACK"})
    if (strategy == known) return out;
  return tl::unexpected(
      wrong("strategy: must be SPREAD, PACK, STRICT_SPREAD or STRICT_PACK, found '" + strategy + "'"));
}

}  // namespace

Result<std::string> ray_job(const Gang& gang, std::string_view settings) {
  return job_of("gang", gang.threads, settings).map([](const Json& job) { return job.dump(2) + "\n"; });
}

Result<std::string> ray_job(const Tasks& tasks, std::string_view settings) {
  auto job = job_of("tasks", tasks.cores, settings);
  if (!job) return tl::unexpected(job.error());
  (*job)["argv"] = tasks.argv, (*job)["count"] = tasks.count, (*job)["at_once"] = tasks.at_once;
  return job->dump(2) + "\n";
}

Result<JobState> parse_ray_state(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  for (const char* field : {"phase", "state", "reason"})
    if (!json.is_object() || !json.contains(field) || !json[field].is_string())
      return fail(ErrorCode::kInvalid, "is no state of a job");
  const std::string phase = json["phase"];
  return JobState{phase == "waiting"   ? JobPhase::kWaiting
                  : phase == "running" ? JobPhase::kRunning
                                       : JobPhase::kEnded,
                  json["state"], json["reason"]};
}

}  // namespace convoy::gang
