// The one rule for users' shared libraries that are named by their paths: which of them this process may load.
//
//   LibraryRule rule({.scenarios = {"/runs/hall"}});
//   Result<std::string> file = rule.admit("./libgas.so", CodeSource::kScenario);   // free of symlinks, to be loaded
#pragma once

#include <set>
#include <string>
#include <vector>

#include "convoy/result.h"
#include "world/code_file.h"

namespace convoy {

// From which folders, and what is in them, such libraries are loaded; symlinks are resolved. Packages need no folder.
struct LibraryFolders {
  bool all = false;                    // from everywhere
  std::vector<std::string> anyones;    // whoever names the library
  std::vector<std::string> scenarios;  // if the scenario names it
};

class LibraryRule {
 public:
  explicit LibraryRule(LibraryFolders folders) : folders_(std::move(folders)) {}
  // The file to load, wherever its path leads later. A library that was admitted once is, whoever names it.
  // kNotFound: there is no such file; kDenied: it is in no folder of theirs.
  Result<std::string> admit(const std::string& path, CodeSource source);

 private:
  LibraryFolders folders_;
  std::set<std::string> admitted_;
};

}  // namespace convoy
