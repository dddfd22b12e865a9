#include "apps/prepare.h"

#include <sys/random.h>

#include <cstdlib>
#include <filesystem>

#include "os/identity.h"
#include "os/machine.h"
#include "wire/element_types.h"

namespace convoy::apps {

std::vector<std::string> map_path() {
  std::vector<std::string> path;
  if (const char* given = std::getenv("CONVOY_MAP_PATH")) {
    std::string text = given;
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find(':', at), text.size());
      if (end > at) path.push_back(text.substr(at, end - at));
      at = end + 1;
    }
  }
  if (const auto exe = os::executable_path()) {
    const std::filesystem::path dir = std::filesystem::path(*exe).parent_path();
    path.push_back((dir / "maps").string());
    path.push_back((dir / ".." / "share" / "convoy" / "maps").string());
  }
  return path;
}

Result<scenario::Scenario> load_scenario(const ScenarioArguments& a, Log& log) {
  scenario::LoadOptions options;
  options.map_path = map_path();
  options.overrides = a.set;
  if (a.hosts) options.overrides.push_back("hosts=" + std::to_string(*a.hosts));
  if (a.seed) options.overrides.push_back("seed=" + std::to_string(*a.seed));
  if (a.mode) options.overrides.push_back("time.mode=" + *a.mode);
  if (a.duration) options.overrides.push_back("time.duration=" + *a.duration);
  if (a.speed) options.overrides.push_back("time.speed=" + *a.speed);
  if (a.leave) options.overrides.push_back("leave=" + *a.leave);
  auto loaded = scenario::load(a.scenario, options);
  if (loaded && loaded->run.leave == scenario::LeavePolicy::kRecover)
    return fail(ErrorCode::kUnsupported, "leave: recover is not in this build yet; use freeze or remove", a.scenario);
  if (loaded && !loaded->run.wait_for.names.empty() && loaded->run.mode == scenario::TimeMode::kFree)
    return fail(ErrorCode::kInvalid, "wait_for holds ticks back, and in free mode nobody waits: use lockstep",
                a.scenario);
  if (loaded && !loaded->element_types.empty())
    if (auto types = ElementTypes::make(as_bytes(loaded->element_types)); !types)
      return fail(types.error().code, "elements.descriptors: " + types.error().text, a.scenario);
  if (loaded && loaded->run.mode == scenario::TimeMode::kFree)
    for (const scenario::Fault& fault : loaded->run.faults)
      if (fault.kind == scenario::FaultKind::kCorruptState)
        return fail(ErrorCode::kInvalid, "a corrupt_state fault shows in a digest, and free mode has none", a.scenario);
  if (loaded)
    for (const std::string& warning : loaded->warnings) log.line(LogLevel::kWarn, warning);
  return loaded;
}

void invite_programs(const scenario::Scenario& s, const std::string& address, Log& log) {
  for (const std::string& name : s.run.programs)
    log.line(LogLevel::kInfo, "waiting for the program of " + name + ", started with CONVOY_JOIN=" + address + "/" + name);
}

Token new_token() {
  Token token{};
  if (getrandom(token.data(), token.size(), 0) != static_cast<ssize_t>(token.size())) std::abort();
  return token;
}

ServerOptions server_options(const scenario::Scenario& s, double default_speed) {
  ServerOptions options;
  options.membership.build = os::build_text();
  options.membership.fingerprint = os::numeric_fingerprint();
  options.membership.liveness = s.run.liveness.value_or(Duration{0});
  options.membership.max_members = s.run.max_clients;
  options.membership.new_token = new_token;
  const auto ticks = [&](Duration d) { return (nanos(d) + nanos(s.setup.tick) - 1) / nanos(s.setup.tick); };
  options.conductor.end = ticks(s.run.duration);
  options.conductor.speed = s.run.speed.value_or(default_speed);
  options.conductor.leave = s.run.leave == scenario::LeavePolicy::kRemove ? LeavePolicy::kRemove : LeavePolicy::kFreeze;
  options.conductor.wait_for = s.run.wait_for.names;
  options.conductor.deadline = s.run.wait_for.deadline;
  options.membership.free_mode = s.run.mode == scenario::TimeMode::kFree;
  options.live.end = options.conductor.end;
  options.live.speed = s.run.speed.value_or(1.0);
  options.live.leave = options.conductor.leave;
  if (s.run.max_drift) {
    options.live.max_drift = s.run.max_drift->bound;
    options.live.drift = s.run.max_drift->policy == scenario::DriftPolicy::kSlow ? DriftPolicy::kSlow : DriftPolicy::kDegrade;
  }
  options.elements.types.assign(s.element_types.begin(), s.element_types.end());
  options.hosts = s.run.hosts.names;
  options.membership.programs = s.run.programs;
  options.hosts.insert(options.hosts.end(), s.run.programs.begin(), s.run.programs.end());
  for (const scenario::Fault& f : s.run.faults)
    options.faults.push_back(
        {ticks(f.at.time_since_epoch()), f.host, static_cast<FaultKind>(f.kind), f.duration});
  return options;
}

}  // namespace convoy::apps
