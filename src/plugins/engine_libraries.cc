#include "plugins/engine_libraries.h"

#include <cmath>
#include <set>

#include "os/loaded_files.h"
#include "plugins/code_files.h"
#include "plugins/guarded.h"
#include "plugins/typed_library.h"
#include "plugins/users_engine.h"

namespace convoy {
namespace {

constexpr LibraryKind kRobots{"convoy_robot",  CONVOY_ROBOT_ABI, "convoy_robot_types",
                              "CONVOY_ROBOTS", "convoy/robot.h", "robots' engines"};
constexpr double kFarthestSight = 1000;  // m

Result<std::vector<std::unique_ptr<const EngineType>>> types_of(const robot::Types& exported) {
  if (!exported.types || exported.count > kMostTypes) return fail(ErrorCode::kInvalid, "its list of types is none");
  std::vector<std::unique_ptr<const EngineType>> out;
  for (const robot::Type& one : std::span(exported.types, exported.count)) {
    auto type = std::make_unique<EngineType>();
    type->exported = one, type->name = one.name ? one.name : "";
    const auto wrong = [&](const std::string& why) {
      return fail(ErrorCode::kInvalid, "its type '" + type->name + "' " + why);
    };
    if (type->name.empty() || type->name.size() > 64) return wrong("has a name that is none");
    if (!one.maker.facts || !one.maker.make || !one.maker.drop) return wrong("lacks a function");
    if (const std::string thrown = guarded([&] { type->facts = one.maker.facts(); }); !thrown.empty())
      return wrong("has no facts: " + thrown);
    if (!(type->facts.sight >= 0 && type->facts.sight <= kFarthestSight))
      return wrong("has a sight that is not from 0 to 1000 m");
    out.push_back(std::move(type));
  }
  return out;
}

}  // namespace

Status EngineLibraries::add(const robot::Types& types) {
  auto made = types_of(types);
  if (!made) return tl::unexpected(made.error());
  for (auto& type : *made) own_types_.push_back(std::move(type));
  return {};
}

Result<const EngineLibraries::Loaded*> EngineLibraries::load(const std::string& library) const {
  const auto file = rule_.admit(library, CodeSource::kScenario);
  if (!file) return tl::unexpected(file.error());
  if (const auto known = loaded_.find(*file); known != loaded_.end()) return &known->second;
  const auto opened = open_library(*file, kRobots);
  if (!opened) return tl::unexpected(opened.error());
  auto types = types_of(reinterpret_cast<robot::Types (*)()>(opened->types)());
  if (!types) return fail(types.error().code, types.error().text, *file);
  return &loaded_.emplace(*file, Loaded{opened->handle, std::move(*types)}).first->second;
}

Result<const EngineType*> EngineLibraries::find(const ModelEngine& engine) const {
  const Types* all = &own_types_;
  if (!engine.library.empty()) {
    const auto loaded = load(engine.library);
    if (!loaded) return tl::unexpected(loaded.error());
    all = &(*loaded)->types;
  }
  std::vector<std::string> names;
  for (const auto& one : *all) {
    if (one->name == engine.type) return one.get();
    names.push_back(one->name);
  }
  if (engine.library.empty() && names.empty())
    return fail(ErrorCode::kNotFound, "no engine '" + engine.type +
                                          "': the model names no library, and this program has no engines of its own");
  return tl::unexpected(
      no_such_type(kRobots, engine.library.empty() ? "this program" : engine.library, engine.type, names));
}

std::unique_ptr<Physics> EngineLibraries::make(const Model& model, const World& world, Duration tick) const {
  if (!model.engine.any()) return own_->make(model, world, tick);
  const auto type = find(model.engine);
  if (!type) return std::make_unique<UsersEngine>(model, *this, type.error());
  return std::make_unique<UsersEngine>(model, *this, **type);
}

Preparation EngineLibraries::prepare(const Model& model, const World& world) const {
  return model.engine.any() ? Preparation{} : own_->prepare(model, world);
}

Status EngineLibraries::check(const Model& model, const ModelFiles& files, Duration tick) const {
  if (auto ok = own_->check(model, files, tick); !ok || !model.engine.any()) return ok;
  const auto refuse = [&](const Error& error) {
    return fail(error.code, "the engine of model '" + model.name + "': " + error.message());
  };
  const auto type = find(model.engine);
  if (!type) return refuse(type.error());
  const UsersEngine tried(model, *this, **type);
  return tried.trouble().empty() ? Status() : refuse({ErrorCode::kInvalid, tried.trouble(), {}});
}

Status EngineLibraries::check(const ControllerSpec& controller, const Model& model, const ModelFiles& files,
                              Duration tick) const {
  return model.engine.any() ? PhysicsFactory::check(controller, model, files, tick)
                            : own_->check(controller, model, files, tick);
}

Duration EngineLibraries::step_of(const Model& model, const ModelFiles& files, Duration tick) const {
  return model.engine.any() ? tick : own_->step_of(model, files, tick);
}

bool EngineLibraries::saves(const Model& model) const {
  if (!model.engine.any()) return own_->saves(model);
  const auto type = find(model.engine);
  return !type || (*type)->facts.saves;
}

std::vector<CodeFile> EngineLibraries::code_of(std::span<const Model> models, std::optional<Error>& missing) const {
  std::vector<CodeFile> out;
  std::set<std::string> known;
  for (const Model& model : models) {
    const std::string& library = model.engine.library;
    if (!model.engine.any() || !known.insert(library).second) continue;
    if (library.empty()) {
      if (!own_types_.empty())
        for (CodeFile& file : code_files("program with the engine '" + model.engine.type + "'", os::files_of_program()))
          out.push_back(std::move(file));
      continue;
    }
    const auto loaded = load(library);
    if (!loaded && !missing) missing = loaded.error();
    if (!loaded) continue;
    for (CodeFile& file : code_files(library, os::files_of_library((*loaded)->handle))) out.push_back(std::move(file));
  }
  return out;
}

}  // namespace convoy
