#include "plugins/elf_section.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <vector>

namespace convoy {
namespace {

#if defined(__x86_64__)
constexpr Elf64_Half kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#else
constexpr Elf64_Half kMachine = EM_NONE;
#endif

constexpr std::size_t kMaxNames = 1 << 20;

// False: the file has no such bytes.
bool read_at(std::ifstream& in, std::uint64_t offset, void* to, std::size_t size) {
  in.clear();
  if (offset > static_cast<std::uint64_t>(std::numeric_limits<std::streamoff>::max())) return false;
  in.seekg(static_cast<std::streamoff>(offset));
  in.read(static_cast<char*>(to), static_cast<std::streamsize>(size));
  return in.good();
}

}  // namespace

Result<std::string> elf_section(const std::string& path, const std::string& name) {
  const auto broken = [&](const char* why) { return fail(ErrorCode::kInvalid, why, path); };
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(ErrorCode::kNotFound, "it cannot be read", path);
  Elf64_Ehdr header{};
  if (!read_at(in, 0, &header, sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return broken("it is no shared library");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != kMachine)
    return broken("it is a library of another kind of machine");
  if (header.e_type != ET_DYN || header.e_shentsize != sizeof(Elf64_Shdr)) return broken("it is no shared library");
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  if (!read_at(in, header.e_shoff, sections.data(), sections.size() * sizeof(Elf64_Shdr)) ||
      header.e_shstrndx >= sections.size())
    return broken("its sections are damaged");
  const Elf64_Shdr& names = sections[header.e_shstrndx];
  if (names.sh_size > kMaxNames) return broken("its sections are damaged");
  std::string texts(names.sh_size, '\0');
  if (!read_at(in, names.sh_offset, texts.data(), texts.size())) return broken("its sections are damaged");
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_name >= texts.size() || section.sh_type == SHT_NOBITS) continue;
    if (std::strncmp(texts.c_str() + section.sh_name, name.c_str(), name.size() + 1) != 0) continue;
    std::string content(std::min<std::uint64_t>(section.sh_size, kMaxSection), '\0');
    if (!read_at(in, section.sh_offset, content.data(), content.size())) return broken("its sections are damaged");
    return content.substr(0, content.find('\0'));
  }
  return fail(ErrorCode::kNotFound, "it has no section '" + name + "'", path);
}

}  // namespace convoy
