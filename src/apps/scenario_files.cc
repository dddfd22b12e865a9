#include "apps/scenario_files.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/prepare.h"
#include "core/nearest.h"
#include "os/file.h"
#include "os/standard_streams.h"

namespace convoy::apps {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostRead = 1u << 20;  // bytes of a scenario whose comment is shown

std::string comment_of(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; text.compare(at, 2, "# ") == 0;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += (out.empty() ? "" : " ") + text.substr(at + 2, end - at - 2);
    at = std::min(end + 1, text.size());
  }
  return out;
}

// A plan of a sweep names its scenario, and is none.
bool is_plan(const std::string& text) { return text.starts_with("scenario:") || text.find("\nscenario:") != text.npos; }

}  // namespace

namespace {

std::vector<ScenarioFile> files(bool plans) {
  std::vector<std::string> folders = folders_of("CONVOY_SCENARIO_PATH");
  for (std::string& own : beside_program({"scenarios", "../share/convoy/scenarios"})) folders.push_back(std::move(own));
  std::vector<ScenarioFile> out;
  std::set<std::string> names;
  for (const std::string& folder : folders) {
    std::vector<ScenarioFile> here;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none)) {
      const fs::path& path = entry.path();
      if (path.extension() != ".yaml") continue;
      const std::string text = os::read_text(path.string(), kMostRead).value_or("");
      if (is_plan(text) != plans || !names.insert(path.stem().string()).second) continue;
      here.push_back({path.stem().string(), path.string(), comment_of(text)});
    }
    std::sort(here.begin(), here.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    out.insert(out.end(), here.begin(), here.end());
  }
  return out;
}

}  // namespace

std::vector<ScenarioFile> scenario_files() { return files(false); }

std::string plan_path(const std::string& given) {
  if (given.find('/') != given.npos || os::exists(given)) return given;
  for (const ScenarioFile& file : files(true))
    if (given == file.name || given == file.name + ".yaml") return file.path;
  return given;
}

Result<std::string> scenario_path(const std::string& given) {
  if (given.find('/') != given.npos || os::exists(given)) return given;
  std::vector<std::string> names;
  for (const ScenarioFile& file : scenario_files()) {
    if (given == file.name || given == file.name + ".yaml") return file.path;
    names.push_back(file.name);
  }
  if (given.find('.') != given.npos) return given;
  const std::string near = nearest_name(given, names);
  return fail(ErrorCode::kNotFound, "no scenario '" + given + "', neither a file nor one that convoy scenarios lists" +
                                        (near.empty() ? "" : "; did you mean '" + near + "'?"));
}

int list_scenarios(const Arguments& a) {
  const std::vector<ScenarioFile> all = scenario_files();
  if (a.json) {
    auto list = nlohmann::ordered_json::array();
    for (const ScenarioFile& file : all)
      list.push_back({{"name", file.name}, {"path", file.path}, {"about", file.about}});
    os::print("{}\n", nlohmann::ordered_json{{"scenarios", list}}.dump());
    return kOk;
  }
  if (all.empty()) return complain("no scenarios beside this program, nor in CONVOY_SCENARIO_PATH", kFailed);
  std::size_t width = 0;
  for (const ScenarioFile& file : all) width = std::max(width, file.name.size());
  for (const ScenarioFile& file : all) os::print("{:<{}}  {}\n", file.name, width, file.about);
  return kOk;
}

}  // namespace convoy::apps
