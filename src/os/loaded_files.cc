#include "os/loaded_files.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>

#include "core/hash.h"
#include "os/file.h"
#include "os/machine.h"

namespace convoy::os {
namespace {

// The dynamic section of an object: its own name, and those of what it needs.
struct Names {
  const char* own = nullptr;
  std::vector<const char*> needed;
};

Names names_of(const link_map* object) {
  Names names;
  if (!object->l_ld) return names;
  const char* strings = nullptr;
  for (const ElfW(Dyn)* d = object->l_ld; d->d_tag != DT_NULL; ++d)
    if (d->d_tag == DT_STRTAB) {
      // The loader has made an address of it on most machines, and left the offset on others.
      const ElfW(Addr) at = d->d_un.d_ptr < object->l_addr ? object->l_addr + d->d_un.d_ptr : d->d_un.d_ptr;
      strings = reinterpret_cast<const char*>(at);
    }
  if (!strings) return names;
  for (const ElfW(Dyn)* d = object->l_ld; d->d_tag != DT_NULL; ++d) {
    if (d->d_tag == DT_NEEDED) names.needed.push_back(strings + d->d_un.d_val);
    if (d->d_tag == DT_SONAME) names.own = strings + d->d_un.d_val;
  }
  return names;
}

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// `object` and what it needs, as far as it is not in `out` yet.
void add_closure(const link_map* all, const link_map* object, std::vector<const link_map*>& out) {
  if (std::find(out.begin(), out.end(), object) != out.end()) return;
  out.push_back(object);
  for (const char* needed : names_of(object).needed)
    for (const link_map* other = all; other; other = other->l_next) {
      const char* own = names_of(other).own;
      if (own ? std::strcmp(own, needed) != 0 : last_part(other->l_name) != needed) continue;
      add_closure(all, other, out);
      break;
    }
}

bool is_systems(std::string_view path) {
  constexpr std::array<std::string_view, 4> kFolders{"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"};
  return path.find('/') == path.npos ||  // the kernel's own, without a file
         std::any_of(kFolders.begin(), kFolders.end(),
                     [&](std::string_view f) { return path.substr(0, f.size()) == f; });
}

std::uint64_t hash_of(const link_map* object, const std::string& path) {
  static std::mutex mutex;
  static std::map<const link_map*, std::uint64_t> known;
  const std::scoped_lock lock(mutex);
  const auto it = known.find(object);
  if (it != known.end()) return it->second;
  const auto file = MappedFile::open(path);
  return known[object] = file ? hash64(file->bytes()) : 0;
}

const link_map* program() {
  static void* const self = dlopen(nullptr, RTLD_NOW);
  link_map* map = nullptr;
  return self && dlinfo(self, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 ? map : nullptr;
}

// The program, first, and what it was linked with: the same as long as it runs.
const std::vector<const link_map*>& linked_objects() {
  static const std::vector<const link_map*> all = [] {
    std::vector<const link_map*> out;
    if (const link_map* main = program()) add_closure(main, main, out);
    return out;
  }();
  return all;
}

std::vector<LoadedFile> with_hashes(const std::vector<const link_map*>& objects) {
  std::vector<LoadedFile> files;
  for (const link_map* object : objects) {
    const std::string path = object == program() ? executable_path().value_or("") : object->l_name;
    if (!path.empty()) files.push_back({path, hash_of(object, path)});
  }
  return files;
}

}  // namespace

std::vector<LoadedFile> files_of_library(void* handle) {
  link_map* library = nullptr;
  const std::vector<const link_map*>& linked = linked_objects();
  if (linked.empty() || dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&library)) != 0) return {};
  std::vector<const link_map*> closure;
  add_closure(linked.front(), library, closure);
  std::erase_if(closure, [&](const link_map* object) {
    return object != library &&
           (is_systems(object->l_name) || std::find(linked.begin(), linked.end(), object) != linked.end());
  });
  return with_hashes(closure);
}

std::vector<LoadedFile> files_of_program() {
  std::vector<const link_map*> linked = linked_objects();
  std::erase_if(linked, [](const link_map* object) { return object != program() && is_systems(object->l_name); });
  return with_hashes(linked);
}

}  // namespace convoy::os
