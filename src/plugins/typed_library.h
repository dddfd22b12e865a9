// Opens a user's library that exports types: found by the one rule, asked for its tag before any of its code runs, loaded.
#pragma once

#include <string>
#include <vector>

#include "plugins/library_rule.h"

namespace convoy {

// What such libraries have in common.
struct LibraryKind {
  const char* section;  // of the tag
  const char* tag;      // that this build can call
  const char* types;    // the function that lists them
  const char* macro;    // that writes both, and its header
  const char* header;
  const char* of;  // "sensors"
};

inline constexpr std::size_t kMostTypes = 1000;  // of a library

struct OpenedLibrary {
  void* handle = nullptr;
  void* types = nullptr;  // the function
};

// `file`: as the rule admits it.
Result<OpenedLibrary> open_library(const std::string& file, const LibraryKind& kind);

// There is no type of that name among those of the library.
Error no_such_type(const LibraryKind& kind, const std::string& library, const std::string& type,
                   const std::vector<std::string>& names);

}  // namespace convoy
