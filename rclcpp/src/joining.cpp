#include "joining.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "library.hpp"

namespace convoy::ros {
namespace {

// As of bad input of a command: the program was started wrongly, and would show an exception as a crash.
[[noreturn]] void refuse(const std::string& where, const std::string& why) {
  std::fprintf(stderr, "convoy: %s=%s: %s\n", kJoinVariable, where.c_str(), why.c_str());
  std::exit(2);
}

}  // namespace

Simulation& join(const std::string& where, std::vector<std::string> arguments) {
  const std::size_t slash = where.rfind('/');
  if (slash == where.npos || slash == 0 || slash + 1 == where.size()) refuse(where, "it is HOST:PORT/NAME of an agent");
  const std::string path = own_folder() + "/" + kJoinLibrary;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) refuse(where, dlerror());
  const auto function = reinterpret_cast<JoinFunction>(dlsym(library, kJoinFunction));
  if (!function) refuse(where, path + " is another version's");
  std::string error;
  Simulation* simulation = function({where.substr(0, slash), where.substr(slash + 1), std::move(arguments)}, error);
  if (!simulation) refuse(where, error);
  return *simulation;
}

}  // namespace convoy::ros
