#include "plugins/typed_library.h"

#include <dlfcn.h>

#include "core/nearest.h"
#include "os/float_mode.h"
#include "plugins/elf_section.h"

namespace convoy {
namespace {

// Is its code what this build can call? Read from the file.
Status check_tag(const std::string& file, const LibraryKind& kind) {
  const auto tag = elf_section(file, kind.section);
  if (!tag && tag.error().code == ErrorCode::kNotFound)
    return fail(ErrorCode::kInvalid,
                std::string("it is no library of ") + kind.of + ": it has no " + kind.macro + " (" + kind.header + ")",
                file);
  if (!tag) return tl::unexpected(tag.error());
  if (*tag != kind.tag)
    return fail(ErrorCode::kInvalid,
                "it is built for '" + *tag + "', and this is '" + kind.tag + "': build it again with this version's " +
                    kind.header,
                file);
  return {};
}

}  // namespace

Result<OpenedLibrary> open_library(const std::string& file, const LibraryKind& kind) {
  if (auto ok = check_tag(file, kind); !ok) return tl::unexpected(ok.error());
  OpenedLibrary out;
  out.handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!out.handle) return fail(ErrorCode::kNotFound, dlerror());
  os::restore_float_mode();
  out.types = dlsym(out.handle, kind.types);
  if (!out.types) return fail(ErrorCode::kInvalid, std::string("it exports no ") + kind.types, file);
  return out;
}

Error no_such_type(const LibraryKind& kind, const std::string& library, const std::string& type,
                   const std::vector<std::string>& names) {
  const std::string near = nearest_name(type, names);
  std::string has;
  for (const std::string& name : names) has += (has.empty() ? "" : ", ") + name;
  return {ErrorCode::kNotFound,
          std::string("no type of ") + kind.of + " '" + type + "'" +
              (near.empty() ? "; the library has: " + (has.empty() ? "none" : has) : "; did you mean '" + near + "'?"),
          library};
}

}  // namespace convoy
