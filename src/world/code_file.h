// A file of users' code in a run: a component's library, one that it needs, or a program. Known by its content.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/fields.h"

namespace convoy {

struct CodeFile {
  std::string name;  // as the scenario names it, "./libtalker.so"; of one that it needs "./libtalker.so: libcore.so"
  std::uint64_t hash = 0;  // hash64 of the file; 0: it cannot be read
  friend bool operator==(const CodeFile&, const CodeFile&) = default;
};
// So is called what draws a machine's pictures; its hash is a picture's.
inline constexpr const char* kRendererCode = "the renderer of cameras";
template <class V, MaybeConst<CodeFile> T>
void fields(V& v, T& f) {
  v("name", f.name), v("hash", f.hash);
}

// Who names the code that is to be loaded.
enum class CodeSource { kScenario, kSpawn };

// What a host has of the code that the scenario names: the payload of Ready.
struct CodeList {
  std::vector<CodeFile> files;
};
template <class V, MaybeConst<CodeList> T>
void fields(V& v, T& l) {
  v("files", l.files);
}

}  // namespace convoy
