// convoy init: a small project of the user's own, to change and to run.
#include <algorithm>
#include <filesystem>

#include "apps/arguments.h"
#include "apps/prepare.h"
#include "os/file.h"
#include "os/output_file.h"
#include "os/standard_streams.h"
#include "scenario/schema.h"

namespace convoy::apps {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPlace = "my_project";
constexpr std::size_t kMostNameLength = 40;

// What is shipped, and what it is called in the project.
struct Template {
  const char* file;
  const char* name;
};
constexpr Template kTemplates[] = {{"README.md", "README.md"},
                                   {"scenario.yaml", "my_project.yaml"},
                                   {"scenario_nodes.yaml", "my_project_nodes.yaml"},
                                   {"sweep.yaml", "sweep.yaml"},
                                   {"project.py", "my_project.py"},
                                   {"nodes/CMakeLists.txt", "nodes/CMakeLists.txt"},
                                   {"nodes/package.xml", "nodes/package.xml"},
                                   {"nodes/src/explorer.cpp", "nodes/src/explorer.cpp"}};

std::string with_name(std::string text, const std::string& name) {
  for (std::size_t at = text.find(kPlace); at != text.npos; at = text.find(kPlace, at + name.size()))
    text.replace(at, kPlace.size(), name);
  return text;
}

// 8 x 6 m of 5 cm, with walls around and a box in the middle. Black is occupied, as map_server has it.
std::string hall() {
  constexpr int kWidth = 160, kHeight = 120, kWall = 2;
  std::string out = "P5\n160 120\n255\n";
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const bool wall = x < kWall || y < kWall || x >= kWidth - kWall || y >= kHeight - kWall;
      const bool box = x >= 60 && x < 100 && y >= 52 && y < 68;
      out += static_cast<char>(wall || box ? 0 : 254);
    }
  return out;
}
constexpr std::string_view kHallYaml =
    "image: hall.pgm\nresolution: 0.05\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.25\n";

Status write(const fs::path& path, std::string_view text) {
  if (auto ok = os::make_directories(path.parent_path().string()); !ok) return ok;
  return os::write_file(path.string(), text);
}

Status write_project(const std::string& templates, const fs::path& folder, const std::string& name) {
  for (const Template& t : kTemplates) {
    const auto text = os::read_text(templates + "/" + t.file);
    if (!text) return tl::unexpected(text.error());
    if (auto ok = write(folder / with_name(t.name, name), with_name(*text, name)); !ok) return ok;
  }
  if (auto ok = write(folder / "hall.yaml", kHallYaml); !ok) return ok;
  if (auto ok = write(folder / "hall.pgm", hall()); !ok) return ok;
  std::error_code none;
  fs::permissions(folder / (name + ".py"), fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add, none);
  return {};
}

}  // namespace

int init(const Arguments& arguments) {
  const fs::path folder = fs::path(arguments.file).lexically_normal();
  const std::string name = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
  const bool lower = std::none_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  // Names of ROS packages are in small letters.
  if (!scenario::is_name(name) || !lower || name.size() > kMostNameLength)
    return complain(
        "'" + name +
            "': a project's name is one of at most 40 small letters, digits and '_', that begins with a letter",
        kUsage);
  std::error_code none;
  if (fs::exists(folder) && !fs::is_empty(folder, none))
    return complain(folder.string() + ": there is something already", kUsage);
  std::string templates;
  for (const std::string& there : beside_program({"project", "../share/convoy/project"}))
    if (templates.empty() && os::exists(there)) templates = there;
  if (templates.empty()) return complain("no templates of projects beside this program", kFailed);
  if (auto ok = write_project(templates, folder, name); !ok) return complain(ok.error().message(), kUsage);
  os::print("{}: a project; its README.md says how to run it:\n  cd {}\n  convoy run {}.yaml\n", folder.string(),
            folder.string(), name);
  return kOk;
}

}  // namespace convoy::apps
