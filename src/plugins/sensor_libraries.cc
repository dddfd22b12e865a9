#include "plugins/sensor_libraries.h"

#include <dlfcn.h>

#include <set>

#include "core/nearest.h"
#include "os/float_mode.h"
#include "os/loaded_files.h"
#include "plugins/code_files.h"
#include "plugins/elf_section.h"

namespace convoy {
namespace {

constexpr const char* kSection = "convoy_sensor";
constexpr const char* kTypes = "convoy_sensor_types";
constexpr std::size_t kMostTypes = 1000;  // of a library

// Is its code what this build can call? Read from the file.
Status check_tag(const std::string& file) {
  const auto tag = elf_section(file, kSection);
  if (!tag && tag.error().code == ErrorCode::kNotFound)
    return fail(ErrorCode::kInvalid, "it is no library of sensors: it has no CONVOY_SENSORS (convoy/sensor.h)", file);
  if (!tag) return tl::unexpected(tag.error());
  if (*tag != CONVOY_SENSOR_ABI)
    return fail(ErrorCode::kInvalid,
                "it is built for '" + *tag +
                    "', and this is '" CONVOY_SENSOR_ABI
                    "': build it again with this "
                    "version's convoy/sensor.h",
                file);
  return {};
}

}  // namespace

Result<const SensorLibraries::Loaded*> SensorLibraries::load(const std::string& library, CodeSource source) {
  const auto file = rule_.admit(library, source);
  if (!file) return tl::unexpected(file.error());
  if (const auto known = loaded_.find(*file); known != loaded_.end()) return &known->second;
  if (auto ok = check_tag(*file); !ok) return tl::unexpected(ok.error());
  Loaded loaded;
  loaded.handle = dlopen(file->c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!loaded.handle) return fail(ErrorCode::kNotFound, dlerror());
  os::restore_float_mode();
  const auto exported = reinterpret_cast<sensor::Types (*)()>(dlsym(loaded.handle, kTypes));
  if (!exported) return fail(ErrorCode::kInvalid, std::string("it exports no ") + kTypes, *file);
  const sensor::Types types = exported();
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
  const std::string near = nearest_name(type, names);
  std::string has;
  for (const std::string& name : names) has += (has.empty() ? "" : ", ") + name;
  return fail(
      ErrorCode::kNotFound,
      "no type of sensors '" + type + "'" +
          (near.empty() ? "; the library has: " + (has.empty() ? "none" : has) : "; did you mean '" + near + "'?"),
      library);
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
