#include "apps/prepare.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "apps/models.h"
#include "apps/scenario_files.h"
#include "apps/software.h"
#include "core/nearest.h"
#include "engines/engines.h"
#include "engines/identity.h"
#include "os/machine.h"
#include "wire/element_types.h"
#include "world/world_model.h"

namespace convoy::apps {

std::vector<std::string> folders_of(const char* variable) {
  std::vector<std::string> path;
  const char* given = std::getenv(variable);
  const std::string text = given ? given : "";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(':', at), text.size());
    if (end > at) path.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return path;
}

std::vector<std::string> beside_program(std::initializer_list<const char*> names) {
  std::vector<std::string> out;
  if (const auto exe = os::executable_path())
    for (const char* name : names)
      out.push_back((std::filesystem::path(*exe).parent_path() / name).lexically_normal().string());
  return out;
}

std::vector<std::string> map_path() {
  std::vector<std::string> path = folders_of("CONVOY_MAP_PATH");
  for (std::string& folder : beside_program({"maps", "../share/convoy/maps"})) path.push_back(std::move(folder));
  return path;
}

ModelFiles files_of(const Setup& setup) {
  ModelFiles files;
  for (const Bytes& bytes : setup.files) add(files, bytes);
  return files;
}

// Does every model fit into the ticks? What can be wrong with a file was found when it was read.
Status check_models(const Setup& setup) {
  const auto physics = engines::physics_factory();
  const ModelFiles files = files_of(setup);
  for (const Model& model : setup.models)
    if (auto ok = physics->check(model, files, setup.tick); !ok) return ok;
  for (const EntitySpec& entity : setup.entities) {
    if (!entity.controller) continue;
    const auto model =
        std::find_if(setup.models.begin(), setup.models.end(), [&](const Model& m) { return m.name == entity.model; });
    if (model == setup.models.end()) continue;
    if (model->engine.any() && entity.controller->kind != ControllerKind::kRaw)
      return fail(ErrorCode::kUnsupported, "the controller of '" + entity.name +
                                               "': its robot is moved by the engine '" + model->engine.type +
                                               "', which gets the values of actuators as they are");
    if (auto ok = physics->check(*entity.controller, *model, files, setup.tick); !ok)
      return fail(ok.error().code, "the controller of '" + entity.name + "': " + ok.error().text);
  }
  const bool any =
      std::any_of(setup.models.begin(), setup.models.end(), [](const Model& m) { return !m.files.empty(); });
  const bool in_map =
      std::none_of(setup.models.begin(), setup.models.end(), [](const Model& m) { return m.name == kWorldModel; });
  if (!any || !in_map || setup.map.cells.empty()) return {};
  const auto map = StaticMap::make(setup.map);
  return map ? physics->check_map(*map) : tl::unexpected(map.error());
}

// The types of elements, and which of them have a shape.
Status check_elements(const scenario::Scenario& s) {
  const auto types = ElementTypes::make(as_bytes(s.element_types));
  if (!types) return fail(types.error().code, "elements.descriptors: " + types.error().text);
  std::vector<std::string> names;
  for (const ElementType& type : types->types()) names.push_back(type.name);
  for (const ElementShape& shape : s.setup.element_shapes) {
    if (std::find(names.begin(), names.end(), shape.type) == names.end()) {
      const std::string near = nearest_name(shape.type, names);
      return fail(ErrorCode::kInvalid, "elements.shapes: unknown type '" + shape.type + "'" +
                                           (near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
    if (!types->has_reach(element_type_id(shape.type)))
      return fail(ErrorCode::kInvalid, "elements.shapes: elements of type '" + shape.type +
                                           "' have no place: no field 'pose' of convoy.proto.Pose, and no 'parent'");
  }
  return {};
}

// In lockstep streams carry one state a tick, and URLab's programs expect one a physics step.
void warn_of_steps(const Setup& setup, Log& log) {
  const auto physics = engines::physics_factory();
  const ModelFiles files = files_of(setup);
  for (const Model& model : setup.models)
    if (const Duration step = physics->step_of(model, files, setup.tick); step != setup.tick)
      log.line(
          LogLevel::kWarn,
          fmt::format("zmq: in lockstep states come and controls act once a tick of {:g} ms; the physics of '{}' steps "
                      "every {:g} ms",
                      seconds(setup.tick) * 1e3, model.name, seconds(step) * 1e3));
}

namespace {

// What may be written in a scenario, and cannot be run by these commands.
std::vector<Error> check_run(const scenario::RunOptions& run, const std::string& file) {
  std::vector<Error> out;
  const bool free = run.mode == scenario::TimeMode::kFree;
  if (run.leave == scenario::LeavePolicy::kRecover)
    out.push_back({ErrorCode::kUnsupported, "leave: recover is not in this build yet; use freeze or remove", file});
  if (free && !run.wait_for.names.empty())
    out.push_back(
        {ErrorCode::kInvalid, "wait_for holds ticks back, and in free mode nobody waits: use lockstep", file});
  const auto corrupts = [](const scenario::Fault& f) { return f.kind == scenario::FaultKind::kCorruptState; };
  if (free && std::any_of(run.faults.begin(), run.faults.end(), corrupts))
    out.push_back({ErrorCode::kInvalid, "a corrupt_state fault shows in a digest, and free mode has none", file});
  return out;
}

scenario::Refusal refusal(const Error& error, const std::string& file) {
  const Error in_file{error.code, error.text, file};
  return {in_file, {in_file}, 0};
}

std::vector<std::string> overrides_of(const ScenarioArguments& a) {
  std::vector<std::string> out = a.set;
  if (a.hosts) out.push_back("hosts=" + std::to_string(*a.hosts));
  if (a.seed) out.push_back("seed=" + std::to_string(*a.seed));
  if (a.mode) out.push_back("time.mode=" + *a.mode);
  if (a.duration) out.push_back("time.duration=" + *a.duration);
  if (a.speed) out.push_back("time.speed=" + *a.speed);
  if (a.leave) out.push_back("leave=" + *a.leave);
  return out;
}

}  // namespace

scenario::Loaded load_scenario(const ScenarioArguments& a) {
  if (const auto path = scenario_path(a.scenario); !path)
    return tl::unexpected(scenario::Refusal{path.error(), {path.error()}, 0});
  scenario::LoadOptions options;
  options.map_path = map_path();
  options.overrides = overrides_of(a);
  ModelImporter importer(a.trust);
  const auto request_of = [](const scenario::RobotFile& f) {
    return ModelRequest{f.file, f.folder, f.name, f.left_wheels, f.right_wheels, f.ground, f.inertia, f.options};
  };
  options.import_robot = [&](const scenario::RobotFile& f) { return importer.robot(request_of(f)); };
  options.import_world = [&](const scenario::RobotFile& f, const UprightShapes& shapes) {
    return importer.world(request_of(f), shapes);
  };
  options.import_group = [&](const LooseGroup& group) { return importer.objects(group); };
  options.check_run = [&](const scenario::RunOptions& run) { return check_run(run, a.scenario); };
  auto loaded = scenario::load(a.scenario, options);
  if (!loaded) return loaded;
  if (a.ros2 && !loaded->run.ros2) loaded->run.ros2.emplace();
  if (auto ok = check_elements(*loaded); !ok) return tl::unexpected(refusal(ok.error(), a.scenario));
  if (auto ok = check_models(loaded->setup); !ok) return tl::unexpected(refusal(ok.error(), a.scenario));
  return loaded;
}

Status check_one_process(const scenario::Scenario& s) {
  if (!s.run.wait_for.names.empty())
    return fail(ErrorCode::kUnsupported,
                "wait_for names other programs, and nobody can join a run in one process: use convoy launch");
  if (!s.run.isolated.empty())
    return fail(ErrorCode::kUnsupported,
                "'" + s.run.isolated.front().substr(s.run.isolated.front().find('.') + 1) +
                    "' is to run in a process of its own, and this is one process: use convoy launch");
  return check_nobody_joins(s.setup.entities);
}

void warn_of(const scenario::Scenario& s, Log& log) {
  for (const std::string& warning : s.warnings) log.line(LogLevel::kWarn, warning);
  if (s.run.zmq && s.run.mode != scenario::TimeMode::kFree) warn_of_steps(s.setup, log);
}

int complain(const scenario::Refusal& refusal) {
  complain(refusal.all);
  if (refusal.more > 0) complain(fmt::format("and {} more", refusal.more), kUsage);
  return kUsage;
}

void invite_programs(const scenario::Scenario& s, const std::string& address, Log& log) {
  for (const scenario::Program& program : s.run.programs)
    log.line(LogLevel::kInfo, "waiting for the program of " + program.name + ", started with CONVOY_JOIN=" + address +
                                  "/" + program.name);
}

Token new_token() {
  Token token{};
  if (getrandom(token.data(), token.size(), 0) != static_cast<ssize_t>(token.size())) std::abort();
  return token;
}

std::vector<std::string> sensor_host_names(int count) {
  std::vector<std::string> out;
  for (int i = 0; i < count; ++i) out.push_back("sensor" + std::to_string(i));
  return out;
}

ServerOptions server_options(const scenario::Scenario& s, double default_speed) {
  ServerOptions options;
  options.membership.build = engines::build_text();
  options.membership.fingerprint = engines::numeric_fingerprint();
  options.membership.liveness = s.run.liveness.value_or(Duration{0});
  options.evictions.tick_deadline = s.run.tick_deadline;
  options.membership.max_members = s.run.max_clients;
  options.membership.reception.max_links += s.run.max_clients / 4;  // a whole fleet may come at once
  options.membership.new_token = new_token;
  const auto ticks = [&](Duration d) { return (nanos(d) + nanos(s.setup.tick) - 1) / nanos(s.setup.tick); };
  options.conductor.end = ticks(s.run.duration);
  // Programs beyond the run live in real time.
  options.conductor.speed = s.run.speed.value_or(s.run.zmq || s.run.ros2 ? 1.0 : default_speed);
  options.conductor.leave = s.run.leave == scenario::LeavePolicy::kRemove ? LeavePolicy::kRemove : LeavePolicy::kFreeze;
  options.conductor.wait_for = s.run.wait_for.names;
  options.conductor.deadline = s.run.wait_for.deadline;
  options.membership.free_mode = s.run.mode == scenario::TimeMode::kFree;
  options.live.end = options.conductor.end;
  options.live.speed = s.run.speed.value_or(1.0);
  options.live.leave = options.conductor.leave;
  if (s.run.max_drift) {
    options.live.max_drift = s.run.max_drift->bound;
    options.live.drift =
        s.run.max_drift->policy == scenario::DriftPolicy::kSlow ? DriftPolicy::kSlow : DriftPolicy::kDegrade;
  }
  options.elements.types.assign(s.element_types.begin(), s.element_types.end());
  options.hosts = client_names(s.run);
  for (const scenario::Program& program : s.run.programs) options.membership.programs.push_back(program.name);
  options.hosts.insert(options.hosts.end(), options.membership.programs.begin(), options.membership.programs.end());
  for (const scenario::Fault& f : s.run.faults)
    options.faults.push_back({ticks(f.at.time_since_epoch()), f.host, static_cast<FaultKind>(f.kind), f.duration});
  return options;
}

}  // namespace convoy::apps
