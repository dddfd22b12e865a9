// convoy check: validate a scenario, say what it would run.
#include <fmt/format.h>

#include <algorithm>

#include "apps/arguments.h"
#include "apps/prepare.h"
#include "apps/software.h"
#include "core/hash.h"
#include "os/terminal.h"
#include "world/digest.h"

namespace convoy::apps {

int check(const Arguments& arguments) {
  os::StderrLog log(arguments.log_level);
  auto scenario = load_scenario(arguments.run, log);
  if (!scenario) return complain(scenario.error().message(), kUsage);
  if (auto world = World::make(scenario->setup); !world) return complain(world.error().message(), kUsage);
  if (auto ok = check_components(scenario->setup.entities); !ok) return complain(ok.error().message(), kUsage);
  const Setup& s = scenario->setup;
  const auto robots = std::count_if(s.entities.begin(), s.entities.end(), [](const EntitySpec& e) { return e.model != kProgramModel; });
  if (arguments.json) {
    fmt::print("{{\"scenario\": \"{}\", \"robots\": {}, \"models\": {}, \"hosts\": {}, \"ticks\": {}, \"setup\": \"{}\"}}\n",
               s.name, robots, s.models.size(), scenario->run.hosts.names.size(),
               nanos(scenario->run.duration) / nanos(s.tick), hex16(digest_seed(s)));
  } else {
    fmt::print("{}: {} robots of {} models, {} hosts, {:g} s in ticks of {:g} ms, map {} x {} cells\n", arguments.run.scenario,
               robots, s.models.size(), scenario->run.hosts.names.size(), seconds(scenario->run.duration),
               seconds(s.tick) * 1e3, s.map.width, s.map.height);
  }
  return kOk;
}

}  // namespace convoy::apps
