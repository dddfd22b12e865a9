#include "os/port_secret.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>

#include "os/address.h"
#include "os/file.h"

namespace port_secret_test {

using namespace convoy;

namespace {

// Where secrets lie, as the environment says it; put back at the end.
class Places {
 public:
  Places(const std::string& runtime, const std::string& home) {
    set("XDG_RUNTIME_DIR", runtime, runtime_);
    set("HOME", home, home_);
  }
  ~Places() {
    std::string ignored;
    set("XDG_RUNTIME_DIR", runtime_, ignored);
    set("HOME", home_, ignored);
  }

 private:
  static void set(const char* name, const std::string& value, std::string& before) {
    const char* was = std::getenv(name);
    before = was != nullptr ? was : "";
    ::setenv(name, value.c_str(), 1);
  }
  std::string runtime_, home_;
};

const Endpoint kServer = os::ipv4(127, 0, 0, 1, 7447);

}  // namespace

TEST_CASE("a secret is found by its port while it is kept, on this machine alone") {
  const auto folder = os::TempDirectory::create();
  REQUIRE(folder);
  const Places places(folder->path(), "/nonexistent");
  {
    const auto kept = os::PortSecret::keep("sesame", 7447);
    REQUIRE(kept);
    CHECK(os::secret_for(kServer) == "sesame");
    CHECK(os::secret_for(os::ipv4(127, 0, 0, 2, 7447)) == "sesame");
    CHECK(os::secret_for(os::ipv4(127, 0, 0, 1, 7448)) == "");
    CHECK(os::secret_for(os::ipv4(10, 0, 0, 1, 7447)) == "");
    struct stat info {};
    REQUIRE(::stat((folder->path() + "/convoy/7447").c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0600);
    REQUIRE(::stat((folder->path() + "/convoy").c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0700);
  }
  CHECK(os::secret_for(kServer) == "");
  CHECK(std::filesystem::is_empty(folder->path() + "/convoy"));
}

TEST_CASE("a newer server's secret takes the place of an older one's, and is not removed by it") {
  const auto folder = os::TempDirectory::create();
  REQUIRE(folder);
  const Places places(folder->path(), "/nonexistent");
  std::optional<os::PortSecret> older = std::move(*os::PortSecret::keep("older", 7447));
  const auto newer = os::PortSecret::keep("newer", 7447);

  CHECK(os::secret_for(kServer) == "newer");
  older.reset();
  CHECK(os::secret_for(kServer) == "newer");
}

TEST_CASE("a secret lies in the home where there is no runtime folder, and nowhere where there is neither") {
  const auto folder = os::TempDirectory::create();
  REQUIRE(folder);
  {
    const Places places("/nonexistent", folder->path());
    const auto kept = os::PortSecret::keep("sesame", 7447);
    CHECK(os::secret_for(kServer) == "sesame");
    CHECK(os::exists(folder->path() + "/.cache/convoy/7447"));
  }
  const Places places("/nonexistent", "/nonexistent");
  CHECK_FALSE(os::PortSecret::keep("sesame", 7447));
  CHECK(os::secret_for(kServer) == "");
}

TEST_CASE("what others can read, a link, and what is no file are no secrets") {
  const auto folder = os::TempDirectory::create();
  REQUIRE(folder);
  const Places places(folder->path(), "/nonexistent");
  const std::string path = folder->path() + "/convoy/7447";
  const auto kept = os::PortSecret::keep("sesame", 7447);

  for (const mode_t mode : {0640, 0604, 0620, 0601}) {
    REQUIRE(::chmod(path.c_str(), mode) == 0);
    CHECK(os::secret_for(kServer) == "");
  }
  REQUIRE(::chmod(path.c_str(), 0600) == 0);
  CHECK(os::secret_for(kServer) == "sesame");
  std::filesystem::rename(path, path + "x");
  std::filesystem::create_symlink(path + "x", path);
  CHECK(os::secret_for(kServer) == "");
  std::filesystem::remove(path);
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  CHECK(os::secret_for(kServer) == "");
}

TEST_CASE("a program shows what it was given, or what lies there when it is asked") {
  const auto folder = os::TempDirectory::create();
  REQUIRE(folder);
  const Places places(folder->path(), "/nonexistent");
  os::NetLoopOptions options;
  options.connect = "127.0.0.1:7447";
  const auto loop = os::NetLoop::open(options);
  REQUIRE(loop);
  const auto given = os::credentials("given", **loop), found = os::credentials("", **loop);

  CHECK(found() == "");
  const auto kept = os::PortSecret::keep("sesame", 7447);
  CHECK(found() == "sesame");
  CHECK(given() == "given");
}

TEST_CASE("secrets are 32 hexadecimal digits, each time others") {
  std::set<std::string> all;
  for (int i = 0; i < 100; ++i) {
    const std::string secret = os::new_secret();
    CHECK(secret.size() == 32);
    CHECK(secret.find_first_not_of("0123456789abcdef") == secret.npos);
    all.insert(secret);
  }
  CHECK(all.size() == 100);
}

}  // namespace port_secret_test
