#include "plugins/code_files.h"

#include <filesystem>

#include "core/utf8.h"

namespace convoy {

std::vector<CodeFile> code_files(const std::string& name, const std::vector<os::LoadedFile>& files) {
  std::vector<CodeFile> out;
  for (const os::LoadedFile& file : files) {
    std::string own = std::filesystem::path(file.path).filename().string();
    if (!is_utf8(own)) own = "a file whose name is no UTF-8";
    out.push_back({out.empty() ? name : name + ": " + own, file.hash});
  }
  return out;
}

}  // namespace convoy
