#include "plugins/sensor_libraries.h"

#include <set>

#include "os/loaded_files.h"
#include "plugins/code_files.h"
#include "plugins/typed_library.h"

namespace convoy {
namespace {

constexpr LibraryKind kSensors{"convoy_sensor",  CONVOY_SENSOR_ABI, "convoy_sensor_types",
                               "CONVOY_SENSORS", "convoy/sensor.h", "sensors"};

}  // namespace

Result<const SensorLibraries::Loaded*> SensorLibraries::load(const std::string& library, CodeSource source) {
  const auto file = rule_.admit(library, source);
  if (!file) return tl::unexpected(file.error());
  if (const auto known = loaded_.find(*file); known != loaded_.end()) return &known->second;
  const auto opened = open_library(*file, kSensors);
  if (!opened) return tl::unexpected(opened.error());
  Loaded loaded;
  loaded.handle = opened->handle;
  const sensor::Types types = reinterpret_cast<sensor::Types (*)()>(opened->types)();
  if (!types.types || types.count > kMostTypes) return fail(ErrorCode::kInvalid, "its list of types is none", *file);
  for (const sensor::Type& one : std::span(types.types, types.count)) {
    auto type = users_type(one);
    if (!type) return fail(type.error().code, type.error().text, *file);
    loaded.types.push_back(std::move(*type));
  }
  return &loaded_.emplace(*file, std::move(loaded)).first->second;
}

Result<const SensorType*> SensorLibraries::find(const std::string& library, const std::string& type,
                                                CodeSource source) {
  const auto loaded = load(library, source);
  if (!loaded) return tl::unexpected(loaded.error());
  std::vector<std::string> names;
  for (const auto& one : (*loaded)->types) {
    if (one->name_text == type) return one.get();
    names.push_back(one->name_text);
  }
  return tl::unexpected(no_such_type(kSensors, library, type, names));
}

std::vector<CodeFile> SensorLibraries::code_of(std::span<const SensorSpec> sensors, std::optional<Error>& missing) {
  std::vector<CodeFile> out;
  std::set<std::string> known;
  for (const SensorSpec& spec : sensors) {
    if (spec.library.empty() || !known.insert(spec.library).second) continue;
    const auto loaded = load(spec.library, CodeSource::kScenario);
    if (!loaded && !missing) missing = loaded.error();
    if (!loaded) continue;
    for (CodeFile& file : code_files(spec.library, os::files_of_library((*loaded)->handle)))
      out.push_back(std::move(file));
  }
  return out;
}

}  // namespace convoy
