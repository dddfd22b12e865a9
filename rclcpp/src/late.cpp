#include "late.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>

#include <cstring>

namespace convoy::ros {
namespace {

// libstdc++'s, behind std::thread and std::async.
constexpr const char* kOfStd = "_ZNSt6thread15_M_start_threadE";

std::string name_of(const char* symbol) {
  if (std::strcmp(symbol, "pthread_create") == 0) return symbol;
  if (std::strncmp(symbol, kOfStd, std::strlen(kOfStd)) == 0) return "std::thread";
  return {};
}

}  // namespace

bool is_late() {
  static const bool late = [] {
    static const char here = 0;
    Dl_info ours{}, found{};
    const void* create = dlsym(RTLD_DEFAULT, "pthread_create");
    if (!create || dladdr(&here, &ours) == 0 || dladdr(create, &found) == 0) return false;
    // A sanitizer's stands before ours, and calls them.
    return ours.dli_fname != found.dli_fname && std::strcmp(ours.dli_fname, found.dli_fname) != 0 &&
           std::strstr(found.dli_fname, "libc.so") != nullptr;
  }();
  return late;
}

// By what its relocations name: those of functions and those of addresses.
std::string makes_threads_by(void* library) {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return {};
  const ElfW(Sym)* symbols = nullptr;
  const char* strings = nullptr;
  const ElfW(Rela) * tables[2] = {};
  std::size_t bytes[2] = {};
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_JMPREL) tables[0] = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_PLTRELSZ) bytes[0] = entry->d_un.d_val;
    if (entry->d_tag == DT_RELA) tables[1] = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_RELASZ) bytes[1] = entry->d_un.d_val;
  }
  if (!symbols || !strings) return {};
  for (std::size_t t = 0; t < 2; ++t)
    for (std::size_t i = 0; i < bytes[t] / sizeof(ElfW(Rela)); ++i)
      if (std::string name = name_of(strings + symbols[ELF64_R_SYM(tables[t][i].r_info)].st_name); !name.empty())
        return name;
  return {};
}

}  // namespace convoy::ros
