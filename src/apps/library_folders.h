// Which libraries this command line lets a run load, by their paths.
#pragma once

#include "apps/arguments.h"
#include "plugins/library_rule.h"

namespace convoy::apps {

// --allow-library for whoever names a library; for the scenario itself also the folder that it is in, if the command line
// names it (or that of the launcher did).
LibraryFolders library_folders(const Arguments& arguments);

// "." of a file without one.
std::string folder_of(const std::string& file);

}  // namespace convoy::apps
