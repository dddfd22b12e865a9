// convoy check: validate a scenario, report what it would run.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/arguments.h"
#include "apps/library_folders.h"
#include "apps/model_scenario.h"
#include "apps/models.h"
#include "apps/placements.h"
#include "apps/prepare.h"
#include "apps/software.h"
#include "apps/users_code.h"
#include "core/hash.h"
#include "os/output_file.h"
#include "os/standard_streams.h"
#include "os/terminal.h"
#include "world/digest.h"

namespace convoy::apps {

namespace {

// The document and what it names, beside it under the names that it has there.
Status write_document(const ImportedModel& robot, const std::string& path) {
  if (auto ok = os::write_file(path, ByteView(robot.files[0])); !ok) return ok;
  const auto folder = std::filesystem::path(path).parent_path();
  for (std::size_t i = 1; i < robot.files.size(); ++i) {
    const std::string& name = robot.model.files[i].name;
    if (name.starts_with(kOwnFiles)) continue;
    if (auto ok = os::write_file((folder / name).string(), ByteView(robot.files[i])); !ok) return ok;
  }
  return {};
}

// What an import makes of a robot's file, and what it loses.
int check_model(const Arguments& arguments) {
  const auto robot = ModelImporter(arguments.run.trust).robot({arguments.ctl.model, ".", {}, {}, {}});
  if (!robot) return complain(robot.error().message(), kUsage);
  if (!arguments.check.write.empty())
    if (auto ok = write_document(*robot, arguments.check.write); !ok) return complain(ok.error().message(), kUsage);
  const Model& m = robot->model;
  if (arguments.check.write_scenario) {
    os::print("{}", scenario_of(*robot, arguments.ctl.model));
    return kOk;
  }
  if (arguments.json) {
    nlohmann::ordered_json j;
    j["model"] = m.name, j["mass_kg"] = m.mass, j["joints"] = m.joints, j["actuators"] = m.actuators;
    j["drive"] = m.drive == Drive::kDifferential ? "differential" : "none";
    j["left_wheels"] = m.left_wheels, j["right_wheels"] = m.right_wheels;
    j["files"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < m.files.size(); ++i)
      j["files"].push_back(
          {{"name", m.files[i].name}, {"hash", hex16(m.files[i].hash)}, {"bytes", robot->files[i].size()}});
    j["processor_s"] = robot->report.processor, j["memory_bytes"] = robot->report.memory;
    j["report"] = robot->report.made, j["lost"] = robot->report.lost;
    os::print("{}\n", j.dump(1));
    return kOk;
  }
  std::size_t bytes = 0;
  for (const Bytes& file : robot->files) bytes += file.size();
  os::print("{}: model {}, {} files of {} bytes in all\n", arguments.ctl.model, m.name, m.files.size(), bytes);
  os::print("  read in {:.2f} s of a processor, with at most {:.0f} MB of memory\n", robot->report.processor,
            static_cast<double>(robot->report.memory) / 1e6);
  for (const std::string& line : robot->report.made) os::print("  {}\n", line);
  for (const std::string& line : robot->report.lost) os::print("  lost: {}\n", line);
  return kOk;
}

}  // namespace

int check(const Arguments& arguments) {
  if (!arguments.ctl.model.empty()) return check_model(arguments);
  if (arguments.check.placements && !arguments.run.scenario.empty()) return check_placements(arguments);
  if (arguments.run.scenario.empty()) return complain("check needs a SCENARIO, or --model FILE", kUsage);
  os::StderrLog log(arguments.log_level);
  auto scenario = load_scenario(arguments.run);
  if (!scenario) return complain(scenario.error());
  warn_of(*scenario, log);
  if (auto world = World::make(scenario->setup); !world) return complain(world.error().message(), kUsage);
  LibraryFolders folders = library_folders(arguments);
  if (!arguments.run.trust) folders.scenarios.clear();
  std::vector<std::string> left_out;
  auto* leave_out = arguments.run.trust ? nullptr : &left_out;
  if (const auto absent = check_users_code(scenario->setup, scenario->setup.entities, folders, leave_out);
      !absent.empty())
    return complain(absent);
  if (auto ok = check_welcome(*scenario, folders, leave_out); !ok) return complain(ok.error().message(), kUsage);
  for (const std::string& path : left_out)
    log.line(LogLevel::kWarn, path + " was left out of the check; --trust loads what a run loads");
  const Setup& s = scenario->setup;
  const auto has_body = [&](const EntitySpec& e) {
    return std::any_of(s.models.begin(), s.models.end(),
                       [&](const Model& m) { return m.name == e.model && convoy::has_body(m); });
  };
  const auto robots = std::count_if(s.entities.begin(), s.entities.end(), has_body);
  if (arguments.json) {
    os::print(
        "{{\"scenario\": \"{}\", \"robots\": {}, \"models\": {}, \"hosts\": {}, \"ticks\": {}, \"setup\": \"{}\"}}\n",
        s.name, robots, s.models.size(), scenario->run.hosts.names.size(),
        nanos(scenario->run.duration) / nanos(s.tick), hex16(digest_seed(s)));
  } else {
    os::print("{}: {} robots of {} models, {} hosts, {:g} s in ticks of {:g} ms, map {} x {} cells\n",
              arguments.run.scenario, robots, s.models.size(), scenario->run.hosts.names.size(),
              seconds(scenario->run.duration), seconds(s.tick) * 1e3, s.map.width, s.map.height);
  }
  return kOk;
}

}  // namespace convoy::apps
