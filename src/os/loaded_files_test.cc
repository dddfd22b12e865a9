#include "os/loaded_files.h"

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "core/hash.h"
#include "os/file.h"
#include "os/machine.h"

namespace convoy::os::loaded_files_test {
namespace {

std::uint64_t hash_of(const std::string& path) { return hash64(*read_file(path)); }

TEST_CASE("a library's files are itself and what it needs, without the system's") {
  void* handle = dlopen(CONVOY_OS_SAMPLE, RTLD_NOW | RTLD_LOCAL);
  REQUIRE(handle);
  const std::vector<LoadedFile> files = files_of_library(handle);
  REQUIRE(files.size() == 2);
  CHECK(std::filesystem::equivalent(files[0].path, CONVOY_OS_SAMPLE));
  CHECK(files[0].hash == hash_of(CONVOY_OS_SAMPLE));
  CHECK(std::filesystem::equivalent(files[1].path, CONVOY_OS_SAMPLE_NEEDED));
  CHECK(files[1].hash == hash_of(CONVOY_OS_SAMPLE_NEEDED));
}

TEST_CASE("what is loaded is known by the file that was loaded, not by one that has taken its place") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("convoy_loaded_" + std::to_string(process_id()));
  std::filesystem::create_directories(folder);
  const std::string copy = folder / "libcopy.so";
  std::filesystem::copy_file(CONVOY_OS_SAMPLE_NEEDED, copy);
  void* handle = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(handle);
  const std::uint64_t loaded = files_of_library(handle).at(0).hash;
  std::filesystem::remove(copy);
  std::ofstream(copy) << "another";
  CHECK(files_of_library(handle).at(0).hash == loaded);
  CHECK(loaded == hash_of(CONVOY_OS_SAMPLE_NEEDED));
  std::filesystem::remove_all(folder);
}

TEST_CASE("the program is the first of its files") {
  const std::vector<LoadedFile> files = files_of_program();
  REQUIRE(!files.empty());
  CHECK(files[0].path == *executable_path());
  CHECK(files[0].hash == hash_of(*executable_path()));
}

}  // namespace
}  // namespace convoy::os::loaded_files_test
