#include "apps/library_folders.h"

#include <filesystem>

namespace convoy::apps {

LibraryFolders library_folders(const Arguments& arguments) {
  LibraryFolders out;
  out.anyones = arguments.library_folders;
  if (!arguments.run.scenario.empty()) out.scenarios.push_back(folder_of(arguments.run.scenario));
  if (!arguments.scenario_folder.empty()) out.scenarios.push_back(arguments.scenario_folder);
  return out;
}

std::string folder_of(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  return folder.empty() ? "." : folder.string();
}

}  // namespace convoy::apps
