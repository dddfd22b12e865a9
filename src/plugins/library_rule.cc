#include "plugins/library_rule.h"

#include <algorithm>
#include <filesystem>

namespace convoy {
namespace {

bool inside(const std::string& path, const std::vector<std::string>& folders) {
  const std::filesystem::path file(path);
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(folder, error);
    return !error && std::mismatch(real.begin(), real.end(), file.begin(), file.end()).first == real.end();
  });
}

}  // namespace

Result<std::string> LibraryRule::admit(const std::string& path, CodeSource source) {
  std::error_code error;
  std::string real = std::filesystem::canonical(path, error).string();
  if (error) return fail(ErrorCode::kNotFound, path + ": " + error.message());
  if (folders_.all || admitted_.count(real)) return real;
  if (!inside(real, folders_.anyones) && !(source == CodeSource::kScenario && inside(real, folders_.scenarios)))
    return fail(ErrorCode::kDenied,
                "it is not loaded: libraries come from packages, from --allow-library DIR" +
                    std::string(folders_.scenarios.empty()        ? ""
                                : source == CodeSource::kScenario ? ", or from the scenario's folder"
                                                                  : ", or are named by the scenario"),
                real);
  admitted_.insert(real);
  return real;
}

}  // namespace convoy
