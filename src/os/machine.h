// Facts about this machine and process: limits, cores, memory, names, build id.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "convoy/result.h"

namespace convoy::os {

struct DescriptorLimit {
  std::uint64_t soft = 0, hard = 0;
};
DescriptorLimit descriptor_limit();
// Raises soft to hard, once at start; returns what holds then.
DescriptorLimit raise_descriptor_limit();

int cores();                      // that this process may run on; at least 1
std::vector<int> core_numbers();  // of the same, ascending; never empty
// Of the calling thread, and of threads that it makes afterwards; nothing happens where a system forbids it.
void keep_thread_on(int core);
void let_others_finish(bool on);  // when it wakes up, it interrupts no other thread on its core (SCHED_BATCH)
std::string host_name();
int process_id();
std::uint64_t drawn_number();  // from clock and process: another one each time, on this machine
bool is_traced(int process);   // by a debugger
std::string kernel();          // "Linux 6.1.0 x86_64"

struct Memory {
  std::uint64_t total_bytes = 0, available_bytes = 0;  // 0: unknown
  std::uint64_t resident_bytes = 0;                    // of this process
};
Memory memory();
struct Spent {
  double processor = 0;          // s
  std::uint64_t peak_bytes = 0;  // of resident memory
};
Spent spent();  // by this process since it began
// Has large pieces of memory go back to the system whenever they are freed, and not only when all above them is free
// too; once at start. Loading a world takes several times what keeping it does.
void keep_memory_small();
// Has pieces of up to 32 MB stay with this process when they are freed: for who makes and frees many of them, as pictures
// are. The system would clear each of their pages anew.
void keep_large_pieces();
// Gives pages that are free in this process back to the system; takes some milliseconds.
void give_memory_back();

// A hash of the running executable's build id (the linker's note); equal for equal builds. 0 if it carries none.
std::uint64_t build_id();
// The same of a shared library or a program in a file, as it would be of one that runs. 0: no such file, or it has
// none.
std::uint64_t build_id_of(const std::string& path);

// The instruction sets of this processor, as "x86-64 sse4.2 avx avx2 fma avx512f"; part of the numeric fingerprint.
std::string hwcaps();

Result<std::string> executable_path();

}  // namespace convoy::os
