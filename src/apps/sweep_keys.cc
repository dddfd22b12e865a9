#include "apps/sweep_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/software.h"
#include "apps/library_folders.h"
#include "apps/prepare.h"
#include "apps/software.h"
#include "apps/users_code.h"
#include "core/hash.h"
#include "engines/identity.h"
#include "os/file.h"
#include "plugins/sensor_libraries.h"
#include "world/digest.h"

namespace convoy::apps {

namespace {

scenario::Refusal refuse(const Error& error) { return {error, {error}, 0}; }

class Keys {
 public:
  Keys(const sweep::Plan& plan, const std::string& scenario, const Arguments& arguments)
      : plan_(plan), arguments_(arguments) {
    arguments_.run.scenario = scenario;
  }

  tl::expected<std::vector<std::uint64_t>, scenario::Refusal> all() {
    if (auto ok = common(); !ok) return tl::unexpected(ok.error());
    std::vector<std::vector<std::uint64_t>> of_values;
    for (std::size_t i = 0; i < plan_.axes.size(); ++i) {
      const sweep::Axis& axis = plan_.axes[i];
      std::vector<std::uint64_t>& here = of_values.emplace_back(axis.values.size());
      for (std::size_t v = axis.is_number() ? axis.values.size() - 1 : 0; v < axis.values.size(); ++v) {
        const auto setup = load_value(i, v);
        if (!setup) return tl::unexpected(setup.error());
        here[v] = axis.is_number() ? 0 : *setup;
      }
    }
    std::vector<std::uint64_t> out;
    out.reserve(plan_.runs());
    for (std::uint64_t n = 0; n < plan_.runs(); ++n) {
      const sweep::PlannedRun run = plan_.run(n);
      std::uint64_t key = common_;
      for (std::size_t i = 0; i < run.at.size(); ++i) key = chain(key, of_values[i][run.at[i]]);
      for (const std::string& setting : plan_.settings_of(run)) key = hash64(as_bytes(setting), key);
      out.push_back(chain(key, run.repeat));
    }
    return out;
  }

 private:
  // The setup's hash, and that of users' code.
  tl::expected<std::uint64_t, scenario::Refusal> load(std::vector<std::string> settings) {
    Arguments with = arguments_;
    with.run.set = std::move(settings);
    const auto scenario = load_scenario(with.run);
    if (!scenario) return tl::unexpected(scenario.error());
    if (auto ok = check_one_process(*scenario); !ok) return tl::unexpected(refuse(ok.error()));
    const LibraryFolders folders = library_folders(with);
    if (auto absent = check_users_code(scenario->setup, scenario->setup.entities, folders); !absent.empty())
      return tl::unexpected(scenario::Refusal{absent.front(), absent, 0});
    SensorLibraries sensors(folders);
    const auto software = software_factory(LogLevel::kWarn, folders);
    std::uint64_t out = digest_seed(scenario->setup);
    for (const CodeFile& file :
         users_code_of(scenario->setup, scenario->setup.entities, software.get(), sensors, *make_physics(folders)))
      out = chain(hash64(as_bytes(file.name), out), file.hash);
    return out;
  }

  // By itself; a value that needs those of other axes, with the first of these.
  tl::expected<std::uint64_t, scenario::Refusal> load_value(std::size_t axis, std::size_t value) {
    std::vector<std::string> settings = plan_.settings;
    for (std::size_t f = 0; f < plan_.axes[axis].fields.size(); ++f)
      settings.push_back(plan_.axes[axis].fields[f] + "=" + plan_.axes[axis].values[value][f]);
    if (auto alone = load(settings); alone) return alone;
    sweep::PlannedRun run = plan_.run(0);
    run.at[axis] = value;
    return load(plan_.settings_of(run));
  }

  // What all runs have in common.
  tl::expected<void, scenario::Refusal> common() {
    const auto file = os::read_file(arguments_.run.scenario);
    if (!file) return tl::unexpected(refuse(file.error()));
    auto setup = load(plan_.settings);
    if (const auto first = load(plan_.settings_of(plan_.run(0))); !first) return tl::unexpected(first.error());
    else if (!setup) setup = first;  // the scenario needs the values of the axes
    common_ = chain(hash64(as_bytes(engines::build_text()), hash64(*file)), *setup);
    std::vector<std::string> metrics;
    for (const sweep::Metric& m : plan_.metrics) metrics.push_back(m.name + "\n" + m.path + "\n" + m.script);
    std::sort(metrics.begin(), metrics.end());
    for (const std::string& metric : metrics) common_ = hash64(as_bytes(metric), common_);
    for (const sweep::Metric& metric : plan_.metrics) {
      if (metric.script.empty()) continue;
      const auto script = os::read_file(metric.script);
      if (!script) return tl::unexpected(refuse(script.error()));
      common_ = hash64(*script, common_);
    }
    common_ =
        chain(common_, (plan_.keep.report ? 1u : 0u) + (plan_.keep.recording ? 2u : 0u) + (plan_.keep.log ? 4u : 0u));
    return {};
  }

  const sweep::Plan& plan_;
  Arguments arguments_;
  std::uint64_t common_ = 0;
};

}  // namespace

tl::expected<std::vector<std::uint64_t>, scenario::Refusal> sweep_keys(const sweep::Plan& plan,
                                                                       const std::string& scenario,
                                                                       const Arguments& arguments) {
  return Keys(plan, scenario, arguments).all();
}

}  // namespace convoy::apps
