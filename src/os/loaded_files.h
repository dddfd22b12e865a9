// The files behind what a process has loaded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace convoy::os {

struct LoadedFile {
  std::string path;
  std::uint64_t hash = 0;  // hash64 of the file; 0: it cannot be read
};

// The library of a handle of dlopen(), first, and those that it needs, each behind one that needs it. Left out are what
// the program was linked with, and the system's own (/lib, /usr/lib): they are the same for all that is loaded.
// Hashed when it is asked for the first time: a file that is replaced later is not what runs.
std::vector<LoadedFile> files_of_library(void* handle);
// The program itself, and what it was linked with, without the system's own.
std::vector<LoadedFile> files_of_program();

}  // namespace convoy::os
