#include "apps/node_run.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "apps/software.h"
#include "core/nearest.h"
#include "os/terminal.h"

namespace convoy::apps {

namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

// Names in these folders that `wanted` holds for, in order of the alphabet.
template <class Wanted>
std::vector<std::string> names_in(const std::vector<fs::path>& folders, Wanted wanted) {
  std::set<std::string> names;
  for (const fs::path& folder : folders) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none))
      if (wanted(entry.path())) names.insert(entry.path().filename().string());
  }
  return {names.begin(), names.end()};
}

std::string list(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

}  // namespace

int node_run(const Arguments& a) {
  const ProgramArguments& program = a.program;
  std::vector<fs::path> libraries;
  for (const std::string& prefix : ament_prefixes()) libraries.emplace_back(fs::path(prefix) / "lib");
  std::vector<fs::path> folders;
  for (const fs::path& library : libraries)
    if (fs::is_directory(library / program.package)) folders.push_back(library / program.package);
  const std::string package = os::escape_line(program.package, 100);
  if (folders.empty() || program.package.find('/') != std::string::npos) {
    const std::string near = nearest_name(program.package, names_in(libraries, [](const fs::path& path) {
                                            return fs::is_directory(path) && !names_in({path}, is_program).empty();
                                          }));
    return complain("no package '" + package + "' with executables in AMENT_PREFIX_PATH" +
                        (near.empty() ? "" : "; did you mean '" + near + "'?"),
                    kUsage);
  }
  for (const fs::path& folder : folders) {
    const fs::path path = folder / program.executable;
    if (program.executable.find('/') != std::string::npos || !is_program(path)) continue;
    // The library that it is linked to reads them (rclcpp/src/alone.hpp).
    if (a.run.duration) setenv("CONVOY_DURATION", a.run.duration->c_str(), 1);
    if (a.run.speed) setenv("CONVOY_SPEED", a.run.speed->c_str(), 1);
    std::vector<char*> words{const_cast<char*>(path.c_str())};
    for (const std::string& word : program.words) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execv(path.c_str(), words.data());
    return complain(path.string() + " cannot be run", kFailed);
  }
  return complain("package '" + package + "' has no executable '" + os::escape_line(program.executable, 100) +
                      "'; it has " + list(names_in(folders, is_program)),
                  kUsage);
}

}  // namespace convoy::apps
