// The convoy command: reads the command line and runs what it names.
#include <cstdio>

#include "apps/command_line.h"
#include "os/machine.h"

namespace convoy::apps {

int complain(const std::string& text, int code) {
  std::fprintf(stderr, "convoy: %s\n", text.c_str());
  return code;
}

int complain(const std::vector<Error>& errors) {
  for (const Error& error : errors) complain(error.message(), kUsage);
  return kUsage;
}

}  // namespace convoy::apps

int main(int argc, char** argv) {
  convoy::os::keep_memory_small();
  convoy::apps::CommandLine line;
  if (const auto code = line.parse(argc, argv)) return *code;
  return line.run();
}
