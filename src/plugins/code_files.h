// The files behind users' code, as a run knows them.
#pragma once

#include <string>
#include <vector>

#include "os/loaded_files.h"
#include "world/code_file.h"

namespace convoy {

// `name` is that of the first one; the others are those that it needs.
std::vector<CodeFile> code_files(const std::string& name, const std::vector<os::LoadedFile>& files);

}  // namespace convoy
