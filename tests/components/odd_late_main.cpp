// As a program that loads plug-ins: odd_late_main ODD_LATE LIBRARY CLASS
#include <dlfcn.h>

#include <cstdio>

int main(int argc, char** argv) {
  void* late = argc == 4 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!late) return std::fprintf(stderr, "%s\n", dlerror()), 3;
  return reinterpret_cast<int (*)(const char*, const char*)>(dlsym(late, "odd_late_job"))(argv[2], argv[3]);
}
