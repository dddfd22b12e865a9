// One of the targets as libFuzzer wants it; CONVOY_FUZZ_TARGET is its name. With --write-seeds=FOLDER its sound inputs are
// written there instead.
#include <fstream>
#include <string>

#include "fuzz/targets.h"

using namespace convoy::fuzz;

namespace {

const Target& target() {
  for (const Target& one : kTargets)
    if (std::string_view(one.name) == CONVOY_FUZZ_TARGET) return one;
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  const std::string option = "--write-seeds=";
  for (int i = 1; i < *argc; ++i) {
    const std::string word = (*argv)[i];
    if (word.rfind(option, 0) != 0) continue;
    int number = 0;
    for (const convoy::Bytes& seed : target().seeds())
      std::ofstream(word.substr(option.size()) + "/seed" + std::to_string(number++), std::ios::binary)
          .write(reinterpret_cast<const char*>(seed.data()), static_cast<std::streamsize>(seed.size()));
    std::exit(0);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  target().run({data, size});
  return 0;
}
