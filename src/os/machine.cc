#include "os/machine.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <malloc.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <vector>

#include "core/hash.h"
#include "os/clock.h"
#include "os/descriptor.h"
#include "os/file.h"

namespace convoy::os {
namespace {

// The value of "Name:   123 kB" in a file of /proc, in bytes; 0 if it is not there.
std::uint64_t proc_bytes(const char* path, const char* name) {
  std::FILE* file = std::fopen(path, "re");
  if (file == nullptr) return 0;
  char line[256];
  std::uint64_t found = 0;
  const std::size_t length = std::strlen(name);
  while (found == 0 && std::fgets(line, sizeof line, file) != nullptr) {
    unsigned long long kilobytes = 0;
    if (std::strncmp(line, name, length) != 0 || line[length] != ':') continue;
    if (std::sscanf(line + length + 1, "%llu", &kilobytes) == 1) found = kilobytes * 1024;
  }
  std::fclose(file);
  return found;
}

// The build id among notes, hashed; 0: it is not there.
std::uint64_t find_build_id(const std::uint8_t* at, const std::uint8_t* end) {
  while (static_cast<std::size_t>(end - at) >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof note);
    const std::uint64_t name_size = (note.n_namesz + std::uint64_t{3}) & ~std::uint64_t{3};
    const std::uint64_t text_size = (note.n_descsz + std::uint64_t{3}) & ~std::uint64_t{3};
    at += sizeof note;
    if (name_size + text_size > static_cast<std::uint64_t>(end - at)) return 0;
    const std::uint8_t* text = at + name_size;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(at, "GNU", 4) == 0)
      return hash64({text, note.n_descsz});
    at = text + text_size;
  }
  return 0;
}

// Called for each loaded object, the executable first; a return of 1 ends the walk after it.
int hash_build_id(dl_phdr_info* info, std::size_t, void* out) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const std::uint8_t*>(info->dlpi_addr + part.p_vaddr);
    const std::uint64_t found = find_build_id(at, at + part.p_memsz);
    if (found == 0) continue;
    *static_cast<std::uint64_t*>(out) = found;
    return 1;
  }
  return 1;
}

}  // namespace

DescriptorLimit descriptor_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return {limit.rlim_cur, limit.rlim_max};
}

DescriptorLimit raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  return descriptor_limit();
}

int cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
  const long online = sysconf(_SC_NPROCESSORS_ONLN);  // more processors than the set holds
  return online > 0 ? static_cast<int>(online) : 1;
}

std::vector<int> core_numbers() {
  std::vector<int> out;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int i = 0; i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(i, &set)) out.push_back(i);
  if (out.empty())
    for (int i = 0; i < cores(); ++i) out.push_back(i);
  return out;
}

void keep_thread_on(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (core < 0 || core >= CPU_SETSIZE) return;
  CPU_SET(core, &set);
  (void)sched_setaffinity(0, sizeof set, &set);
}

void let_others_finish(bool on) {
  const sched_param none{};
  (void)sched_setscheduler(0, on ? SCHED_BATCH : SCHED_OTHER, &none);
}

Spent spent() {
  rusage used{};
  if (getrusage(RUSAGE_SELF, &used) != 0) return {};
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return {seconds(used.ru_utime) + seconds(used.ru_stime), static_cast<std::uint64_t>(used.ru_maxrss) * 1024};
}

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = "";
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

int process_id() { return getpid(); }

std::uint64_t drawn_number() {
  return static_cast<std::uint64_t>(nanos(now().time_since_epoch())) ^ static_cast<std::uint64_t>(process_id()) << 48;
}

void keep_memory_small() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);  // else glibc raises it, up to 32 MiB, with the first large piece that is freed
#endif
}

void keep_large_pieces() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

void give_memory_back() { malloc_trim(0); }

bool is_traced(int process) {
  const auto status = read_text("/proc/" + std::to_string(process) + "/status");
  return status && status->find("\nTracerPid:") != status->npos && status->find("\nTracerPid:\t0\n") == status->npos;
}

std::string kernel() {
  utsname name{};
  return uname(&name) == 0 ? fmt::format("{} {} {}", name.sysname, name.release, name.machine) : "unknown";
}

Memory memory() {
  return {proc_bytes("/proc/meminfo", "MemTotal"), proc_bytes("/proc/meminfo", "MemAvailable"),
          proc_bytes("/proc/self/status", "VmRSS")};
}

std::uint64_t build_id() {
  std::uint64_t hash = 0;
  dl_iterate_phdr(hash_build_id, &hash);
  return hash;
}

std::uint64_t build_id_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  ElfW(Ehdr) head;
  const auto read = [&](std::uint64_t at, void* to, std::size_t size) {
    return static_cast<bool>(
        file.seekg(static_cast<std::streamoff>(at)).read(static_cast<char*>(to), static_cast<std::streamsize>(size)));
  };
  if (!file || !read(0, &head, sizeof head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return 0;
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    ElfW(Phdr) part;
    if (!read(head.e_phoff + i * sizeof part, &part, sizeof part)) return 0;
    if (part.p_type != PT_NOTE || part.p_filesz > 1u << 20) continue;
    std::vector<std::uint8_t> notes(part.p_filesz);
    if (!read(part.p_offset, notes.data(), notes.size())) return 0;
    if (const std::uint64_t found = find_build_id(notes.data(), notes.data() + notes.size())) return found;
  }
  return 0;
}

std::string hwcaps() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  std::string out = "x86-64";
  const auto add = [&out](bool has, const char* name) {
    if (has) out.append(" ").append(name);
  };
  add(__builtin_cpu_supports("sse4.2"), "sse4.2");
  add(__builtin_cpu_supports("avx"), "avx");
  add(__builtin_cpu_supports("avx2"), "avx2");
  add(__builtin_cpu_supports("fma"), "fma");
  add(__builtin_cpu_supports("avx512f"), "avx512f");
  add(__builtin_cpu_supports("avx512vl"), "avx512vl");
  return out;
#else
  utsname name{};
  uname(&name);
  return fmt::format("{} {:x} {:x}", name.machine, getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
#endif
}

Result<std::string> executable_path() {
  char path[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof path);
  if (n < 0) return system_failure("read", "/proc/self/exe", errno);
  return std::string(path, static_cast<std::size_t>(n));
}

}  // namespace convoy::os
