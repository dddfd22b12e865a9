// A section of a shared library, read from the file: what it says of itself before any of its code is loaded.
#pragma once

#include <string>

#include "convoy/result.h"

namespace convoy {

inline constexpr std::size_t kMaxSection = 4096;  // bytes

// Its content up to the first zero byte. Errors: no file, no shared library of this kind of machine, none of that name.
Result<std::string> elf_section(const std::string& path, const std::string& name);

}  // namespace convoy
